package moiraicore

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Record is one line of a token file (§4.5, D5):
//
//	<unix seconds> <marker> <tool> <agent_id> <path>
//
// The path is the rest of the line, may hold spaces, may be empty or absent.
type Record struct {
	Time                      int64
	Marker, Tool, Agent, Path string
}

// ParseRecord reads one line without its newline. Any control character, a
// missing field or a time that is no whole number from 0 to 2^63-1 is an error (D5).
func ParseRecord(line string) (r Record, err error) {
	if strings.ContainsFunc(line, unicode.IsControl) {
		return r, errors.New("a control character")
	}
	stamp, rest, _ := strings.Cut(line, " ")
	r.Marker, rest, _ = strings.Cut(rest, " ")
	r.Tool, rest, _ = strings.Cut(rest, " ")
	r.Agent, r.Path, _ = strings.Cut(rest, " ")
	seconds, err := strconv.ParseUint(stamp, 10, 63)
	if err != nil {
		return r, errors.New("the first field is not a time in seconds")
	}
	if r.Marker == "" || r.Tool == "" || r.Agent == "" {
		return r, errors.New("fewer than four fields")
	}
	r.Time = int64(seconds)
	return r, nil
}

// String is the line of the record without its newline, with no blank at the
// end where there is no path.
func (r Record) String() string {
	line := strconv.FormatInt(r.Time, 10) + " " + r.Marker + " " + r.Tool + " " + r.Agent
	if r.Path == "" {
		return line
	}
	return line + " " + r.Path
}

// ParsePage reads the marker of a receipt: page k of m went out (D7).
func ParsePage(marker string) (k, m int, ok bool) { return pageOf(pageMarker, marker) }

// ParseArgument reads the loader's argument: it is the k-th of n wired (D7).
func ParseArgument(arg string) (k, n int, ok bool) { return pageOf(pageArgument, arg) }

// pageOf reads two numbers, 1 <= k <= m <= MaxPages, written as form writes them.
func pageOf(form, text string) (k, m int, ok bool) {
	if len(text) > len(form) { // two digits each at most
		return 0, 0, false
	}
	_, err := fmt.Sscanf(text, form, &k, &m)
	return k, m, err == nil && 1 <= k && k <= m && m <= MaxPages && fmt.Sprintf(form, k, m) == text
}

// Load is what the records of one session say together, seen from one root and by
// one agent.
type Load struct {
	Exists  bool                // there is a token file
	Acked   [len(Required)]bool // the marker of each required file counts
	Started bool                // START_ACK stands; bound to no path
	Ended   string              // the marker that ended what stood, if no load followed it
	Earlier bool                // the rules were delivered at another prompt, or shown there
	Other   string              // another root that a marker stands for
	Last    Pages               // whose receipt came last
	Context int                 // how often something ended what stood before it

	root, viewer string
	rooted       [len(Required)]bool // acked by a load at the root of the context
	receipts     map[Pages]uint64    // bit k-1: page k went out
	opened       string              // event and marker of the loaders that ran last
	ran          map[string]bool     // which of them ran
	size         int64               // of the token file, in bytes
	torn         bool                // its last line lacks the newline
}

// newLoad is an empty Load, seen from root by viewer: an agent_id, or the main agent
// at a prompt (Payload.AtPrompt).
func newLoad(root, viewer string) *Load {
	l := &Load{root: root, viewer: viewer}
	l.end(New)
	l.Ended = ""
	return l
}

// Pages is one load of M pages; Digest names the content (D7), and Agent to whom it
// went: "main" at the root of the context, else the main agent at a prompt (D24).
type Pages struct {
	M             int
	Digest, Agent string
}

// Add folds the next record in. Markers 1–3 count for the required file under our
// root. They and receipts count only after the record that last ended the load (D5,
// D8, D20). An unknown marker is ignored.
func (l *Load) Add(r Record) {
	switch r.Marker {
	case Start:
		l.Started = true
		l.done()
		return
	case New, Resumed, Void:
		l.run(r)
		return
	}
	for i, req := range Required {
		if r.Marker == req.Marker {
			l.ack(i, r)
			return
		}
	}
	if k, m, ok := ParsePage(r.Marker); ok {
		l.Ended = ""
		l.Last = Pages{m, r.Path, r.Agent}
		l.receipts[l.Last] |= 1 << (k - 1)
	}
}

