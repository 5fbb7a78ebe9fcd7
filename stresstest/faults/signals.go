package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"moirai/stresstest/rig"
)

// How many tries each kind gets of the thousand: most where a slip would open the gate.
var signalTries = [kinds]int{loader: 150, blocked: 400, allowed: 150, start: 100, read: 100, compact: 100}

var signalsTried = []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE, syscall.SIGKILL}

// strike sends a signal to the hook at a random instant of its life.
func strike(sig syscall.Signal) fault {
	return fault{class: "signals", name: sig.String(), want: "rrrrrr", apply: func(s *scene, _ int) error {
		at := time.Duration(rand.IntN(int(2 * typical))) // an instant, not a synchronisation
		if !s.kind.guarded {
			s.during = func(p *rig.Process) error {
				time.Sleep(at)
				p.Signal(sig)
				return nil
			}
			return nil
		}
		// The hook runs behind the guard from the start, since the instant does not
		// come twice. Its shell says its number in a FIFO and becomes the hook.
		const number = "/tmp/c/number"
		if err := syscall.Mkfifo(number, 0o600); err != nil {
			return err
		}
		hook := s.cmd.Path
		s.cmd.Path = "/bin/sh"
		s.cmd.Args = []string{"-c", `/bin/sh -c 'echo $$ >` + number + `; exec "` + hook + `"'` + guard}
		s.deafErr = true // a guard that answers is silent
		s.during = func(*rig.Process) error {
			text, err := os.ReadFile(number)
			if err != nil {
				return err
			}
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			if err != nil {
				return err
			}
			time.Sleep(at)
			if err := syscall.Kill(pid, sig); err != nil && err != syscall.ESRCH {
				return err
			}
			return nil
		}
		return nil
	}}
}

// signals is the section.
func (b *bench) signals(t *tally) {
	if !t.wants("signals") {
		return
	}
	var jobs []job
	for k, tries := range signalTries {
		for n := range tries {
			f := strike(signalsTried[n%len(signalsTried)])
			jobs = append(jobs, job{&f, k, &cell{ends: map[byte]int{}}})
		}
	}
	b.play(2*b.cpus, jobs, b.runJob)
	fmt.Printf("\nSIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGKILL at random instants; gate and compaction behind the wired guard\n")
	for k := range kinds {
		sum := &cell{ends: map[byte]int{}}
		for _, j := range jobs {
			if j.kind != k {
				continue
			}
			sum.runs += j.cell.runs
			sum.worst = max(sum.worst, j.cell.worst)
			for e, n := range j.cell.ends {
				sum.ends[e] += n
			}
			t.add("signals: "+j.fault.name+" × "+theKinds[k].name, j.cell)
		}
		fmt.Printf("  %-14s %4d tries: %s\n", theKinds[k].name, sum.runs, sum)
	}
}
