// Command e2e proves the hooks in the real Claude Code, offline (§5.2).
//
// A session is the real client in print mode, driven by stream-json (session.go), or in a
// terminal that tmux plays, driven by keys (terminal.go): the runner types prompts, and a
// scripted Messages API on 127.0.0.1 plays the model (model.go).
// What the model is sent is the evidence for what an agent would see; a file that a
// tool leaves behind is the evidence that the tool ran.
//
// Nothing outside a temporary folder is touched. A session's environment is built
// from nothing, with a temporary home and a key that is a word; on Linux it runs in
// namespaces of its own, where only lo is up, /tmp and /etc/claude-code are private and
// the home of whoever started the run is covered (isolate_linux.go). The runner refuses to
// start otherwise. A platform that has no namespaces separates nothing: there the runner says
// so, asks, and spares what is not its own (beside.go).
//
//	e2e [-bin DIR] [-run REGEXP]             the pinned version, installed with npm into .cache/client
//	e2e -claude PATH                         the client that is installed here
//	e2e -versions "V V" [-write FILE]        the matrix: rows and facts for several versions
//
// Rows (rows*.go) are about the product: each is a story with checks. Facts (facts*.go)
// are about the client alone, measured with hooks that are one line of shell; the page
// docs/CLIENT-CONTRACT.md is written from them. Exit 0 if every check passed, else 1.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"moirai/stresstest/realclient"
	"moirai/stresstest/rig"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == realclient.InsideArg {
		os.Exit(realclient.Inside(os.Args[2:]))
	}
	bin := flag.String("bin", "bin", "`folder` of the built hooks")
	only := flag.String("run", "", "run only the rows and facts whose name matches `regexp`")
	own := flag.String("claude", "", "the client at this `path`, or of this name in PATH, instead of the pinned one")
	versions := flag.String("versions", "", "run these `versions` of the client; default means the measured ones and the newest")
	write := flag.String("write", "", "write the contract page to this `file`")
	cache := flag.String("cache", ".cache/client", "`folder` that clients are installed into")
	live := flag.Bool("live", false, "this machine has no live sessions: do not ask where sessions cannot be isolated")
	parallel := flag.Int("parallel", runtime.NumCPU()+1, "`sessions` at a time")
	flag.Parse()
	began := time.Now()
	pick, err := regexp.Compile(*only)
	check(err)
	clients, err := clientsFor(*own, *versions, *cache)
	check(err)
	drivers, err := filepath.Abs(*cache)
	check(err)
	driven := driversFor(clients, drivers, pick)
	hooks, err := filepath.Abs(*bin)
	check(err)
	for _, name := range []string{"hades-gate", "hades-session-load", "operate"} {
		if _, err := os.Stat(filepath.Join(hooks, name)); err != nil {
			check(fmt.Errorf("%w: make build first", err))
		}
	}
	var docs *os.Root
	if *write != "" {
		docs, err = os.OpenRoot(filepath.Dir(*write))
		check(err)
	}
	var places []*realclient.Place
	var keep []string
	for _, c := range clients {
		for _, p := range c.Places() {
			places, keep = append(places, p), append(keep, p.Path)
		}
	}
	for _, d := range driven {
		for _, p := range d.Places() {
			places, keep = append(places, p), append(keep, p.Path)
		}
	}
	iso, err := rig.Enter(rig.Request{Hooks: hooks, Keep: keep, Loopback: true, KeepUser: true, Claims: []string{realMoirai}, Sparing: true})
	check(err)
	check(realclient.Enclose(iso, places))
	standing, err := besideLive(iso, *live)
	if err != nil {
		iso.Leave()
	}
	check(err)
	wired, err := realclient.Printed(iso.Hooks, iso.Scratch)
	check(err)
	e := &e2e{iso: iso, pick: pick, parallel: *parallel, wired: wired, matrix: *versions != "", standing: standing, driven: driven}
	fmt.Printf("private /tmp: %v   only lo: %v   hooks: %s\n", iso.PrivateTmp, iso.Loopback, hooks)
	var results []versionResult
	for _, c := range clients {
		results = append(results, e.rows(c))
	}
	if docs != nil {
		check(docs.WriteFile(filepath.Base(*write), []byte(page(results)), 0o644))
	}
	iso.Leave()
	fmt.Printf("\n%d skipped, %d lacking in an old version, %.0f s\n%d passed, %d failed\n", e.skipped, e.lacking, time.Since(began).Seconds(), e.passed, e.failed)
	if e.failed > 0 || e.passed == 0 {
		os.Exit(1)
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
}

