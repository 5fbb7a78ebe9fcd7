// Command hades-session-load puts the three required files into the main agent's
// context and records markers 1–3 for what went out (§4.2.1, D6, D7). It is wired on
// two events:
//
//   - SessionStart: a context begins, goes on or was compacted. The loader records
//     what that ends before anything else can fail (D20);
//   - UserPromptSubmit: where no load lies at the root of the context, a rewind could
//     cut the rules away. There they go out again with each prompt, and count for
//     that prompt. This never blocks a prompt (D24).
//
// It is wired K/N, as the K-th of N commands, since the client keeps only
// 10,000 UTF-16 units of each; without an argument it is 1/1. The order is the
// whole point: read and check everything, write the page, and only when its
// last byte is accepted append the marker. Exit 0, or exit 2 with no marker.
package main

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"syscall"

	"moirai/moiraicore"
)

func main() { moiraicore.Run(load) }

// loader is one hook call for the main agent.
type loader struct {
	scope          moiraicore.Scope
	event, session string
	agent          string // to whom the rules go: main, or main at a prompt
	watchdog       *moiraicore.Watchdog
}

func load(w *moiraicore.Watchdog) {
	payload, scope := moiraicore.Enter(os.Stdin)
	session, sessionErr := payload.Session()
	agent, agentErr := payload.Agent()
	if agentErr == nil && agent != moiraicore.MainAgent || !scope.In && (sessionErr != nil || !moiraicore.HasToken(session, true)) {
		return // another agent's context (D21), or another session
	}
	moiraicore.Check(sessionErr)
	event, eventErr := payload.TextOr(moiraicore.KeyEvent, moiraicore.SessionStart)
	source, sourceErr := payload.TextOr(moiraicore.KeySource, "")
	viewer, promptErr := payload.AtPrompt()
	l := loader{scope, moiraicore.SessionStart, session, viewer, w}
	err := cmp.Or(agentErr, eventErr, sourceErr, promptErr)
	switch {
	case event == moiraicore.SessionStart || eventErr != nil:
		l.start(moiraicore.ContextOf(source), err)
	case event == moiraicore.UserPromptSubmit && scope.In:
		moiraicore.Check(err)
		l.event = event
		l.prompt()
	case scope.In:
		moiraicore.Check(moiraicore.Fail(wireIt, "%s is wired for the event %s", moiraicore.LoaderName, moiraicore.Quote(event)))
	}
}

// start serves SessionStart. What the event ends has ended, whatever fails after it.
func (l loader) start(what string, err error) {
	if what == moiraicore.New {
		l.agent = moiraicore.MainAgent
	}
	var dirErr, beginErr error
	if l.scope.In {
		dirErr = moiraicore.CheckTokenDir()
	}
	context := 0
	if dirErr == nil || moiraicore.HasToken(l.session, !l.scope.In) {
		context, beginErr = l.begin(what)
	}
	moiraicore.Check(cmp.Or(dirErr, beginErr))
	if !l.scope.In {
		return
	}
	if err == nil {
		err = l.deliver(context)
	}
	if err != nil {
		// The load is of all pages or of none. An error here keeps it incomplete.
		_, _ = l.append(func() {}, func(load *moiraicore.Load) []moiraicore.Record {
			if load.Context != context {
				return nil
			}
			return []moiraicore.Record{{Marker: what}}
		})
	}
	moiraicore.Check(err)
}

// begin records that this loader runs for a context, and returns which one it is.
// Where that cannot be written, the token is put aside: it may speak of a context that
// has ended.
func (l loader) begin(what string) (context int, err error) {
	argument := moiraicore.OnlyPage
	if len(os.Args) > 1 {
		argument = os.Args[1]
	}
	run := moiraicore.Record{Marker: what, Path: moiraicore.Quote(argument) + " " + moiraicore.QuotePath(os.Args[0])}
	load, err := l.append(func() {}, func(*moiraicore.Load) []moiraicore.Record { return []moiraicore.Record{run} })
	if err != nil {
		moiraicore.PutAside(l.session)
		return 0, err
	}
	return load.Context, nil
}

// prompt serves UserPromptSubmit: silent where a load lies at the root of the
// context, or the rules went out with this prompt. A client that gives a prompt no id
// does not tell one from the next: there what went out before ends with each (D24).
func (l loader) prompt() {
	l.watchdog.NeverBlock()
	err := moiraicore.CheckTokenDir()
	if err == nil {
		err = l.redeliver()
	}
	if k, _, argErr := pageArgument(os.Args); err != nil && (k == 1 || argErr != nil) { // one speaks for all
		moiraicore.NotRecorded(err)
	}
}

