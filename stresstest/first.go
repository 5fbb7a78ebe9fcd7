package main

import (
	"errors"
	"fmt"
	"regexp"
	"sync"
)

// With -first the table is a question about two hooks that may be broken on
// purpose (make mutants): is any case red? The likely cases are asked first, the
// cheap ones next, those that wait for seconds last, and the first red one ends it.

var errNotPrivate = errors.New("-first runs hooks that are broken on purpose, and only where /tmp is private: ")

// quest is the order in which the cases are asked.
type quest struct {
	h       *harness
	asked   int
	mu      sync.Mutex
	red     *testCase
	why     error
	skipped int
}

// askFirst runs the cases until one is red, and tells whether none was.
func (h *harness) askFirst(cases []*testCase, ahead *regexp.Regexp) (bool, error) {
	if !h.iso.PrivateTmp {
		return false, fmt.Errorf("%w%s", errNotPrivate, h.iso.Refused)
	}
	q := &quest{h: h}
	var likely, ordinary, single, slow, slowSingle []*testCase
	for _, c := range cases {
		lone := c.needs.has(alone) || c.needs.has(crowd)
		switch {
		case ahead.String() != "" && ahead.MatchString(c.fullName()):
			likely = append(likely, c)
		case c.needs.has(patient) && lone:
			slowSingle = append(slowSingle, c)
		case c.needs.has(patient):
			slow = append(slow, c)
		case lone:
			single = append(single, c)
		default:
			ordinary = append(ordinary, c)
		}
	}
	q.ask(1, likely)
	q.ask(atOnce, ordinary)
	q.ask(1, single)
	q.ask(len(slow), slow)
	q.ask(1, slowSingle)
	if q.red != nil {
		fmt.Fprintf(h.out, "RED %s\n  %v\n", q.red.fullName(), q.why)
		return false, nil
	}
	fmt.Fprintf(h.out, "%d cases, none red, %d skipped\n", len(cases), q.skipped)
	return true, nil
}

// ask runs the cases, so many beside each other. One that runs is not left
// behind: what it started would outlive us.
func (q *quest) ask(beside int, cases []*testCase) {
	var waiting sync.WaitGroup
	slots := make(chan struct{}, max(1, beside))
	for _, c := range cases {
		slots <- struct{}{}
		if q.done() {
			break
		}
		q.asked++
		n := q.asked
		waiting.Add(1)
		go func() {
			defer waiting.Done()
			defer func() { <-slots }()
			q.judge(c, q.h.runCase(n, c))
		}()
	}
	waiting.Wait()
}

func (q *quest) done() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.red != nil
}

func (q *quest) judge(c *testCase, r result) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if r.skipped != "" {
		q.skipped++
	}
	if r.err != nil && q.red == nil {
		q.red, q.why = c, r.err
	}
}