// clientsFor finds or installs the clients that the flags ask for.
func clientsFor(own, versions, cache string) ([]*realclient.Client, error) {
	if own != "" {
		c, err := realclient.Own(own)
		return []*realclient.Client{c}, err
	}
	cache, err := filepath.Abs(cache)
	if err != nil {
		return nil, err
	}
	list := strings.Fields(versions)
	switch versions {
	case "":
		list = []string{realclient.Pinned}
	case "default":
		if list, err = realclient.DefaultVersions(); err != nil {
			return nil, err
		}
	}
	var out []*realclient.Client
	for _, v := range list {
		c, err := realclient.Install(cache, v)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// e2e is one run of the program.
type e2e struct {
	iso                     *rig.Isolation
	pick                    *regexp.Regexp
	wired                   realclient.Wirings
	matrix                  bool
	standing                map[string]bool
	driven                  map[*realclient.Driver]*realclient.Driving
	parallel                int
	passed, failed, skipped int
	lacking                 int
}

// rows plays every row with one client, several at a time, and prints them in order.
func (e *e2e) rows(c *realclient.Client) versionResult {
	result := versionResult{c.Version, make([][]fact, len(Rows)), make([]string, len(Rows)), make([][]lack, len(Rows))}
	fmt.Printf("\n===== Claude Code %s =====\n", c.Version)
	var group sync.WaitGroup
	slots := make(chan struct{}, e.parallel)
	var runs []*Run
	var ends []chan struct{}
	var picked []Row
	var at []int // the picked rows' places in Rows
	for i, row := range Rows {
		if !e.pick.MatchString(row.Name) || row.Matrix && !e.matrix {
			continue
		}
		at = append(at, i)
		r := &Run{client: c, bin: e.iso.Hooks, scratch: e.iso.Scratch, private: e.iso.PrivateTmp, wired: e.wired, matrix: e.matrix, slots: slots, standing: e.standing, driven: e.driven,
			dir: filepath.Join(e.iso.Scratch, c.Version, fmt.Sprint(len(runs)))}
		end := make(chan struct{})
		runs, ends, picked = append(runs, r), append(ends, end), append(picked, row)
		if r.skipped = skip(row, r); r.skipped != "" {
			close(end)
			continue
		}
	}
	group.Add(1)
	go func() {
		defer group.Done()
		for i, r := range runs {
			if r.skipped != "" {
				continue
			}
			group.Add(1)
			go func() {
				defer group.Done()
				defer close(ends[i])
				r.play(picked[i])
			}()
		}
	}()
	for i, r := range runs {
		<-ends[i]
		fmt.Printf("\n%s   (%.1f s)\n", picked[i].Name, r.took.Seconds())
		if r.skipped != "" {
			e.skipped++
			fmt.Printf("  skip  %s\n", r.skipped)
		}
		os.Stdout.Write(r.out.Bytes())
		e.passed += r.passed
		e.failed += r.failed
		e.lacking += len(r.lacking)
		result.facts[at[i]], result.rows[at[i]], result.lacking[at[i]] = r.facts, r.score(), r.lacking
	}
	group.Wait()
	return result
}

// score is the row's cell in the page.
func (r *Run) score() string {
	switch {
	case r.skipped != "":
		return r.skipped
	case r.failed > 0:
		return fmt.Sprintf("%d passed, **%d failed**", r.passed, r.failed)
	case len(r.lacking) > 0:
		return fmt.Sprintf("%d passed, %d lacking", r.passed, len(r.lacking))
	}
	return fmt.Sprintf("%d passed", r.passed)
}

func skip(row Row, r *Run) string {
	switch {
	case row.Alone && !r.private:
		return "needs a private /tmp and mounts, which this platform does not give"
	case row.Since != "" && !r.client.Since(row.Since):
		return row.Why
	case row.Driver != nil:
		return r.driven[row.Driver].Missing
	}
	return ""
}
