// Command faults proves that nothing fails open: it runs the built hooks under every
// fault that it can bring about and holds each end against the promises.
//
//   - A gated call without four real markers ends in exit 2 within six seconds,
//     and never in another code; where a signal ends the process, the wired
//     command line with its guard (D15) gives 2.
//   - With four real markers a fault may block, but names itself and a way out.
//   - The loader leaves no marker without its complete output having been accepted.
//   - /start and the required Read end in 0, or in 2 for what comes before their
//     branch, and never record what did not happen (D9, D11).
//   - A compaction passes only if the load is void or there is no token (D8).
//
// The faults are data: stdin.go, streams.go, tokenfile.go, tokendir.go, process.go
// and required.go list them, with how each kind of call must end. Each scene plays
// in a /tmp of its own. After the table come the pairs of faults, every system call
// failed once (strace), signals at random instants, and random schedules of fifty hooks
// at once on one session, held against a model of the token file.
//
// The last line is `N passed, N failed`; exit 0 or 1. -full runs the long version.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"syscall"
	"time"

	"moirai/stresstest/rig"
)

func main() {
	bin := flag.String("bin", "bin", "folder of the built hooks")
	full := flag.Bool("full", false, "the long version: every call, every schedule")
	live := flag.Bool("live", false, "this machine has no live sessions: where /tmp cannot be private, use the real one, put aside what lies there and give it back")
	only := flag.String("run", "", "only the faults and sections whose class and name match `REGEXP`")
	flag.Parse()
	if err := run(*bin, *only, *full, *live); err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

func run(bin, only string, full, live bool) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	bin, err = filepath.Abs(bin)
	if err != nil {
		return err
	}
	for _, k := range theKinds {
		if _, err := os.Stat(filepath.Join(bin, k.hook)); err != nil {
			return fmt.Errorf("%w: make build makes it", err)
		}
	}
	iso, err := rig.Enter(rig.Request{Hooks: bin, Claims: []string{tokenParent, sceneDir}, Live: live})
	if err != nil {
		return err
	}
	defer iso.Leave()
	b := &bench{iso: iso, full: full, arenas: 1, cpus: runtime.NumCPU(), busy: make(chan struct{}, 2*runtime.NumCPU())}
	b.platform = platform{private: iso.PrivateTmp, foreign: iso.Foreign, linux: runtime.GOOS == "linux", plain: iso.Unprivileged}
	if iso.PrivateTmp {
		b.arenas = 16
	}
	if _, err := os.Stat(strace); err == nil {
		b.platform.strace = true
	}
	fmt.Printf("faults: private /tmp %v, ordinary uid %v, another uid %v%s\n", iso.PrivateTmp, iso.Unprivileged, iso.Foreign, colon(iso.Refused))
	t := &tally{pattern: pattern}
	for _, section := range []struct {
		name string
		run  func(*bench, *tally)
	}{
		{"faults", (*bench).faults},
		{"pairs", (*bench).pairs},
		{"system calls", (*bench).failCalls},
		{"signals", (*bench).signals},
		{"schedules", (*bench).schedules},
	} {
		began, used := time.Now(), processor()
		section.run(b, t)
		fmt.Printf("%s: %d runs so far, %d failed, %.0f s, %.0f s of processor\n", section.name, t.runs, len(t.failed), time.Since(began).Seconds(), processor()-used)
	}
	return t.end()
}

// processor is the processor time that we and the hooks have taken, in seconds.
func processor() float64 {
	total := 0.0
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			total += float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
		}
	}
	return total
}

func colon(s string) string {
	if s == "" {
		return ""
	}
	return ": " + s
}
