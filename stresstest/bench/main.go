// Command bench measures what the hooks cost.
//
// In the client: sessions of the real client, offline, with no hook, with ours, and with
// what people would take instead. What a user pays is the time that a call takes more than
// with no hook. Process for process: each program against a floor, which is a program in Go
// that does the least of what a hook must do.
//
// What is compared runs in turn, so that whatever else the machine does falls on all alike.
// The time of a process is from before it is made until it has been waited for; the payload
// comes through a pipe, as the client sends it. The exit code is 1 if a goal is missed.
//
// It plays in a private /tmp, and refuses where there is none, unless -live says that this
// machine has no live sessions. There the part in the client is left out.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"

	"moirai/stresstest/realclient"
	"moirai/stresstest/rig"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == realclient.InsideArg {
		os.Exit(realclient.Inside(os.Args[2:]))
	}
	var b bench
	bin := flag.String("bin", "bin", "`folder` of the built hooks")
	cache := flag.String("cache", ".cache/client", "`folder` that clients are installed into")
	only := flag.String("run", "", "run only the comparisons whose name matches `regexp`")
	write := flag.String("write", "", "write the figures into the page at this `path`, and the picture beside it")
	times := flag.Int("times", 1, "measure all so many `times`")
	flag.IntVar(&b.runs, "n", 500, "`runs` of each program")
	flag.IntVar(&b.rounds, "rounds", 10, "`rounds` of sessions in the client")
	flag.BoolVar(&b.live, "live", false, "this machine has no live sessions: where /tmp cannot be private, use the real one, put aside what lies there and give it back")
	flag.Parse()
	err := b.prepare(*bin, *cache, *only, *write)
	if err == nil {
		err = b.run(*times)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is one run of the program.
type bench struct {
	runs, rounds int
	live         bool

	pick   *regexp.Regexp
	client *realclient.Client
	left   string // why the part in the client is left out
	iso    *rig.Isolation
	ground *ground
	page   *page
}

// clientPart is the name of the part in the client.
const clientPart = "in the client"

func (b *bench) prepare(bin, cache, only, write string) (err error) {
	if b.pick, err = regexp.Compile(only); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	// The folder is the same in both starts of this program (rig.Enter).
	dir := filepath.Join(filepath.Dir(self), "bench-programs")
	if err := gather(dir, bin); err != nil {
		return err
	}
	if write != "" {
		if b.page, err = openPage(write); err != nil {
			return err
		}
	}
	var places []*realclient.Place
	var keep []string
	if b.findClient(cache); b.client != nil {
		for _, p := range b.client.Places() {
			places, keep = append(places, p), append(keep, p.Path)
		}
	}
	b.iso, err = rig.Enter(rig.Request{Hooks: dir, Keep: keep, Loopback: true, KeepUser: true, Live: b.live,
		Claims: []string{filepath.Dir(filepath.Clean(tokenDir)), home}})
	if err != nil {
		return err
	}
	if b.left == "" && !b.iso.PrivateTmp {
		b.left = "sessions cannot be separated from the machine here: " + b.iso.Refused
	}
	if b.left == "" {
		if err := realclient.Enclose(b.iso, places); err != nil {
			return err
		}
	}
	b.ground, err = newGround(b.iso.Hooks)
	return err
}

// findClient finds the pinned client and what the other gates need.
func (b *bench) findClient(cache string) {
	if !b.pick.MatchString(clientPart) {
		b.left = "not asked for"
		return
	}
	for _, name := range []string{"bash", "jq", "realpath", "node"} {
		if _, err := exec.LookPath(name); err != nil {
			b.left = name + " is missing, which another gate needs"
			return
		}
	}
	cache, err := filepath.Abs(cache)
	if err == nil {
		b.client, err = realclient.Find(cache, realclient.Pinned)
	}
	if err != nil {
		b.left = err.Error() + ": make e2e installs it"
	}
}

func (b *bench) run(times int) error {
	defer b.iso.Leave()
	runtime.LockOSThread()
	fmt.Printf("%s/%s, %s, %d processors\n", runtime.GOOS, runtime.GOARCH, runtime.Version(), runtime.NumCPU())
	if b.left != "" {
		fmt.Printf("left out: %s: %s\n", clientPart, b.left)
	} else if err := b.ground.sameDecisions(b.iso.Scratch); err != nil {
		return err
	}
	results := make([]result, times)
	for i := range results { // before all sessions: they make this program grow, and a process inherits that
		if err := b.measureProcesses(&results[i]); err != nil {
			return err
		}
	}
	for i := range results {
		if err := b.measureClient(&results[i]); err != nil {
			return err
		}
	}
	missed := 0
	for _, r := range results {
		fmt.Println()
		for _, g := range r.goals() {
			fmt.Println(g)
			if !g.met {
				missed++
			}
		}
	}
	if b.page != nil {
		if err := b.page.write(results); err != nil {
			return err
		}
	}
	if missed > 0 {
		return fmt.Errorf("%d goals missed", missed)
	}
	fmt.Println("\nall goals met")
	return nil
}

// result is what one measurement of all gave.
type result struct {
	client    *inClient
	processes []compared
}

func (r result) goals() (list []goal) {
	if r.client != nil {
		list = r.client.goals()
	}
	for _, c := range r.processes {
		for _, f := range c.rows {
			list = append(list, f.goals...)
		}
	}
	return list
}

func (b *bench) measureClient(r *result) (err error) {
	if b.left != "" {
		return nil
	}
	if r.client, err = playInClient(b.client, b.iso, b.rounds); err == nil {
		fmt.Println()
		r.client.print()
	}
	return err
}

func (b *bench) measureProcesses(r *result) error {
	fmt.Printf("\n%-54s %6s %9s %19s %9s %8s\n", "process for process, ms", "runs", "median", "p10 – p90", "ratio", "faults")
	for _, c := range comparisons(b.runs) {
		if !b.pick.MatchString(c.name) {
			continue
		}
		got, err := c.measure(b.ground)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		got.print()
		r.processes = append(r.processes, got)
	}
	return nil
}
