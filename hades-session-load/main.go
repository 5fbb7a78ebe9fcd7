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
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"moirai/moiraicore"
)

func main() { moiraicore.Run(load) }

func load(w *moiraicore.Watchdog) error {
	payload, err := moiraicore.ReadPayload(os.Stdin)
	if err != nil {
		return err
	}
	cwd, err := payload.Cwd()
	if err != nil {
		return err
	}
	scope := moiraicore.Locate(cwd)
	if !scope.In {
		return nil
	}
	session, err := judge(payload)
	if err != nil {
		return err
	}
	if err := moiraicore.CheckTokenDir(); err != nil {
		return err
	}
	k, n, err := pageArgument(os.Args)
	if err != nil {
		return err
	}
	content, err := moiraicore.ReadRequired(scope)
	if err != nil {
		return err
	}
	pages, err := moiraicore.Paginate(content, scope.Root)
	if err != nil {
		return err
	}
	if len(pages) > n {
		return tooMuch(content, len(pages), n)
	}
	if k > len(pages) {
		return nil
	}
	if err := deliver(pages[k-1]); err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(strings.Join(pages, "")))
	digest := "sha256:" + hex.EncodeToString(sum[:])
	return moiraicore.AppendToken(session, scope.Root, moiraicore.SessionStart, moiraicore.MainAgent, w.Disarm,
		func(l *moiraicore.Load) []moiraicore.Record { return l.EarnPage(k, len(pages), digest) })
}

// judge judges what the loader needs besides cwd (D1).
func judge(payload moiraicore.Payload) (session string, err error) {
	if payload.HasEvent() {
		event, err := payload.Event()
		if err != nil {
			return "", err
		}
		if event != moiraicore.SessionStart {
			return "", miswired("it got the event " + moiraicore.Quote(event))
		}
	}
	return payload.Session()
}

// pageArgument returns which page this process is, K of N wired (D7).
func pageArgument(args []string) (k, n int, err error) {
	if len(args) <= 1 {
		return 1, 1, nil
	}
	if len(args) == 2 {
		ks, ns, _ := strings.Cut(args[1], "/")
		k, _ = strconv.Atoi(ks)
		n, _ = strconv.Atoi(ns)
		if 1 <= k && k <= n && n <= moiraicore.MaxPages && fmt.Sprintf("%d/%d", k, n) == args[1] {
			return k, n, nil
		}
	}
	return 0, 0, miswired(fmt.Sprintf("bad argument %s; usage: %s [K/N], 1 <= K <= N <= %d",
		moiraicore.Quote(strings.Join(args[min(1, len(args)):], " ")), moiraicore.LoaderName, moiraicore.MaxPages))
}

func miswired(what string) error {
	return &moiraicore.Closed{
		Condition: moiraicore.LoaderName + " is wired wrongly: " + what,
		WayOut:    "wire it for SessionStart as make wiring prints it, then restart or resume the session",
	}
}

func tooMuch(content [len(moiraicore.Required)]string, need, n int) error {
	var sizes strings.Builder
	for i, r := range moiraicore.Required {
		fmt.Fprintf(&sizes, "%s %d, ", r.Path, moiraicore.Units(content[i]))
	}
	return &moiraicore.Closed{
		Condition: fmt.Sprintf("the required files need %d pages of %d UTF-16 units and %d are wired (units: %sbanners extra); the client would silently drop the rest",
			need, moiraicore.PageUnits, n, sizes.String()),
		WayOut: fmt.Sprintf("wire %s 1/%d to %d/%d (at most %d), or shorten the files; then restart or resume the session",
			moiraicore.LoaderName, need, need, need, moiraicore.MaxPages),
	}
}

// deliver writes the page to stdout. A stdout that is /dev/null, which Go also
// opens in the place of a closed one, delivers nothing (D6).
func deliver(page string) error {
	if isNull(os.Stdout) {
		return undelivered("stdout is closed or the null device")
	}
	if _, err := os.Stdout.WriteString(page); err != nil {
		return undelivered(err.Error())
	}
	return nil
}

func undelivered(why string) error {
	return &moiraicore.Closed{
		Condition: "the rules could not be delivered: " + why,
		WayOut:    "restart or resume the session; if it stays, look at what runs the hook",
	}
}

// isNull tells whether f is the null device under any name; a device that
// cannot be told from it counts as one.
func isNull(f *os.File) bool {
	info, err := f.Stat()
	if err != nil {
		return true
	}
	if info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || null.Sys().(*syscall.Stat_t).Rdev == info.Sys().(*syscall.Stat_t).Rdev
}
