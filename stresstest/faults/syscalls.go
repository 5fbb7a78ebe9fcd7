package main

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// Every system call failed once, as SQLite does with its I/O: strace lists the calls
// that each kind of hook call makes, then the hook runs once for each of them and
// each error, with that one call made to fail. strace counts the calls of each name in
// each thread, so a site is a name and a number; where two threads get that far,
// two calls fail.

// site is one call of a hook.
type site struct {
	name string
	nth  int
	own  bool // after the Go runtime has started
}

// theErrors is what each call is made to end in; a read or write also in 0 bytes.
var theErrors = []string{"error=EIO", "error=ENOSPC", "error=EINTR", "error=ENOMEM", "error=EACCES"}

// untouched lists what strace cannot make fail in the hook.
var untouched = map[string]string{
	"execve":       "it is the start of the hook itself",
	"rt_sigreturn": "it does not return",
}

// rounds are the calls of the Go runtime that come in dozens, alike: the short
// version fails the first, the middle and the last of each.
var rounds = []string{"rt_sigaction", "rt_sigprocmask", "sigaltstack", "gettid", "nanosleep", "futex", "mmap", "madvise", "clone", "clone3", "epoll_pwait", "sched_yield", "tgkill", "getpid"}

// syscallFault is the fault of one site and one way to fail.
func syscallFault(at site, how, log string) fault {
	return fault{
		class: "system call", name: fmt.Sprintf("%s #%d %s", at.name, at.nth, strings.TrimPrefix(how, "error=")), want: "rrrrrr",
		apply: func(s *scene, _ int) error {
			s.deafErr = at.name == "write"
			s.deafOut = at.name == "write" && s.kind != &theKinds[loader]
			s.behind("-qq", "-f", "--seccomp-bpf", "-o", log, "-e", "trace="+at.name, "-e", fmt.Sprintf("inject=%s:%s:when=%d", at.name, how, at.nth))
			return nil
		},
	}
}

// behind puts the hook behind strace.
func (s *scene) behind(args ...string) {
	s.cmd.Args = slices.Concat(args, []string{s.cmd.Path}, s.cmd.Args)
	s.cmd.Path = strace
}

const strace = "/usr/bin/strace"

const traceLog = "/tmp/c/strace.log"

var call = regexp.MustCompile(`^(\d+) +([a-z_0-9]+)\(`)

// sites lists the calls that a kind makes without a fault, from a few runs, since
// the threads of the Go runtime are not the same twice.
func (b *bench) sites(k int) ([]site, error) {
	found := map[site]bool{}
	for range 3 {
		s, err := newScene(&theKinds[k], b.iso.Hooks)
		if err != nil {
			return nil, err
		}
		s.behind("-qq", "-f", "-o", traceLog)
		res, err := s.run(false)
		if err != nil {
			return nil, err
		}
		if want := map[byte]int{'0': 0, 'B': 2}[theKinds[k].normal]; res.Code != want {
			return nil, fmt.Errorf("%s ends in %d under strace: %s", theKinds[k].name, res.Code, res.Stderr)
		}
		if err := readTrace(found); err != nil {
			return nil, err
		}
	}
	// A call that came before the start in one run and after it in another is the runtime's.
	for at := range found {
		if at.own && found[site{at.name, at.nth, false}] {
			delete(found, at)
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b site) int {
		if c := strings.Compare(a.name, b.name); c != 0 {
			return c
		}
		return a.nth - b.nth
	}), nil
}

// readTrace adds the calls of a trace to found. The hook's own begin with umask.
func readTrace(found map[site]bool) error {
	f, err := os.Open(traceLog)
	if err != nil {
		return err
	}
	defer f.Close()
	seen := map[string]int{} // by thread and name
	own := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		m := call.FindStringSubmatch(lines.Text())
		if m == nil || untouched[m[2]] != "" {
			continue
		}
		own = own || m[2] == "umask"
		seen[m[1]+m[2]]++
		found[site{m[2], seen[m[1]+m[2]], own}] = true
	}
	if !own {
		return errors.New("no umask in the trace: where does the hook begin?")
	}
	return nil
}

