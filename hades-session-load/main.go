// Command hades-session-load is the SessionStart hook of Moirai for Hades: it
// puts the three required files into the agent's context and records markers
// 1–3 for what went out (§4.2.1, D6, D7).
//
// It is wired K/N, as the K-th of N commands, since the client keeps only
// 10,000 UTF-16 units of each; without an argument it is 1/1. The order is the
// whole point: read and check everything, write the page, and only when its
// last byte is accepted append the marker. Exit 0, or exit 2 with no marker.
package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"syscall"

	"moirai/moiraicore"
)

func main() { moiraicore.Run(load) }

func load(w *moiraicore.Watchdog) {
	payload := moiraicore.Must(moiraicore.ReadPayload(os.Stdin))
	scope := moiraicore.Locate(moiraicore.Must(payload.Cwd()))
	if !scope.In {
		return
	}
	session := moiraicore.Must(payload.Session())
	event := moiraicore.Must(payload.TextOr(moiraicore.KeyEvent, moiraicore.SessionStart))
	compacted := moiraicore.Must(payload.TextOr(moiraicore.KeySource, "")) == moiraicore.SourceCompact
	if event != moiraicore.SessionStart {
		moiraicore.Check(moiraicore.Fail(wireIt, "%s is wired for the event %s", moiraicore.LoaderName, moiraicore.Quote(event)))
	}
	moiraicore.Check(moiraicore.CheckTokenDir())
	record := func(commit func(), earn func(*moiraicore.Load) []moiraicore.Record) {
		moiraicore.Check(moiraicore.AppendToken(session, scope.Root, moiraicore.SessionStart, moiraicore.MainAgent, commit, earn))
	}
	k, pages, err := deliver(scope)
	if err != nil && compacted {
		// What was read since PreCompact has left the context too (D8).
		record(func() {}, (*moiraicore.Load).EarnVoidIfAny)
	}
	moiraicore.Check(err)
	if k > len(pages) {
		return
	}
	set := moiraicore.Pages{M: len(pages)}
	if set.M > 1 {
		set.Digest = fmt.Sprintf(moiraicore.Digest, sha256.Sum256([]byte(strings.Join(pages, ""))))
	}
	record(w.Disarm, func(l *moiraicore.Load) []moiraicore.Record { return l.EarnPage(k, set, compacted) })
}

// deliver reads and checks everything, and writes the page that this process
// was wired for, or nothing if there are fewer. It returns which page that is
// and all of them.
func deliver(scope moiraicore.Scope) (k int, pages []string, err error) {
	k, n, err := pageArgument(os.Args)
	if err != nil {
		return 0, nil, err
	}
	content, err := moiraicore.ReadRequired(scope)
	if err != nil {
		return 0, nil, err
	}
	pages, err = moiraicore.Paginate(content, scope.Root)
	if err == nil && len(pages) > n {
		err = tooMuch(content, len(pages), n)
	}
	if err == nil && k <= len(pages) {
		err = write(pages[k-1])
	}
	return k, pages, err
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
