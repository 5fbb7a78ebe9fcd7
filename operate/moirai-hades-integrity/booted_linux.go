package main

import (
	"syscall"
	"time"
)

// booted is when the machine started, and /tmp with it may have been emptied.
func booted(now time.Time) time.Time {
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) != nil {
		return time.Time{}
	}
	return now.Add(-time.Duration(info.Uptime) * time.Second)
}
