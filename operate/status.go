package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"moirai/moiraicore"
	"moirai/operate/history"
)

// status says of each session, or of one, what its token holds and what to do
// next. It writes nothing.
func status(o options) error {
	for _, dir := range []string{moiraicore.TokenParent, moiraicore.TokenDir} {
		if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
			parent := filepath.Dir(dir)
			if err := syscall.Access(parent, 3); err != nil { // W_OK|X_OK
				fmt.Printf("Every session is blocked: there is no %s, and %s cannot be written: %v\n", dir, parent, err)
				return errFound
			}
			fmt.Printf("No sessions: there is no %s. The next session in a constellation makes it.\n", moiraicore.TokenDir)
			return nil
		}
	}
	if whose := anothers(moiraicore.TokenParent); whose != "" {
		fmt.Print(whose)
		return errFound
	}
	if err := moiraicore.CheckTokenDir(); err != nil {
		fmt.Print("Every session is blocked.\n", err)
		return errFound
	}
	sessions := []string{o.session}
	if o.session == "" {
		var err error
		if sessions, err = history.Sessions(); err != nil {
			return err
		}
	}
	var reader history.Reader
	var all []sessionStatus
	for _, session := range sessions {
		h, exists, err := reader.ReadLocked(session)
		if err != nil {
			return err
		}
		all = append(all, sessionStatus{h, exists, lastRoot(h.Records), countVoids(h.Records)})
	}
	slices.SortFunc(all, func(a, b sessionStatus) int { return b.Modified.Compare(a.Modified) })
	for _, s := range all {
		s.print()
	}
	if o.session == "" {
		fmt.Printf("%d sessions\n%s\n", len(all), unlisted)
	}
	return nil
}

// sessionStatus is one session. Its Records are not kept, the reader reuses them.
type sessionStatus struct {
	history.History
	exists bool
	root   string // of the last marker that has one
	voids  int
}

// lastRoot is the root of the last marker of a required file; empty if none is.
func lastRoot(records []moiraicore.Record) (root string) {
	for _, r := range records {
		for _, required := range moiraicore.Required {
			if of, ok := strings.CutSuffix(r.Path, "/"+required.Path); ok && r.Marker == required.Marker {
				root = of
			}
		}
	}
	return root
}

func countVoids(records []moiraicore.Record) (n int) {
	for _, r := range records {
		if r.Marker == moiraicore.Void {
			n++
		}
	}
	return n
}

func (s sessionStatus) print() {
	fmt.Println("session", s.Session)
	if !s.exists {
		fmt.Print("  next     ", noToken, "\n\n")
		return
	}
	load, err := moiraicore.ReadToken(s.Session, s.root, moiraicore.MainAgent)
	if err != nil {
		fmt.Printf("  blocked  %s\n\n", strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "\n           "))
		return
	}
	fmt.Printf("  written  %v ago\n", time.Since(s.Modified).Round(time.Second))
	if s.root != "" {
		fmt.Println("  root    ", s.root)
	}
	fmt.Println("  markers ", checklist(load))
	if load.Last.M > 0 {
		fmt.Printf("  pages    %s of %d\n", strings.Join(pages(load, true), ", "), load.Last.M)
	}
	if s.voids > 0 {
		fmt.Printf("  voided   %d times by a compaction\n", s.voids)
	}
	fmt.Print("  next     ", next(load, s.root), "\n\n")
}

func checklist(load *moiraicore.Load) string {
	var parts []string
	mark := func(set bool, marker string) {
		box := "[ ] "
		if set {
			box = "[x] "
		}
		parts = append(parts, box+marker)
	}
	for i, r := range moiraicore.Required {
		mark(load.Acked[i], r.Marker)
	}
	mark(load.Started, moiraicore.Start)
	return strings.Join(parts, "  ")
}

// pages lists the pages of the last load that went out, or those that did not.
func pages(load *moiraicore.Load, came bool) []string {
	var list []string
	for k := 1; k <= load.Last.M; k++ {
		if load.Came(k, load.Last) == came {
			list = append(list, fmt.Sprint(k))
		}
	}
	return list
}

const (
	noToken = "no token: never loaded here (it started elsewhere, or the loader is not wired or failed),\n" +
		"           or /tmp was cleaned. Read the three rule files in full, or resume or restart the session; then /start."
	unlisted = `
A blocked session that is not listed has no token: it was never loaded here, or
/tmp was cleaned. It reads the three rule files in full, or you resume or
restart it; then /start.`
	reload = "Read the three rule files in full, or resume or restart the session"
)

// next says why the session is blocked, if it is, and the next step.
func next(load *moiraicore.Load, root string) string {
	start := "; then /start"
	if load.Started {
		start = ""
	}
	switch {
	case load.Open():
		return "open: tools run in " + root + ", and in no other constellation"
	case load.Loaded():
		return "blocked: type /start or /war-room-start (Esc first if a turn is running)"
	case load.Ended == moiraicore.Void:
		return "blocked: a compaction took the rules out of the context. " + reload + start
	case load.Last.M > 0 && !load.Complete(load.Last):
		return "blocked: of the load's pages these did not come: " + strings.Join(pages(load, false), ", ") +
			". Wire them (make verify). " + reload + start
	case load.Acked != [len(moiraicore.Required)]bool{}:
		return "blocked: only some of the rule files were read. Read the others in full" + start
	}
	return "blocked: nothing was loaded. " + reload + start + ".\n           Whether the loader is wired, for enough pages, and finds the files: make verify ROOT=/path/to/constellation-hades"
}
