package main

import (
	"fmt"
	"os"
	"slices"
)

// everyFault is the table, class by class.
func everyFault() []fault {
	var all []fault
	for _, c := range []struct {
		name   string
		faults []fault
	}{
		{"stdin", onStdin}, {"streams", onStreams}, {"token file", onTokenFile}, {"token dir", onTokenDir}, {"process", onProcess}, {"required", onRequired},
	} {
		for _, f := range c.faults {
			f.class = c.name
			all = append(all, f)
		}
	}
	return all
}

var everyKind = []int{loader, blocked, allowed, start, read, compact}

// faults runs the table itself.
func (b *bench) faults(t *tally) {
	chosen := slices.DeleteFunc(everyFault(), func(f fault) bool { return !t.wants(f.class + ": " + f.name) })
	if len(chosen) == 0 {
		return
	}
	rows := append([]*row{b.baseline()}, b.matrix(chosen, append(slices.Clone(everyKind), again))...)
	printTable(os.Stdout, "Each fault on each kind of call: exit code, condition, longest time", rows)
	t.rows(rows)
	t.lacking = append(t.lacking, beyond...)
}

// pairs runs two faults at once.
func (b *bench) pairs(t *tally) {
	chosen := slices.DeleteFunc(pairs(everyFault()), func(f fault) bool { return !t.wants(f.class + ": " + f.name) })
	on := []int{blocked, allowed}
	if b.full {
		on = everyKind
	}
	if len(chosen) == 0 {
		return
	}
	// The few that are chosen by hand meet every kind.
	byHand := slices.DeleteFunc(slices.Clone(chosen), func(f fault) bool { return !f.slow })
	rows := append(b.matrix(slices.DeleteFunc(chosen, func(f fault) bool { return f.slow }), on), b.matrix(byHand, everyKind)...)
	t.rows(rows)
	fmt.Printf("\nPairs of faults: %d pairs, %d of them on every kind of call, the others on %d\n", len(rows), len(byHand), len(on))
}
