package main

import (
	"errors"
	"fmt"
	"strings"

	"moirai/stresstest/rig"
)

// The kinds of hook call that every fault meets, in the order of the columns.
const (
	loader = iota
	blocked
	allowed
	start
	read
	compact
	kinds                // the columns of the table
	voided   = kinds     // blocked as well, by a void far back in a long token file
	again    = kinds + 1 // a start of a session that was loaded and started
	allKinds = kinds + 2
)

// kind is one hook call: what is wired, what it gets, what stands before it.
type kind struct {
	name    string
	hook    string
	payload func(s rig.Session, root string) []byte
	// have lists the records that stand before: markers 1–3 by index, 3 is
	// START_ACK, 4 a compaction's void behind 32 KiB of records that mean nothing.
	// None at all: there is no token file.
	have []int
	// guarded: the wiring answers for a hook that a signal ends (D15).
	guarded bool
	// normal is how the call ends without a fault, in the letters of fault.want.
	normal byte
}

var theKinds = [allKinds]kind{
	{"loader", "hades-session-load", func(s rig.Session, _ string) []byte { return s.SessionStart("startup") }, nil, false, '0'},
	{"gate blocked", "hades-gate", func(s rig.Session, _ string) []byte { return s.Bash() }, []int{0, 1, 2}, true, 'B'},
	{"gate allowed", "hades-gate", func(s rig.Session, _ string) []byte { return s.Bash() }, []int{0, 1, 2, 3}, true, '0'},
	{"/start", "hades-gate", func(s rig.Session, _ string) []byte { return s.Prompt("/start") }, nil, false, '0'},
	{"required Read", "hades-gate", func(s rig.Session, root string) []byte {
		return s.PostRead(root+"/"+rig.Required[2], contents[2])
	}, []int{0, 1, 3}, false, '0'},
	{"compaction", "hades-gate", func(s rig.Session, _ string) []byte { return s.PreCompact("auto") }, []int{0, 1, 2, 3}, true, '0'},
	{"blocked by void", "hades-gate", func(s rig.Session, _ string) []byte { return s.Bash() }, []int{0, 1, 2, 3, 4}, true, 'B'},
	{"second start", "hades-session-load", func(s rig.Session, _ string) []byte { return s.SessionStart("startup") }, []int{0, 1, 2, 3}, false, '0'},
}

// contents is what the required files of every scene hold before a fault.
var contents = rig.SmallContents()

// records is a token file as the hooks write it, with the markers of have.
func records(have []int, root string) string {
	var b strings.Builder
	for _, i := range have {
		switch i {
		case 3:
			b.WriteString("1700000100 START_ACK UserPromptSubmit main\n")
			continue
		case 4:
			// Lines end where a buffer may end, so that a read cut short there looks whole.
			b.WriteString(padding(b.Len(), 32<<10) + "1700000200 LOAD_VOID PreCompact main\n")
			continue
		}
		fmt.Fprintf(&b, "1700000000 %s SessionStart main %s/%s\n", rig.Markers[i], root, rig.Required[i])
	}
	return b.String()
}

// state is what a token file says to a call of the main agent, at the prompt that every
// payload here has.
type state struct {
	acked   [3]bool
	started bool
}

func (s state) loaded() bool { return s.acked == [3]bool{true, true, true} }
func (s state) open() bool   { return s.loaded() && s.started }

// understand reads a token file as seen from root.
func understand(token, root string) (state, error) {
	if token == "" {
		return state{}, errors.New("empty")
	}
	f := newFold(root)
	for n, line := range strings.Split(strings.TrimSuffix(token, "\n"), "\n") {
		r, err := fields(line)
		if err != nil {
			return state{}, fmt.Errorf("line %d %w", n+1, err)
		}
		f.add(r)
	}
	return state{f.acked("main@" + rig.Session{}.PromptID()), f.started}, nil
}
