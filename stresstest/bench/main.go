// Command bench measures what a hook costs, process for process, against an empty Go
// program built the same way: a user pays it on every tool call of every session on the
// machine.
//
// The programs that are compared run in turn, one after the other, so that whatever else
// the machine does falls on all of them alike. A time is from before the process is made
// until it has been waited for; the payload comes through a pipe, as the client sends it.
// Each line shows the median, the 10th and 90th percentile, the ratio of the medians, and
// the goal where there is one. The exit code is 1 if a goal is missed.
//
// It plays in a private /tmp, and refuses where there is none, unless -live says that this
// machine has no live sessions.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"moirai/stresstest/rig"
)

func main() {
	bin := flag.String("bin", "bin", "folder of the built hooks")
	n := flag.Int("n", 500, "runs of each program")
	live := flag.Bool("live", false, "this machine has no live sessions: where /tmp cannot be private, use the real one, put aside what lies there and give it back")
	flag.Parse()
	if err := run(*bin, *n, *live); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(bin string, n int, live bool) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	// The folder is the same in both starts of this program (rig.Enter).
	dir := filepath.Join(filepath.Dir(self), "bench-programs")
	if err := gather(dir, bin); err != nil {
		return err
	}
	iso, err := rig.Enter(rig.Request{Hooks: dir, Claims: []string{filepath.Dir(filepath.Clean(tokenDir)), home}, Live: live})
	if err != nil {
		return err
	}
	defer iso.Leave()
	runtime.LockOSThread()
	g, err := newGround(iso.Hooks)
	if err != nil {
		return err
	}
	fmt.Printf("%s/%s, %s, %d processors; times in ms: median, 10th and 90th percentile\n\n", runtime.GOOS, runtime.GOARCH, runtime.Version(), runtime.NumCPU())
	fmt.Printf("%-52s %6s %9s %19s   %-26s %s\n", "", "runs", "median", "p10 – p90", "ratio", "memory")
	missed := 0
	for _, c := range comparisons(n) {
		m, err := c.measure(g)
		if err != nil {
			fmt.Printf("%s\n  COULD NOT BE MEASURED: %v\n", c.name, err)
			m = 1
		}
		missed += m
	}
	if missed > 0 {
		return fmt.Errorf("%d goals missed", missed)
	}
	fmt.Println("\nall goals met")
	return nil
}
