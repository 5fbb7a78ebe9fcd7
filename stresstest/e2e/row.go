package main

import (
	"bytes"
	"fmt"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"moirai/stresstest/realclient"
)

// A Row is one story that is played in the real client. Its checks are what counts.
type Row struct {
	Name   string
	Since  string             // first version in which the client can play it; empty: all
	Why    string             // why older versions cannot
	Alone  bool               // needs what only a private /tmp and mounts give
	Matrix bool               // played only in a matrix of versions
	Driver *realclient.Driver // drives the client in this row
	Play   func(*Run)
}

// Run is one play of a row with one client.
type Run struct {
	client  *realclient.Client
	bin     string
	scratch string
	dir     string
	private bool
	wired   realclient.Wirings
	matrix  bool
	slots   chan struct{} // one for each session that may run at a time
	// standing are the token files that were there before the run, where /tmp is the real one.
	standing map[string]bool
	driven   map[*realclient.Driver]*realclient.Driving

	mu             sync.Mutex
	out            bytes.Buffer
	passed, failed int
	lacking        []lack
	skipped        string
	worlds         []*World
	seen           []string // ids of its sessions
	facts          []fact
	took           time.Duration
}

// Check prints a claim with what was seen, and counts it.
func (r *Run) Check(claim string, ok bool, evidence ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	mark, lines, width := "ok  ", 6, 180
	if ok {
		r.passed++
	} else {
		r.failed++
		mark, lines, width = "FAIL", 80, 2000
	}
	fmt.Fprintf(&r.out, "  %s  %s\n", mark, claim)
	r.showAll(evidence, lines, width)
	if !ok {
		r.showScreens(lines, width)
	}
}

var blankLines = regexp.MustCompile(`\n(?:[ ─]*\n)+`)

// showScreens keeps what the terminals of a row show when something has failed.
func (r *Run) showScreens(lines, width int) {
	for _, w := range r.worlds {
		if t, ok := w.open.(*Terminal); ok && !t.ended {
			fmt.Fprintf(&r.out, "        screen:\n")
			r.show(blankLines.ReplaceAllString(t.Screen(), "\n"), lines, width)
		}
	}
}

func (r *Run) showAll(evidence []any, lines, width int) {
	for _, e := range evidence {
		if list, ok := e.([]Result); ok {
			for _, x := range list {
				r.show(x.String(), lines, width)
			}
			continue
		}
		r.show(fmt.Sprint(e), lines, width)
	}
}

// A lack is a check that a version of the client fails, for a reason of its own.
type lack struct{ claim, since, why string }

// CheckSince is a check that holds from a version of the client on. An older one
// that fails it is not failed by the hooks: it lacks what they build on, and is
// listed with the reason.
func (r *Run) CheckSince(version, why, claim string, ok bool, evidence ...any) {
	if ok || r.client.Since(version) {
		r.Check(claim, ok, evidence...)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lacking = append(r.lacking, lack{claim, version, why})
	fmt.Fprintf(&r.out, "  lack  %s (since %s: %s)\n", claim, version, why)
	r.showAll(evidence, 6, 180)
}

// show prints evidence, cut to some lines of some length.
func (r *Run) show(text string, lines, width int) {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		text = "(empty)"
	}
	all := strings.Split(text, "\n")
	for i, l := range all {
		if i == lines {
			fmt.Fprintf(&r.out, "        | … %d more lines\n", len(all)-lines)
			return
		}
		if u := []rune(l); len(u) > width {
			l = string(u[:width]) + "…"
		}
		fmt.Fprintf(&r.out, "        | %s\n", l)
	}
}

// A fact is something that was measured about the client alone.
type fact struct {
	name, value string
	relied      bool // the product stands or falls with it
	lacking     bool // and this old version does not give it
}

// Fact records what was measured. With relied it is a check: the product copes
// with these values and with no others.
func (r *Run) Fact(name, value string, relied ...string) {
	r.FactSince("", "", name, value, relied...)
}

// FactSince is a fact that the product relies on from a version of the client on.
func (r *Run) FactSince(version, why, name, value string, relied ...string) {
	copes := len(relied) == 0 || slices.Contains(relied, value)
	old := version != "" && !r.client.Since(version)
	r.mu.Lock()
	r.facts = append(r.facts, fact{name, value, len(relied) > 0, !copes && old})
	r.mu.Unlock()
	if !copes && old {
		r.CheckSince(version, why, name+": "+strings.Join(relied, " or "), false, "it is: "+value)
		return
	}
	if len(relied) == 0 {
		r.Note("fact  %s: %s", name, value)
		return
	}
	if slices.Contains(relied, value) {
		r.Check(name+": "+value, true)
		return
	}
	r.Check(name+": "+value, false, "the product relies on: "+strings.Join(relied, " or "))
}

// fact records what a check of its own judges.
func (r *Run) fact(name, value string, lacking bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.facts = append(r.facts, fact{name, value, true, lacking})
}

// Note prints something that is not counted.
func (r *Run) Note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(&r.out, "        "+format+"\n", args...)
}

// saw notes the id of a session of the row.
func (r *Run) saw(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.seen) == 0 || r.seen[len(r.seen)-1] != id {
		r.seen = append(r.seen, id)
	}
}

// stop ends a row that cannot go on.
type stop struct{ err error }

func (r *Run) must(err error) {
	if err != nil {
		panic(stop{err})
	}
}

// atOnce calls f(0) to f(n-1) at the same time. A call that stops stops the row.
func (r *Run) atOnce(n int, f func(i int)) {
	var group sync.WaitGroup
	stops := make([]any, n)
	for i := range n {
		group.Add(1)
		go func() {
			defer group.Done()
			defer func() { stops[i] = recover() }()
			f(i)
		}()
	}
	group.Wait()
	for _, s := range stops {
		if s != nil {
			panic(s)
		}
	}
}

// play runs the row to its end, whatever happens.
func (r *Run) play(row Row) {
	began := time.Now()
	defer func() {
		p := recover()
		defer func() {
			for _, w := range r.worlds {
				w.close()
			}
			r.removeTokens()
			r.took = time.Since(began)
		}()
		if s, ok := p.(stop); ok {
			r.Check("the row can be played to its end", false, s.err)
		} else if p != nil {
			r.Check("the row can be played to its end", false, p, string(debug.Stack()))
		}
	}()
	row.Play(r)
}
