package moiraicore

import (
	"fmt"
	"strings"
)

// Load is what the records of one session say together, seen from one root.
type Load struct {
	Exists  bool                // there is a token file
	Acked   [len(Required)]bool // the marker of each required file counts
	Started bool                // START_ACK stands; bound to no path, never voided
	Voided  bool                // the last thing that happened to the load is LOAD_VOID
	Other   string              // another root that a marker stands for
	Last    Pages               // whose receipt came last

	wanted   [len(Required)]string // the path that counts for each
	receipts map[Pages]uint64      // bit k-1: page k went out
	size     int64                 // of the token file, in bytes
	torn     bool                  // its last line lacks the newline
}

func newLoad(root string) *Load {
	l := &Load{receipts: map[Pages]uint64{}}
	for i, req := range Required {
		l.wanted[i] = root + "/" + req.Path
	}
	return l
}

// Pages is one load of M pages; Digest names the content (D7).
type Pages struct {
	M      int
	Digest string
}

// Add folds the next record in. Markers 1–3 count only for the required file
// under our root, and they and receipts only after the last LOAD_VOID (D5, D8).
// An unknown marker is ignored.
func (l *Load) Add(r Record) {
	switch r.Marker {
	case Start:
		l.Started = true
		return
	case Void:
		l.void()
		return
	}
	for i, req := range Required {
		if r.Marker != req.Marker {
			continue
		}
		l.Voided = false
		if r.Path == l.wanted[i] {
			l.Acked[i] = true
		} else if root, ok := strings.CutSuffix(r.Path, "/"+req.Path); ok {
			l.Other = root
		}
		return
	}
	if k, m, ok := ParsePage(r.Marker); ok {
		l.Voided = false
		l.Last = Pages{m, r.Path}
		l.receipts[l.Last] |= 1 << (k - 1)
	}
}

func (l *Load) void() {
	l.Acked, l.receipts, l.Last, l.Other, l.Voided = [len(Required)]bool{}, map[Pages]uint64{}, Pages{}, "", true
}

// Any tells whether one of markers 1–3 counts.
func (l *Load) Any() bool { return l.Acked != [len(Required)]bool{} }

// Loaded tells whether markers 1–3 all count.
func (l *Load) Loaded() bool { return l.Acked == [...]bool{true, true, true} }

// Open tells whether all four markers count: the only state in which a gated
// tool runs (§4.2.2).
func (l *Load) Open() bool { return l.Loaded() && l.Started }

// Came tells whether page k of p went out, 1 <= k <= p.M <= MaxPages.
func (l *Load) Came(k int, p Pages) bool { return l.receipts[p]&(1<<(k-1)) != 0 }

// Complete tells whether all pages of p went out, 1 <= p.M <= MaxPages.
func (l *Load) Complete(p Pages) bool { return l.receipts[p] == 1<<p.M-1 }

// EarnPage returns the records that page k of p, 1 <= k <= p.M <= MaxPages, earns
// once it went out: with one page the three markers; with more a receipt, and the
// markers too if it completes the set (D7). After a compaction it first voids what
// a Read may have earned since PreCompact: a client that prepares a compaction in
// the background fires that event long before the content goes (D8).
func (l *Load) EarnPage(k int, p Pages, compacted bool) []Record {
	var earned []Record
	if compacted && l.Any() {
		earned = l.EarnVoid()
		l.void()
	}
	if p.M > 1 {
		earned = append(earned, unless(l.Came(k, p), Record{Marker: fmt.Sprintf(pageMarker, k, p.M), Path: p.Digest})...)
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
	return unless(l.Acked[i], Record{Marker: Required[i].Marker, Path: l.wanted[i]})
}

// EarnStart returns START_ACK.
func (l *Load) EarnStart() []Record { return unless(l.Started, Record{Marker: Start}) }

// EarnVoidIfAny returns LOAD_VOID if one of markers 1–3 or a receipt counts.
func (l *Load) EarnVoidIfAny() []Record {
	return unless(!l.Any() && len(l.receipts) == 0, Record{Marker: Void})
}

// EarnVoid returns LOAD_VOID, or nothing if nothing was loaded since the last.
func (l *Load) EarnVoid() []Record { return unless(l.Voided, Record{Marker: Void}) }

func unless(stands bool, r Record) []Record {
	if stands {
		return nil
	}
	return []Record{r}
}