func (l loader) redeliver() error {
	load, err := moiraicore.ReadToken(l.session, l.scope.Root, l.agent)
	if err != nil || load.Rooted() || load.Loaded() && l.agent != moiraicore.NoPrompt {
		return err
	}
	context := load.Context
	if l.agent == moiraicore.NoPrompt {
		context, err = l.begin(moiraicore.Resumed)
	}
	if err != nil {
		return err
	}
	return l.deliver(context)
}

// append records for this session.
func (l loader) append(commit func(), earn func(*moiraicore.Load) []moiraicore.Record) (*moiraicore.Load, error) {
	return moiraicore.AppendToken(l.session, l.scope.Root, l.event, l.agent, commit, earn)
}

// deliver reads and checks everything, writes the page that this process was wired
// for, and then earns for it. Nothing is left to do if there are fewer pages.
func (l loader) deliver(context int) error {
	k, n, err := pageArgument(os.Args)
	if err != nil {
		return err
	}
	content, err := moiraicore.ReadRequired(l.scope)
	if err != nil {
		return err
	}
	pages, err := moiraicore.Paginate(content, l.scope.Root)
	if err == nil && len(pages) > n {
		err = tooMuch(content, len(pages), n)
	}
	if err != nil || k > len(pages) {
		return err
	}
	if err := write(pages[k-1]); err != nil {
		return err
	}
	set := moiraicore.Pages{M: len(pages), Agent: l.agent}
	if set.M > 1 {
		set.Digest = fmt.Sprintf(moiraicore.Digest, sha256.Sum256([]byte(strings.Join(pages, ""))))
	}
	load, err := l.append(l.watchdog.Disarm, func(load *moiraicore.Load) []moiraicore.Record {
		if load.Context != context {
			return nil
		}
		return load.EarnPage(k, set)
	})
	if err == nil && load.Context != context {
		err = moiraicore.Fail("resume or restart the session", "the context that this page was for has ended meanwhile")
	}
	return err
}

const wireIt = "wire it as make wiring prints it, then resume or restart the session"

// pageArgument returns which page this process is, K of N wired (D7).
func pageArgument(args []string) (k, n int, err error) {
	if len(args) <= 1 {
		return 1, 1, nil
	}
	k, n, ok := moiraicore.ParseArgument(args[1])
	if len(args) > 2 || !ok {
		err = moiraicore.Fail(wireIt, "bad argument %s; usage: %s [K/N], 1 <= K <= N <= %d", moiraicore.Quote(strings.Join(args[1:], " ")), moiraicore.LoaderName, moiraicore.MaxPages)
	}
	return k, n, err
}

// tooMuch is the error of a block that needs more pages than are wired (D7).
func tooMuch(content [len(moiraicore.Required)]string, need, wired int) error {
	sizes := ""
	for i, r := range moiraicore.Required {
		sizes += fmt.Sprintf("%s %d, ", r.Path, moiraicore.Units(content[i]))
	}
	return moiraicore.Fail(fmt.Sprintf("wire %s 1/%d to %d/%d (at most %d), or shorten the files; then resume or restart the session", moiraicore.LoaderName, need, need, need, moiraicore.MaxPages),
		"the required files need %d pages of %d UTF-16 units and %d are wired (units: %sand banners); the client would silently drop the rest",
		need, moiraicore.PageUnits, wired, sizes)
}

// write puts the page on stdout. A stdout that is the null device, which Go
// also opens in the place of a closed one, delivers nothing (D6).
func write(page string) error {
	info, err := os.Stdout.Stat()
	if err == nil && info.Mode()&os.ModeCharDevice != 0 {
		null, nullErr := os.Stat(os.DevNull)
		if nullErr != nil || null.Sys().(*syscall.Stat_t).Rdev == info.Sys().(*syscall.Stat_t).Rdev {
			err = fmt.Errorf("stdout is closed or %s", os.DevNull)
		}
	}
	if err == nil {
		_, err = os.Stdout.WriteString(page)
	}
	if err != nil {
		return moiraicore.Fail("resume or restart the session; if it stays, look at what runs the hook", "the rules could not be delivered: %v", err)
	}
	return nil
}
