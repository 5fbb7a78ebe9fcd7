package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"moirai/stresstest/rig"
)

// atOnce is how many ordinary cases run beside each other.
const atOnce = 4

// harness runs the cases and keeps the score.
type harness struct {
	iso     *rig.Isolation
	verbose bool
	out     io.Writer

	mu   sync.Mutex
	done int
}

// result is how one case ended.
type result struct {
	err     error
	skipped string
	took    time.Duration
	log     string
}

func (h *harness) hooks() string { return h.iso.Hooks }

// describe says what is isolated from the machine and what is not.
func (h *harness) describe() {
	tmp := "private: an empty file system that only this run sees"
	if !h.iso.PrivateTmp {
		tmp = "NOT private (" + h.iso.Refused + ")"
		if h.iso.PutAside {
			tmp += "; -live: what lies in " + tokenParent + " is put aside until the end"
		}
	}
	fmt.Fprintf(h.out, "hooks   %s\n/tmp    %s\nuid     %d, mode bits hold: %v, files of another uid: %v\n\n",
		h.hooks(), tmp, os.Geteuid(), h.iso.Unprivileged, h.canBeForeign())
}

// canBeForeign: files can be given away, or another owner's can be bound in.
func (h *harness) canBeForeign() bool { return h.iso.Foreign || h.iso.PrivateTmp }

// lacks says why a case cannot run here, or nothing.
func (h *harness) lacks(n needs) string {
	switch {
	case n.has(linux) && runtime.GOOS != "linux":
		return "only Linux has this"
	case n.has(alone) && !h.iso.PrivateTmp && !h.iso.PutAside:
		return "would disturb live sessions, and /tmp is not private: " + h.iso.Refused
	case n.has(mount) && !h.iso.PrivateTmp:
		return "cannot mount: " + h.iso.Refused
	case n.has(modeBits) && !h.iso.Unprivileged:
		return "root ignores mode bits, and no other uid could be taken: " + h.iso.Refused
	case n.has(foreign) && !h.canBeForeign():
		return "no file of another uid can be made: " + h.iso.Refused
	}
	return ""
}

// judge runs the cases and reports; it tells whether all passed.
func (h *harness) judge(cases []*testCase) bool {
	began := time.Now()
	results := make([]result, len(cases))
	var waiting sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	begin := func(i int, hold bool) {
		waiting.Add(1)
		if hold {
			slots <- struct{}{}
		}
		go func() {
			defer waiting.Done()
			results[i] = h.runCase(i, cases[i])
			h.progress(len(cases))
			if hold {
				<-slots
			}
		}()
	}
	for i, c := range cases {
		if c.needs.has(patient) && !c.needs.has(alone) {
			begin(i, false)
		}
	}
	for i, c := range cases {
		if !c.needs.has(patient) && !c.needs.has(alone) && !c.needs.has(crowd) {
			begin(i, true)
		}
	}
	waiting.Wait()
	for i, c := range cases {
		if c.needs.has(alone) || c.needs.has(crowd) && !c.needs.has(patient) {
			results[i] = h.runCase(i, c)
			h.progress(len(cases))
		}
	}
	return h.report(cases, results, time.Since(began))
}

func (h *harness) progress(total int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.done++
	if h.done%50 == 0 || h.done == total {
		fmt.Fprintf(os.Stderr, "… %d of %d cases run\n", h.done, total)
	}
}

// runCase runs one case on a stage of its own.
func (h *harness) runCase(n int, c *testCase) (r result) {
	if r.skipped = h.lacks(c.needs); r.skipped != "" {
		return r
	}
	began := time.Now()
	defer func() {
		r.took = time.Since(began)
		if p := recover(); p != nil {
			r.err = fmt.Errorf("the case itself panicked: %v", p)
		}
	}()
	if c.needs.has(alone) {
		// What was there before is not in our way: /tmp is private, or it was put aside.
		if err := clearTokens(); err != nil {
			return result{err: err}
		}
		defer func() { r.err = errors.Join(r.err, clearTokens()) }()
	}
	s, err := newScene(h, n)
	if err != nil {
		return result{err: err}
	}
	for i, st := range c.steps {
		if err := st.do(s); err != nil {
			r.err = fmt.Errorf("step %d: %w", i+1, err)
			break
		}
	}
	if err := s.end(); err != nil {
		r.err = errors.Join(r.err, fmt.Errorf("cleaning up: %w", err))
	}
	r.log = s.log.String()
	return r
}

// clearTokens removes the token directory, whatever its mode bits are.
func clearTokens() error {
	filepath.WalkDir(tokenParent, func(path string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(tokenParent)
}

// report prints the table, the failures and the score.
func (h *harness) report(cases []*testCase, results []result, took time.Duration) bool {
	passed, failed, skipped := 0, 0, 0
	class := ""
	for i, c := range cases {
		if c.class != class {
			class = c.class
			fmt.Fprintf(h.out, "%s\n", class)
		}
		r := results[i]
		mark := "ok  "
		switch {
		case r.skipped != "":
			mark = "skip"
			skipped++
		case r.err != nil:
			mark = "FAIL"
			failed++
		default:
			passed++
		}
		fmt.Fprintf(h.out, "  %s %8.1f ms  %s\n", mark, ms(r.took), c.name)
		if r.skipped != "" {
			fmt.Fprintf(h.out, "                    skipped: %s\n", r.skipped)
		}
		if h.verbose && r.log != "" {
			fmt.Fprintln(h.out, strings.TrimRight(r.log, "\n"))
		}
	}
	for i, c := range cases {
		if results[i].err != nil {
			fmt.Fprintf(h.out, "\nFAIL %s\n  %v\n", c.fullName(), results[i].err)
		}
	}
	fmt.Fprintf(h.out, "\n%d cases in %.1f s\n%d passed, %d failed", len(cases), took.Seconds(), passed, failed)
	if skipped > 0 {
		fmt.Fprintf(h.out, ", %d skipped", skipped)
	}
	fmt.Fprintln(h.out)
	return failed == 0
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
