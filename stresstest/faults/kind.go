package main

import (
	"errors"
	"fmt"
	"slices"
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
	kinds            // the columns of the table
	voided   = kinds // blocked as well, by a void far back in a long token file
	allKinds = kinds + 1
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

// state is what a token file says: our own reading of §4.5 and D5, which shares no
// code with the hooks, so that a mistake there does not hide itself here.
type state struct {
	acked   [3]bool
	started bool
	voided  bool
}

func (s state) loaded() bool { return s.acked == [3]bool{true, true, true} }
func (s state) open() bool   { return s.loaded() && s.started }

// understand reads a token file as seen from root. It covers loads of one page.
func understand(token, root string) (state, error) {
	var s state
	if token == "" {
		return s, errors.New("empty")
	}
	for n, line := range strings.Split(strings.TrimSuffix(token, "\n"), "\n") {
		f := strings.SplitN(line, " ", 5)
		bad := func(r rune) bool { return r < 0x20 || 0x7f <= r && r < 0xa0 }
		if len(f) < 4 || slices.Contains(f[:4], "") || strings.Trim(f[0], "0123456789") != "" || strings.ContainsFunc(line, bad) {
			return s, fmt.Errorf("line %d is corrupt", n+1)
		}
		path := ""
		if len(f) == 5 {
			path = f[4]
		}
		switch i := slices.Index(rig.Markers[:], f[1]); {
		case f[1] == "START_ACK":
			s.started = true
		case f[1] == "LOAD_VOID":
			s.acked, s.voided = [3]bool{}, true
		case i >= 0:
			s.voided = false
			if path == root+"/"+rig.Required[i] {
				s.acked[i] = true
			}
		}
	}
	return s, nil
}
