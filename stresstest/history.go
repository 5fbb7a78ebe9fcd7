package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"moirai/stresstest/rig"
)

// mixed runs calls of every kind at once on one session and then judges the
// whole history: the token file is a sequence of records, each call must have
// seen or made a state that some prefix of that sequence explains, and a call
// that began after another ended must not be explained by a shorter prefix.
type mixed struct{ calls, pages, wide int }

// event is one call of the history and what it saw.
type event struct {
	kind       string
	began, end time.Time
	result     rig.Result
	cmd        rig.Command
}

func (m mixed) do(s *scene) error {
	events := make([]event, m.calls)
	for i := range events {
		c, kind := m.pick()
		cmd, err := c.command(s)
		if err != nil {
			return err
		}
		events[i] = event{kind: kind, cmd: cmd}
	}
	var group sync.WaitGroup
	slots := make(chan struct{}, m.wide)
	errs := make([]error, len(events))
	for i := range events {
		slots <- struct{}{}
		group.Add(1)
		go func() {
			defer group.Done()
			e := &events[i]
			e.began = time.Now()
			e.result, errs[i] = e.cmd.Run()
			e.end = time.Now()
			<-slots
		}()
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	states, err := m.states(s)
	if err != nil {
		return err
	}
	return explain(events, states)
}

// pick draws a call: half of them read, the others write.
func (m mixed) pick() (call, string) {
	switch n := rand.IntN(20); {
	case n < 9:
		return gate(bash), "read"
	case n < 14:
		k := 1 + rand.IntN(m.pages)
		if m.pages == 1 {
			return loader(prompt("go on")), "load"
		}
		return loader(prompt("go on"), fmt.Sprintf("%d/%d", k, m.pages)), "page"
	case n < 15:
		return start(), "start"
	case n < 16:
		return gate(skill("start")), "start"
	case n < 18 && m.pages == 1:
		return gate(shown(rand.IntN(3))), "shown"
	case n < 18:
		return gate(bash), "read"
	}
	return gate(compact("auto")), "void"
}

// state is what the records up to one point say.
type state struct {
	marks string // as in a checklist
	void  bool   // the last thing that happened to the load is a void
}

// states parses the token file, refuses lost, torn and doubled lines, and
// returns the state after each prefix.
func (m mixed) states(s *scene) ([]state, error) {
	data, err := os.ReadFile(s.token())
	if err != nil {
		return nil, err
	}
	text, ended := strings.CutSuffix(string(data), "\n")
	if !ended {
		return nil, fmt.Errorf("the token file ends in a torn line:\n%s", data)
	}
	known := map[string]int{}
	for i, line := range promptedLines {
		known[s.expand(line)] = i
		known[s.expand(readLine(i))] = i
	}
	states := []state{{marks: "____"}}
	receipts := map[string]bool{}
	for n, line := range strings.Split(text, "\n") {
		record, err := s.fresh(line)
		if err != nil {
			return nil, err
		}
		last := states[len(states)-1]
		marks := []byte(last.marks)
		i, isMark := known[record]
		switch {
		case record == voidLine && !last.void:
			marks = []byte("___" + string(marks[3]))
			clear(receipts)
		case (record == typedStart || record == skillStart) && marks[3] == '_':
			marks[3] = 'x'
		case isMark && marks[i] == '_' && m.mayMark(receipts):
			marks[i] = 'x'
		case m.pages > 1 && strings.HasPrefix(record, "PAGE_") && !receipts[record]:
			receipts[record] = true
		default:
			return nil, fmt.Errorf("line %d of the token file is doubled, torn or not earned: %q in\n%s", n+1, line, data)
		}
		void := record == voidLine || last.void && strings.HasPrefix(record, "START_ACK")
		states = append(states, state{string(marks), void})
	}
	return states, nil
}

// mayMark: with pages, markers come only with the last receipt.
func (m mixed) mayMark(receipts map[string]bool) bool {
	return m.pages == 1 || len(receipts) == m.pages
}

// explain assigns to every call the shortest prefix that explains it and is no
// shorter than that of any call that had ended before it began.
func explain(events []event, states []state) error {
	slices.SortFunc(events, func(a, b event) int { return a.began.Compare(b.began) })
	at := make([]int, len(events))
	for i := range events {
		least := 0
		for j := range i {
			if events[j].end.Before(events[i].began) {
				least = max(least, at[j])
			}
		}
		found := -1
		for p := least; p < len(states) && found < 0; p++ {
			if events[i].explainedBy(states[p]) {
				found = p
			}
		}
		if found < 0 {
			return fmt.Errorf("no order of the writes explains a %s that follows %d records:\n%s", events[i].kind, least, describe(events[i].cmd, events[i].result))
		}
		at[i] = found
	}
	return nil
}

// explainedBy tells whether the call could have read, or left, this state.
func (e event) explainedBy(st state) bool {
	switch e.kind {
	case "read":
		if e.result.Code == 0 {
			return st.marks == "xxxx" && e.result.Stderr == ""
		}
		return e.result.Code == 2 && st.marks != "xxxx" && strings.Contains(e.result.Stderr, checklist(st.marks))
	case "load":
		// A compaction may come between the page and its record: then nothing is earned.
		return e.result.Code == 0 && e.result.Stderr == "" && (st.marks[:3] == "xxx" || strings.Contains(e.result.Stdout, "has ended meanwhile"))
	case "start":
		return e.result.Code == 0 && e.result.Stderr == "" && st.marks[3] == 'x'
	case "void":
		return e.result.Code == 0 && e.result.Stderr == ""
	}
	return e.result.Code == 0 && e.result.Stderr == "" // a page, or a Read that was shown
}

// eachOnce: every marker stands exactly once.
type eachOnce struct{}

func (eachOnce) do(s *scene) error {
	data, err := os.ReadFile(s.token())
	if err != nil {
		return err
	}
	for _, marker := range append(rig.Markers[:], "START_ACK") {
		if n := strings.Count(string(data), " "+marker+" "); n != 1 {
			return fmt.Errorf("expected %s once, got %d times in\n%s", marker, n, data)
		}
	}
	if n := strings.Count(string(data), "\n"); n != 4 {
		return fmt.Errorf("expected 4 lines, got\n%s", data)
	}
	return nil
}
