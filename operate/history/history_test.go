package history

import (
	"fmt"
	"testing"

	"moirai/moiraicore"
)

// rests are what follows the time of a line: records, and what is none.
var rests = []string{
	" START_ACK UserPromptSubmit main",
	" START_ACK Skill agent-1 ",
	" CONTEXT_ACK SessionStart main /a b/constellation-hades/CONTEXT.md",
	" ALL_ACK SessionStart main /ä",
	" START_ACK Skill",
	" START_ACK  main",
	" START_ACK Skill main \x7f",
	" START_ACK Skill main \u0085",
	"  START_ACK Skill main",
	" ", "", "\t", "0 START_ACK Skill main",
}

// times are of any length, and what is none.
var times = []string{"1700000000", "1800000001", "0000000007", "170000000", "17000000001", "-170000000", "+170000000",
	"1_00000000", "170000000x", "0x11111111", "1700000000000000000", "99999999999999999999", " 170000000", "", "٣٣٣٣٣"}

// TestRecord: a record that was not parsed again is the one that moiraicore would
// parse, whatever the reader knows already.
func TestRecord(t *testing.T) {
	var r Reader
	for range 2 {
		for _, rest := range rests {
			for _, at := range times {
				line := at + rest
				want, wantErr := moiraicore.ParseRecord(line)
				got, err := r.record([]byte(line))
				if fmt.Sprint(err) != fmt.Sprint(wantErr) || err == nil && got != want {
					t.Errorf("%q: %v, %v and not %v, %v", line, got, err, want, wantErr)
				}
			}
		}
	}
}

// TestKnown: what the reader remembers has a bound.
func TestKnown(t *testing.T) {
	var r Reader
	for i := range 3 * maxKnown {
		want := moiraicore.Record{Time: 1_700_000_000, Marker: moiraicore.Start, Tool: moiraicore.ToolSkill, Agent: fmt.Sprint("a", i)}
		if got, err := r.record([]byte(want.String())); err != nil || got != want || len(r.known) > maxKnown {
			t.Fatalf("%d: %v, %v, %d known", i, got, err, len(r.known))
		}
	}
}
