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
			fmt.Printf("No sessions: there is no %s. The next session in a constellation makes it.\nA session in a sandbox with a /tmp of its own keeps its token there, unseen from here.\n", moiraicore.TokenDir)
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
	sessions, err := history.Sessions()
	if err != nil {
		return err
	}
	if o.session != "" {
		if sessions = chosen(sessions, o.session); len(sessions) == 0 {
			fmt.Printf("No token of a session %s. It was never loaded here (it started elsewhere, or the\n"+
				"loader is not wired or failed), or /tmp was cleaned, or the id is wrong.\nnext: %s\n", moiraicore.Quote(o.session), reload+"; then /start.")
			return errFound
		}
	}
	var all []sessionStatus
	for _, session := range sessions {
		all = append(all, look(session))
	}
	slices.SortFunc(all, func(a, b sessionStatus) int { // the last line is the nearest to the prompt
		if a.open() != b.open() {
			return map[bool]int{true: -1, false: 1}[a.open()]
		}
		return a.Modified.Compare(b.Modified)
	})
	blocked := 0
	for _, s := range all {
		if !s.open() {
			blocked++
		}
		if o.session == "" {
			fmt.Println(s.line())
		} else {
			s.print()
		}
	}
	if o.session == "" {
		fmt.Printf("%d sessions: %d open, %d blocked. SESSION=ID (or the first characters) shows one.\n%s\n", len(all), len(all)-blocked, blocked, unlisted)
	}
	return nil
}

// chosen are the sessions that an id, its beginning or a path (of the token file
// or the transcript, as alerts print them) means. A whole id means itself alone.
func chosen(sessions []string, said string) (some []string) {
	id := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(said), moiraicore.TokenPrefix), ".jsonl")
	for _, session := range sessions {
		if session == id {
			return []string{id}
		}
		if strings.HasPrefix(session, id) {
			some = append(some, session)
		}
	}
	return some
}

// look reads one session. What cannot be read is its state, not the end of the run.
func look(session string) sessionStatus {
	var reader history.Reader
	h, exists, err := reader.ReadLocked(session)
	for deadline := time.Now().Add(moiraicore.LockWait); err == nil && h.Busy && time.Now().Before(deadline); {
		time.Sleep(moiraicore.LockPoll)
		h, exists, err = reader.ReadLocked(session)
	}
	s := sessionStatus{History: h, exists: exists, err: err}
	if err == nil && exists {
		s.root, s.voids = lastRoot(h.Records), countVoids(h.Records)
		s.load, s.err = moiraicore.ReadToken(session, s.root, moiraicore.MainAgent)
	}
	return s
}

// sessionStatus is one session. Its Records are not kept, the reader reuses them.
type sessionStatus struct {
	history.History
	exists bool
	root   string // of the last marker that has one
	voids  int
	load   *moiraicore.Load // nil if err is not
	err    error
}

func (s sessionStatus) open() bool { return s.load != nil && s.load.Open() }

// line is the session at a glance: state, project, age, what is missing, and the
// next step in a word.
func (s sessionStatus) line() string {
	state, step := "blocked", ""
	switch {
	case s.err != nil || s.load == nil:
		step = "its token file is refused: SESSION=" + s.Session + " says why"
	case s.open():
		state, step = "open", "nothing is missing"
	default:
		step = "missing " + strings.Join(missing(s.load), " ") + ": " + word(s.load)
	}
	project := "-"
	if s.root != "" {
		project = moiraicore.Quote(s.root)
	}
	return fmt.Sprintf("%-7s %s  %s  %s  %s", state, s.Session, project, ago(time.Since(s.Modified)), step)
}

// missing lists the markers that do not count.
func missing(load *moiraicore.Load) (list []string) {
	for i, r := range moiraicore.Required {
		if !load.Acked[i] {
			list = append(list, r.Marker)
		}
	}
	if !load.Started {
		list = append(list, moiraicore.Start)
	}
	return list
}

// word is the next step in a word.
func word(load *moiraicore.Load) string {
	switch {
	case load.Loaded():
		return "/start"
	case load.Started:
		return "read or resume"
	}
	return "read or resume, then /start"
}

// ago is a time span as people say it.
func ago(d time.Duration) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		if n := int(d / unit.of); n == 1 {
			return "1 " + unit.name + " ago"
		} else if n > 1 {
			return fmt.Sprintf("%d %ss ago", n, unit.name)
		}
	}
	return "just now"
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
	if s.err != nil {
		fmt.Printf("  blocked  %s\n\n", strings.ReplaceAll(strings.TrimSpace(s.err.Error()), "\n", "\n           "))
		return
	}
	load := s.load
	fmt.Printf("  written  %s\n", ago(time.Since(s.Modified)))
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
	fmt.Print("  next     ", next(load, s.root), "\n", unreadable(load, s.root), "\n")
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

// unreadable says of the files still to be read which a Read does not count for.
func unreadable(load *moiraicore.Load, root string) (text string) {
	for i, r := range moiraicore.Required {
		if load.Acked[i] || root == "" {
			continue
		}
		path := filepath.Join(root, r.Path)
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || info.Size() == 0 || syscall.Access(path, 4) != nil { // R_OK
			text += "           no Read or load counts of " + moiraicore.Quote(path) + ": it is missing, empty, no file or unreadable\n"
		} else if info.Size() > moiraicore.MaxRead {
			text += fmt.Sprintf("           no Read counts of %s: %d bytes, over %d; wire pages or shorten it\n", moiraicore.Quote(path), info.Size(), moiraicore.MaxRead)
		}
	}
	return text
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
