package main

import (
	"errors"
	"io/fs"
	"os"
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

// tokenAlerts judges every token file, on all processors at once. since is when the
// programs were installed.
func tokenAlerts(now, since time.Time) (all tally, err error) {
	var names history.Names
	defer names.Close()
	found := make([]tally, runtime.NumCPU())
	var group sync.WaitGroup
	for w := range found {
		found[w].judge = newJudge(now, since)
		group.Go(func() { found[w].lookAll(&names) })
	}
	group.Wait()
	for _, t := range found {
		if t.err != nil {
			return all, t.err
		}
		all.count += t.count
		all.alerts = append(all.alerts, t.alerts...)
		all.addStale(t.stale, t.oldest, t.oldestAt)
	}
	for _, session := range names.Aside {
		if info, err := os.Lstat(history.AsidePath(session)); err == nil {
			all.add(session, info.ModTime(), alarm(putAside, "%s: a hook could not write what ended there, and put the token aside", history.AsidePath(session)))
		}
	}
	slices.SortFunc(all.alerts, func(a, b tokenAlert) int { return strings.Compare(a.Detail, b.Detail) })
	return all, nil
}

// tokenAlert is an alert about one session, and when its token file was written last.
type tokenAlert struct {
	alert
	session string
	written time.Time
}

// tally is what one worker found.
type tally struct {
	judge
	reader   history.Reader
	count    int
	alerts   []tokenAlert
	stale    int
	oldest   string
	oldestAt time.Time
	err      error
}

func (t *tally) add(session string, written time.Time, alerts ...alert) {
	for _, a := range alerts {
		t.alerts = append(t.alerts, tokenAlert{a, session, written})
	}
}

// staleAlert is the hint to clean up, one for all; none if nothing is that old.
func (t *tally) staleAlert(now time.Time) []alert {
	if t.stale == 0 {
		return nil
	}
	return []alert{alarm(stale, "%d token files; the oldest, %s, was last written %v ago",
		t.stale, moiraicore.TokenPath(t.oldest), now.Sub(t.oldestAt).Round(time.Hour))}
}

func (t *tally) addStale(n int, session string, at time.Time) {
	if n > 0 && (t.stale == 0 || at.Before(t.oldestAt)) {
		t.oldest, t.oldestAt = session, at
	}
	t.stale += n
}

// lookAll judges token files until there are no more.
func (t *tally) lookAll(names *history.Names) {
	for t.err == nil {
		sessions, err := names.Next()
		if err != nil || sessions == nil {
			t.err = err
			return
		}
		t.count += len(sessions)
		for _, session := range sessions {
			t.look(session)
		}
	}
}

// look judges one token file. What is sound at the first look is sound; only
// what is not is read again under its lock.
func (t *tally) look(session string) {
	h, exists, err := t.reader.Read(session)
	wrong := t.wrong(h)
	if err == nil && exists && wrong != nil {
		h, exists, err = t.reader.ReadLocked(session)
		wrong = t.wrong(h)
	}
	if one := new(fs.PathError); errors.As(err, &one) && one.Path == moiraicore.TokenPath(session) {
		written := t.now
		if info, err := os.Lstat(one.Path); err == nil {
			written = info.ModTime()
		}
		t.add(session, written, alarm(tokenRefused, "%v", err)) // the others are still to be judged
		return
	}
	if err != nil {
		t.err = err
		return
	}
	if !exists || h.Busy {
		return
	}
	if wrong != nil {
		written := h.Modified
		if written.IsZero() { // a link, a socket
			if info, err := os.Lstat(moiraicore.TokenPath(session)); err == nil {
				written = info.ModTime()
			}
		}
		t.add(session, written, wrong...)
	}
	if h.Refused == "" && t.now.Sub(h.Modified) > staleAfter {
		t.addStale(1, session, h.Modified)
	}
}

// wrong lists what is wrong with a token file, its age aside.
func (t *tally) wrong(h history.History) []alert {
	switch {
	case h.Empty && t.now.Sub(h.Modified) < emptyFor:
		return nil
	case h.Refused != "":
		return []alert{alarm(tokenRefused, "%s: %s", moiraicore.TokenPath(h.Session), h.Refused)}
	}
	var wrong []alert
	if h.Bad != nil {
		wrong = append(wrong, alarm(unparseable, "%s line %d: %v", moiraicore.TokenPath(h.Session), h.BadLine, h.Bad))
	}
	if why := t.orphanIn(h.Records); why != "" {
		wrong = append(wrong, alarm(orphan, "%s %s", moiraicore.TokenPath(h.Session), why))
	}
	if startedAt, is := startedUnloaded(h.Records); is && t.now.Sub(startedAt) > loadWithin {
		wrong = append(wrong, alarm(startNoLoad, "%s: started %v ago", moiraicore.TokenPath(h.Session), t.now.Sub(startedAt).Round(time.Minute)))
	}
	return wrong
}

// startedUnloaded tells whether a session was started and never loaded, and
// when it was started. A load that a compaction voided was a load.
func startedUnloaded(records []moiraicore.Record) (at time.Time, is bool) {
	for _, r := range records {
		if r.Marker == moiraicore.New { // no start outlives it
			is = false
		}
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
