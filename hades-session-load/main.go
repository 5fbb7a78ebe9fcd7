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
	"errors"
	"fmt"
	"os"
	"strings"

	"moirai/moiraicore"
)

func main() { moiraicore.Run(load) }

// loader is one hook call for the main agent: it is the k-th of n.
type loader struct {
	scope          moiraicore.Scope
	event, session string
	agent          string // to whom the rules go: main, or main at a prompt
	k, n           int
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
	k, n, argumentErr := pageArgument(os.Args)
	l := loader{scope, event, session, viewer, k, n, w}
	err := cmp.Or(agentErr, eventErr, sourceErr, promptErr, argumentErr)
	switch {
	case event == moiraicore.SessionStart || eventErr != nil:
		l.event = moiraicore.SessionStart
		moiraicore.Check(l.start(moiraicore.ContextOf(source), err))
	case event == moiraicore.UserPromptSubmit && scope.In:
		w.NeverBlock()
		if err == nil {
			err = l.prompt()
		}
		if err != nil && k <= 1 { // one speaks for all
			moiraicore.NotRecorded(err)
		}
	case event != moiraicore.UserPromptSubmit:
		moiraicore.Check(moiraicore.Fail(wireIt, "%s is wired for the event %s", moiraicore.LoaderName, moiraicore.Quote(event)))
	}
}

// start serves SessionStart. What the event ends has ended, whatever fails after it.
func (l loader) start(what string, err error) error {
	if what == moiraicore.New {
		l.agent = moiraicore.MainAgent
	}
	if l.scope.In {
		dirErr := moiraicore.CheckTokenDir()
		if dirErr != nil && !moiraicore.HasToken(l.session, false) {
			return dirErr
		}
		err = cmp.Or(dirErr, err)
	}
	context, beginErr := l.begin(what)
	if beginErr != nil || !l.scope.In {
		return cmp.Or(err, beginErr)
	}
	if err == nil {
		err = l.deliver(context)
	}
	if err != nil { // the load is of all pages or of none; an error here keeps it incomplete
		_, _ = l.append(func() {}, context, func(*moiraicore.Load) []moiraicore.Record { return []moiraicore.Record{{Marker: what}} })
	}
	return err
}

// begin records that this loader runs for a context, and returns which one it is.
// Where that cannot be written, the token is put aside: it may speak of a context that
// has ended.
func (l loader) begin(what string) (context int, err error) {
	run := moiraicore.Record{Marker: what, Path: fmt.Sprintf("%d/%d ", l.k, l.n) + moiraicore.QuotePath(os.Args[0])}
	load, err := l.append(func() {}, 0, func(*moiraicore.Load) []moiraicore.Record { return []moiraicore.Record{run} })
	if err != nil {
		moiraicore.PutAside(l.session)
		return 0, err
	}
	return load.Context, nil
}

// prompt serves UserPromptSubmit: nothing is left to do where a load lies at the root
// of the context, or the rules went out with this prompt. A client that gives a prompt
// no id does not tell one from the next: there what went out before ends with each (D24).
func (l loader) prompt() error {
	if err := moiraicore.CheckTokenDir(); err != nil {
		return err
	}
	load, err := moiraicore.ReadToken(l.session, l.scope.Root, l.agent)
	if err != nil || load.Rooted() || load.Loaded() && l.agent != moiraicore.NoPrompt {
		return err
	}
	context := load.Context
	if l.agent == moiraicore.NoPrompt {
		if context, err = l.begin(moiraicore.Resumed); err != nil {
			return err
		}
	}
	return l.deliver(context)
}

// append records what earn returns, if the context is still this one (0: any).
func (l loader) append(commit func(), context int, earn func(*moiraicore.Load) []moiraicore.Record) (*moiraicore.Load, error) {
	return moiraicore.AppendToken(l.session, l.scope.Root, l.event, l.agent, commit, func(load *moiraicore.Load) []moiraicore.Record {
		if context != 0 && load.Context != context {
			return nil
		}
		return earn(load)
	})
}

// deliver reads and checks everything, writes the page that this process was wired
// for, and then earns for it. Nothing is left to do if there are fewer pages.
func (l loader) deliver(context int) error {
	content, err := moiraicore.ReadRequired(l.scope)
	if err != nil {
		return err
	}
	pages, err := moiraicore.Paginate(content, l.scope.Root)
	if err == nil && len(pages) > l.n {
		err = tooMuch(content, len(pages), l.n)
	}
	if err == nil && l.k <= len(pages) {
		err = write(pages[l.k-1])
	}
	if err != nil || l.k > len(pages) {
		return err
	}
	set := moiraicore.Pages{M: len(pages), Agent: l.agent}
	if set.M > 1 {
		set.Digest = fmt.Sprintf(moiraicore.Digest, sha256.Sum256([]byte(strings.Join(pages, ""))))
	}
	load, err := l.append(l.watchdog.Disarm, context, func(load *moiraicore.Load) []moiraicore.Record { return load.EarnPage(l.k, set) })
	if err == nil && load.Context != context {
		err = moiraicore.Fail("type a prompt, which brings the rules", "the context that this page was for has ended meanwhile")
	}
	return err
}

const wireIt = "wire it as make wiring prints it, then type a prompt"

// pageArgument returns which page this process is, K of N wired (D7).
func pageArgument(args []string) (k, n int, err error) {
	if len(args) <= 1 {
		return 1, 1, nil
	}
	k, n, ok := moiraicore.ParseArgument(args[1])
	if len(args) > 2 || !ok {
		return 0, 0, moiraicore.Fail(wireIt, "bad argument %s; usage: %s [K/N], 1 <= K <= N <= %d", moiraicore.Quote(strings.Join(args[1:], " ")), moiraicore.LoaderName, moiraicore.MaxPages)
	}
	return k, n, nil
}

// tooMuch is the error of a block that needs more pages than are wired (D7).
func tooMuch(content [len(moiraicore.Required)]string, need, wired int) error {
	sizes, way := "", fmt.Sprintf("make wire PAGES=%d, or shorten the files; then type a prompt", need)
	for i, r := range moiraicore.Required {
		sizes += fmt.Sprintf("%s %d, ", r.Path, moiraicore.Units(content[i]))
	}
	if need > moiraicore.MaxPages {
		way = "shorten the files; then type a prompt"
	}
	return moiraicore.Fail(way, "the required files need %d pages of %d UTF-16 units; %d are wired, %d can be (units: %sand banners). The client would silently drop the rest",
		need, moiraicore.PageUnits, wired, moiraicore.MaxPages, sizes)
}

// write puts the page on stdout. A stdout that is a device delivers nothing: it is not
// the client's pipe, and Go opens the null device in the place of a closed one (D6).
func write(page string) error {
	info, err := os.Stdout.Stat()
	if err == nil && info.Mode()&os.ModeCharDevice != 0 {
		err = errors.New("stdout is closed or a device")
	}
	if err == nil {
		_, err = os.Stdout.WriteString(page)
	}
	if err != nil {
		err = moiraicore.Fail("type a prompt, which brings the rules; if it stays, look at what runs the hook", "the rules could not be delivered: %v", err)
	}
	return err
}
