package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// tick is the unit of /proc/PID/stat everywhere.
const tick = 10 * time.Millisecond

// processor is the processor time that a process, its children and all that these have
// waited for have used until now.
func processor(pid int) (used time.Duration) {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(stat), ") ")
	if fields := strings.Fields(rest); len(fields) > 14 {
		for _, f := range fields[11:15] { // own and waited for, user and system
			var n int64
			fmt.Sscan(f, &n)
			used += time.Duration(n) * tick
		}
	}
	children, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, c := range children {
		list, _ := os.ReadFile(c)
		for _, f := range strings.Fields(string(list)) {
			var child int
			fmt.Sscan(f, &child)
			used += processor(child)
		}
	}
	return used
}
