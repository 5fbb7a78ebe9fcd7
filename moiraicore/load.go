package moiraicore

import (
	"strings"
)

// Load is what the records of one session say together, seen from one root.
type Load struct {
	Acked   [len(Required)]bool // the marker of each required file counts
	Started bool                // START_ACK stands; bound to no path, never voided
	Voided  bool                // the last thing that happened to the load is LOAD_VOID
	Other   string              // a root that markers stand for, and that is not ours
	Pages   Receipts            // of the load that was last written to

	root     string
	receipts []Receipts
}

// Receipts are the pages of one load that went out: Got has bit k-1 for page k
// of M, Digest names the content (D7).
type Receipts struct {
	M      int
	Digest string
	Got    uint64
}

// Complete tells whether every page of the load went out.
func (r Receipts) Complete() bool { return r.M > 0 && r.Got == 1<<r.M-1 }

// Add folds the next record in. Markers 1–3 count only for the required file
// under our root, and they and receipts only after the last LOAD_VOID (D5, D8).
// An unknown marker is ignored.
func (l *Load) Add(r Record) {
	if r.Marker == Start {
		l.Started = true
		return
	}
	if r.Marker == Void {
		*l = Load{root: l.root, Started: l.Started, Voided: true}
		return
	}
	for i, req := range Required {
		if r.Marker != req.Marker {
			continue
		}
		l.Voided = false
		if r.Path == l.root+"/"+req.Path {
			l.Acked[i] = true
		} else if root, ok := strings.CutSuffix(r.Path, "/"+req.Path); ok {
			l.Other = root
		}
		return
	}
	if k, m, ok := ParsePage(r.Marker); ok {
		l.Voided = false
		l.addPage(k, m, r.Path)
	}
}

func (l *Load) addPage(k, m int, digest string) {
	for i := range l.receipts {
		if p := &l.receipts[i]; p.M == m && p.Digest == digest {
			p.Got |= 1 << (k - 1)
			l.Pages = *p
			return
		}
	}
	l.Pages = Receipts{m, digest, 1 << (k - 1)}
	l.receipts = append(l.receipts, l.Pages)
}

// HasPage tells whether the receipt of page k of m with this digest counts.
func (l *Load) HasPage(k, m int, digest string) bool {
	for _, p := range l.receipts {
		if p.M == m && p.Digest == digest {
			return p.Got&(1<<(k-1)) != 0
		}
	}
	return false
}

// Loaded tells whether markers 1–3 all count.
func (l *Load) Loaded() bool { return l.Acked == [len(Required)]bool{true, true, true} }

// Open tells whether all four markers count: the only state in which a gated
// tool runs (§4.2.2).
func (l *Load) Open() bool { return l.Loaded() && l.Started }

// EarnPage returns the records that page k of m earns once it went out: with
// one page the three markers; with more a receipt, and the markers too if it
// completes the set (D7).
func (l *Load) EarnPage(k, m int, digest string) []Record {
	var earned []Record
	if m > 1 {
		if !l.HasPage(k, m, digest) {
			earned = append(earned, Record{Marker: pageMarker(k, m), Path: digest})
			l.addPage(k, m, digest)
		}
		for i := 1; i <= m; i++ {
			if !l.HasPage(i, m, digest) {
				return earned
			}
		}
	}
	for i := range Required {
		earned = append(earned, l.EarnFile(i)...)
	}
	return earned
}

// EarnFile returns the marker of the i-th required file, or nothing if it
// already counts.
func (l *Load) EarnFile(i int) []Record {
	if l.Acked[i] {
		return nil
	}
	return []Record{{Marker: Required[i].Marker, Path: l.root + "/" + Required[i].Path}}
}

// EarnStart returns START_ACK, or nothing if it stands.
func (l *Load) EarnStart() []Record {
	if l.Started {
		return nil
	}
	return []Record{{Marker: Start}}
}

// EarnVoid returns LOAD_VOID, or nothing if nothing was loaded since the last.
func (l *Load) EarnVoid() []Record {
	if l.Voided {
		return nil
	}
	return []Record{{Marker: Void}}
}