// run folds in that a loader ran, or failed, or that the client compacts. The loaders
// of one context run in any order, and each says its K/N and program once. So one
// that says it again, or runs for something else, runs for the next context: what
// stood before has ended. A failure and a compaction name no loader. No clock (D20).
func (l *Load) run(r Record) {
	by := r.Tool + r.Marker
	if r.Path == "" || by != l.opened || l.ran == nil || l.ran[r.Path] {
		l.end(r.Marker)
	}
	l.opened, l.ran[r.Path] = by, true
}

// done tells that the client goes on after a SessionStart, for whose loaders it waits:
// a loader that runs now runs for another context.
func (l *Load) done() {
	if strings.HasPrefix(l.opened, SessionStart) {
		l.ran = nil
	}
}

// end takes away what an event of this marker ends: a resume leaves what lies at the
// root of the context, a compaction the start, a new context nothing.
func (l *Load) end(marker string) {
	if marker != Resumed {
		l.rooted = [len(Required)]bool{}
	}
	if marker == New {
		l.Started = false
	}
	l.Acked, l.receipts, l.Last, l.Other, l.Earlier = l.rooted, map[Pages]uint64{}, Pages{}, "", false
	l.Ended, l.ran = marker, map[string]bool{}
	l.Context++
}

// ack folds in the marker of the i-th required file. What lies at the root of the
// context stays in it. A rewind can cut away what came later, and no event tells; so
// that counts at its own prompt alone. A subagent's context never held the main
// agent's rules: for its calls it is enough that they were delivered (D24).
func (l *Load) ack(i int, r Record) {
	root, ok := strings.CutSuffix(r.Path, "/"+Required[i].Path)
	if l.Ended = ""; !ok || root != l.root && (root == l.Other || !sameFile(root, l.root)) {
		l.Other = root
		return
	}
	if r.Tool == ToolRead {
		l.done()
	}
	atRoot := r.Tool == SessionStart && r.Agent == MainAgent
	l.rooted[i] = l.rooted[i] || atRoot
	counts := atRoot || r.Agent == l.viewer || !strings.HasPrefix(l.viewer, NoPrompt)
	l.Acked[i], l.Earlier = l.Acked[i] || counts, l.Earlier || !counts
}

// ContextOf returns the marker of what a SessionStart of that source means for the
// context (D20).
func ContextOf(source string) string { return cmp.Or(contexts[source], New) }

// Loaded tells whether markers 1–3 all count.
func (l *Load) Loaded() bool { return l.Acked == [...]bool{true, true, true} }

// Rooted tells whether they do because of a load at the root of the context.
func (l *Load) Rooted() bool { return l.rooted == [...]bool{true, true, true} }

// Open tells whether all four markers count: the only state in which a gated
// tool runs (§4.2.2).
func (l *Load) Open() bool { return l.Loaded() && l.Started }

// Came tells whether page k of p went out, 1 <= k <= p.M <= MaxPages.
func (l *Load) Came(k int, p Pages) bool { return l.receipts[p]&(1<<(k-1)) != 0 }

// Complete tells whether all pages of p went out, 1 <= p.M <= MaxPages.
func (l *Load) Complete(p Pages) bool { return l.receipts[p] == 1<<p.M-1 }

// EarnPage returns the records that page k of p, 1 <= k <= p.M <= MaxPages, earns
// once it went out: with one page the three markers; with more a receipt, and the
// markers too if it completes the set (D7).
func (l *Load) EarnPage(k int, p Pages) (earned []Record) {
	if p.M > 1 {
		earned = unless(l.Came(k, p), Record{Marker: fmt.Sprintf(pageMarker, k, p.M), Path: p.Digest})
		if l.receipts[p]|1<<(k-1) != 1<<p.M-1 {
			return earned
		}
	}
	for i := range Required {
		earned = append(earned, l.EarnFile(i)...)
	}
	return earned
}

// EarnFile returns the marker of the i-th required file. What already stands is
// not earned again, here and below, so that a file cannot grow without end (D4).
func (l *Load) EarnFile(i int) []Record {
	return unless(l.Acked[i], Record{Marker: Required[i].Marker, Path: l.root + "/" + Required[i].Path})
}

// EarnStart returns START_ACK.
func (l *Load) EarnStart() []Record { return unless(l.Started, Record{Marker: Start}) }

// Void returns LOAD_VOID, or nothing if there was no load since the last end of one.
func (l *Load) Void() []Record {
	return unless(l.Ended == Void || l.Ended == New, Record{Marker: Void})
}

func unless(stands bool, r Record) []Record {
	if stands {
		return nil
	}
	return []Record{r}
}
