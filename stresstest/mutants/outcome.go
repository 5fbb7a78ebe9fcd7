package main

import (
	"fmt"
	"os"
	"strings"
)

// How a mutant ended.
type ending string

const (
	killed   ending = "killed"   // a case was red
	survived ending = "survived" // none was
	same     ending = "same"     // it is the same program
	notBuilt ending = "notBuilt" // it does not compile, so it cannot ship
	notRun   ending = "notRun"   // the time was up
)

type outcome struct {
	mutation
	end ending
	red string // that was red
}

func (o outcome) String() string {
	switch o.end {
	case killed:
		return o.mutation.String() + " → " + o.red
	case same:
		return o.mutation.String() + " → the same program"
	case notBuilt:
		return o.mutation.String() + " → does not compile"
	}
	return o.mutation.String() + " → " + strings.ToUpper(string(o.end))
}

// survivorsFile lists the mutations that no case can see: the key of one a
// line, or of several, and below them, indented, the reason.
const survivorsFile = "stresstest/mutants/survivors.txt"

// readSurvivors returns the listed keys with their reasons.
func readSurvivors(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	known := map[string]string{}
	var waiting []string // for their reason
	for i, line := range strings.Split(string(text), "\n") {
		switch {
		case strings.HasPrefix(line, "#"), strings.TrimSpace(line) == "":
		case strings.HasPrefix(line, "\t"):
			if waiting == nil {
				return nil, fmt.Errorf("%s:%d: a reason without a mutation", path, i+1)
			}
			for _, key := range waiting {
				known[key] = strings.TrimSpace(line)
			}
			waiting = nil
		default:
			if _, twice := known[line]; twice {
				return nil, fmt.Errorf("%s:%d: listed twice", path, i+1)
			}
			waiting = append(waiting, line)
		}
	}
	if waiting != nil {
		return nil, fmt.Errorf("%s: %q has no reason", path, waiting[0])
	}
	return known, nil
}

// judge compares what survived with what is listed, and prints the score.
func judge(all []mutation, outcomes []outcome, known map[string]string) (clean bool) {
	clean = true
	count := map[ending]int{}
	fail := func(format string, args ...any) {
		clean = false
		fmt.Printf(format+"\n", args...)
	}
	exists := map[string]bool{}
	for _, m := range all {
		exists[m.key()] = true
	}
	for key := range known {
		if !exists[key] {
			fail("LISTED, but no mutation of the source: take it out of %s\n  %s", survivorsFile, key)
		}
	}
	explained := 0
	for _, o := range outcomes {
		count[o.end]++
		_, listed := known[o.key()]
		switch {
		case o.end == survived && listed:
			explained++
		case o.end == survived:
			fail("SURVIVED and not listed: write the case that sees it, or the reason why none can into %s\n  %s\n  %s", survivorsFile, o, o.key())
		case listed && o.end != notRun:
			fail("LISTED as a survivor, but it is not one: take it out of %s\n  %s", survivorsFile, o)
		}
	}
	fmt.Printf("%d mutants: %d killed, %d survived (%d of them listed with the reason), %d the same program, %d do not compile, %d not run\n",
		len(outcomes), count[killed], count[survived], explained, count[same], count[notBuilt], count[notRun])
	return clean
}
