package main

import (
	"errors"
	"fmt"
	"regexp"
)

// tally counts what was run, and keeps every bad cell and all that is lacking.
type tally struct {
	pattern *regexp.Regexp
	runs    int
	passed  int
	failed  []string
	lacking []string
}

// wants tells whether -run asks for it.
func (t *tally) wants(name string) bool { return t.pattern.MatchString(name) }

// add counts a cell.
func (t *tally) add(name string, c *cell) {
	t.runs += c.runs
	if len(c.bad) == 0 {
		t.passed++
		return
	}
	for _, why := range c.bad {
		t.failed = append(t.failed, name+": "+why)
	}
}

// rows counts the cells of a table.
func (t *tally) rows(rows []*row) {
	for _, r := range rows {
		if r.lacks != "" {
			t.lacking = append(t.lacking, r.class+": "+r.name+": "+r.lacks)
			continue
		}
		for k, c := range r.cells {
			if c != nil {
				t.add(r.class+": "+r.name+" × "+theKinds[k].name, c)
			}
		}
	}
}

// end prints the sum.
func (t *tally) end() error {
	for _, l := range t.lacking {
		fmt.Println("LACKING", l)
	}
	for _, f := range t.failed {
		fmt.Println("BAD", f)
	}
	fmt.Printf("%d runs\n%d passed, %d failed\n", t.runs, t.passed, len(t.failed))
	if len(t.failed) > 0 {
		return errors.New("not every fault ends closed")
	}
	if t.passed == 0 {
		return errors.New("nothing was run")
	}
	return nil
}
