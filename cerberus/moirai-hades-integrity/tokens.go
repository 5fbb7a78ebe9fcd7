package main

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"moirai/moiraicore"
	"moirai/operate/history"
)

const (
	staleAfter = 7 * 24 * time.Hour // §7
	loadWithin = time.Hour          // a session that was started is loaded by then
	// A token file that a hook has just made is empty for an instant.
	emptyFor = time.Minute
)

// tokenAlerts judges every token file, on all processors at once.
func tokenAlerts(now time.Time) (alerts []alert, count int, err error) {
	sessions, err := history.Sessions()
	if err != nil {
		return nil, 0, err
	}
	workers := min(runtime.NumCPU(), max(1, len(sessions)))
	found := make([]tally, workers)
	for w := range found {
		found[w].now = now
	}
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := w; i < len(sessions) && found[w].err == nil; i += workers {
				found[w].look(sessions[i])
			}
		})
	}
	group.Wait()
	var all tally
	for _, t := range found {
		if t.err != nil {
			return nil, 0, t.err
		}
		all.alerts = append(all.alerts, t.alerts...)
		all.addStale(t.stale, t.oldest, t.oldestAt)
	}
	slices.SortFunc(all.alerts, func(a, b alert) int { return strings.Compare(a.Detail, b.Detail) })
	if all.stale > 0 {
		all.alerts = append(all.alerts, alarm(stale, "%d token files; the oldest, %s, was last written %v ago",
			all.stale, moiraicore.TokenPath(all.oldest), now.Sub(all.oldestAt).Round(time.Hour)))
	}
	return all.alerts, len(sessions), nil
}

// tally is what one worker found.
type tally struct {
	judge
	reader   history.Reader
	alerts   []alert
	stale    int
	oldest   string
	oldestAt time.Time
	err      error
}

func (t *tally) addStale(n int, session string, at time.Time) {
	if n > 0 && (t.stale == 0 || at.Before(t.oldestAt)) {
		t.oldest, t.oldestAt = session, at
	}
	t.stale += n
}

// look judges one token file. What looks well at the first look is well; only
// what does not is read again under its lock.
func (t *tally) look(session string) {
	h, exists, err := t.reader.Read(session)
	if err == nil && (!exists || t.looksWell(h)) {
		return
	}
	if err == nil {
		h, exists, err = t.reader.ReadLocked(session)
	}
	if err != nil {
		t.err = err
		return
	}
	if !exists || h.Busy {
		return
	}
	path := moiraicore.TokenPath(session)
	switch {
	case h.Empty && t.now.Sub(h.Modified) < emptyFor:
		return
	case h.Refused != "":
		t.alerts = append(t.alerts, alarm(tokenRefused, "%s: %s", path, h.Refused))
		return
	case h.Bad != nil:
		t.alerts = append(t.alerts, alarm(unparseable, "%s line %d: %v", path, h.BadLine, h.Bad))
	}
	if why := t.orphanIn(h.Records); why != "" {
		t.alerts = append(t.alerts, alarm(orphan, "%s %s", path, why))
	}
	if startedAt, is := startedUnloaded(h.Records); is && t.now.Sub(startedAt) > loadWithin {
		t.alerts = append(t.alerts, alarm(startNoLoad, "%s: started %v ago", path, t.now.Sub(startedAt).Round(time.Minute)))
	}
	if t.now.Sub(h.Modified) > staleAfter {
		t.addStale(1, session, h.Modified)
	}
}

// looksWell tells whether nothing about the history calls for a second look. A
// file is not older than its last record, so its time need not be asked for.
func (t *tally) looksWell(h history.History) bool {
	n := len(h.Records)
	if h.Bad != nil || n == 0 || t.orphanIn(h.Records) != "" {
		return false
	}
	_, unloaded := startedUnloaded(h.Records)
	return !unloaded && t.now.Sub(time.Unix(h.Records[n-1].Time, 0)) <= staleAfter
}

// startedUnloaded tells whether a session was started and never loaded, and
// when it was started. A load that a compaction voided was a load.
func startedUnloaded(records []moiraicore.Record) (at time.Time, is bool) {
	for _, r := range records {
		if r.Marker == moiraicore.Start && !is {
			at, is = time.Unix(r.Time, 0), true
		}
		if isFileMarker(r.Marker) {
			return at, false
		}
	}
	return at, is
}

func isFileMarker(marker string) bool {
	for _, required := range moiraicore.Required {
		if marker == required.Marker {
			return true
		}
	}
	return false
}