// chosen tells whether the short version fails this call of this kind. What the
// runtime does before the hook begins is the same for every kind.
func (b *bench) chosen(at site, k int, all []site) bool {
	if b.full {
		return true
	}
	if !at.own && k != blocked {
		return false
	}
	if !slices.Contains(rounds, at.name) {
		return true
	}
	last := 0
	for _, other := range all {
		if other.name == at.name {
			last = max(last, other.nth)
		}
	}
	return at.nth == 1 || at.nth == (last+1)/2 || at.nth == last
}

// ways lists how a call is made to fail. The short version leaves some errors out where
// one is as good as another: in what the runtime does in rounds, and in kinds that
// make the same calls as the blocked gate or the loader.
func (b *bench) ways(at site, k int) []string {
	ways := slices.Clone(theErrors)
	switch {
	case b.full:
	case slices.Contains(rounds, at.name):
		ways = []string{"error=EIO", "error=ENOMEM"}
	case k != loader && k != blocked && k != compact:
		ways = []string{"error=EIO", "error=EINTR"}
	}
	if at.name == "read" || at.name == "write" || at.name == "pread64" {
		ways = append(ways, "retval=0")
	}
	return ways
}

// failCalls is the section.
func (b *bench) failCalls(t *tally) {
	if !t.wants("system calls") {
		return
	}
	if !b.platform.linux {
		t.lacking = append(t.lacking, "system calls: strace is Linux only")
		return
	}
	if !b.platform.strace {
		t.failed = append(t.failed, "system calls: no strace (Debian: apt-get install strace)")
		return
	}
	var jobs []job
	var counts [allKinds]int
	b.inArena(func() error {
		for k := range allKinds {
			all, err := b.sites(k)
			if err != nil {
				return err
			}
			for _, at := range all {
				if !b.chosen(at, k, all) {
					continue
				}
				counts[k]++
				for _, how := range b.ways(at, k) {
					f := syscallFault(at, how, traceLog)
					jobs = append(jobs, job{&f, k, &cell{ends: map[byte]int{}}})
				}
			}
		}
		return nil
	}, t)
	b.play(2*b.cpus, jobs, b.runInjected)
	version := "every call, every error"
	if !b.full {
		version = "the short version: not all errors for all kinds, and of calls that the Go runtime makes in rounds the first, middle and last"
	}
	fmt.Printf("\nEach system call failed once: EIO, ENOSPC, EINTR, ENOMEM, EACCES, and 0 for reads and writes (%s)\n", version)
	for k := range allKinds {
		sum := &cell{ends: map[byte]int{}}
		unreached := 0
		for _, j := range jobs {
			if j.kind != k {
				continue
			}
			sum.runs += j.cell.runs
			sum.worst = max(sum.worst, j.cell.worst)
			for e, n := range j.cell.ends {
				sum.ends[e] += n
			}
			if j.cell.runs == 0 && len(j.cell.bad) == 0 {
				unreached++
			}
			t.add("system calls: "+j.fault.name+" × "+theKinds[k].name, j.cell)
		}
		fmt.Printf("  %-15s %4d calls, %5d runs, %3d not reached: %s\n", theKinds[k].name, counts[k], sum.runs, unreached, sum)
	}
}

// runInjected runs one site until strace says that the call was made to fail, four
// times at most: a call that a thread makes only now and then may not come.
func (b *bench) runInjected(j job) {
	b.busy <- struct{}{}
	defer func() { <-b.busy }()
	for range 4 {
		c := &cell{ends: map[byte]int{}}
		s, err := newScene(&theKinds[j.kind], b.iso.Hooks)
		if err == nil {
			err = b.attempt(s, job{j.fault, j.kind, c}, 0)
		}
		if err != nil {
			j.cell.bad = append(j.cell.bad, err.Error())
		}
		log, _ := os.ReadFile(traceLog)
		if err != nil || strings.Contains(string(log), "(INJECTED)") {
			j.cell.runs, j.cell.ends, j.cell.worst = c.runs, c.ends, c.worst
			return
		}
	}
}
