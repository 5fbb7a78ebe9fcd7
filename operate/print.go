package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"moirai/operate/wiring"
)

// liveWarning stands in everything that leads to hooks being wired.
const liveWarning = `Settings are live: within seconds every open session in a constellation is
gated too, and was never loaded. Each of them gets out by reading the three
files that the block message names in full, or by a restart or resume; then
/start. Sessions elsewhere notice nothing.`

// printWiring prints the block for user settings on stdout, ready to paste or to
// redirect, and what to know about it on stderr.
func printWiring(o options) error {
	report, err := wiring.Check(o.machine, "")
	if err != nil {
		return err
	}
	pages, err := wantedPages(o, report.MostPages())
	if err != nil {
		return err
	}
	if _, err := os.Stdout.Write(wiring.User(o.machine, pages)); err != nil {
		return err
	}
	file := filepath.Join(o.machine.ConfigDir, "settings.json")
	fmt.Fprintf(os.Stderr, `
make wire does this for you, and make unwire takes it back. By hand: paste this
into %s, event by event beside what else is there. One comma too many, and the
client ignores the whole file without a word: every session runs ungated.
Leave hades-deployment-gate.sh and hades-vault-guard.sh as they are.
`, file)
	fmt.Fprint(os.Stderr, replaces(report, wiring.EveryUserWire(o.machine, pages)))
	fmt.Fprintf(os.Stderr, `
If no client of yours is older than 2.1.118, add this beside the others in hooks:
from 2.1.332 on it gates the shell code that skills and typed commands hold, which
runs before /start otherwise. An older client than that would drop the whole file.
%s`, wiring.UserSkillShell(o.machine))
	fmt.Fprintln(os.Stderr, liveWarning+`
User settings can be switched off by a flag, a project's settings or an
environment variable; what make install-managed puts in place cannot, with
Claude Code 2.1.332. Then: make verify ROOT=/path/to/constellation-hades.`)
	return nil
}

// replaces says which hooks there are now that the printed ones take the place
// of (§6 step 8).
func replaces(report wiring.Report, printed []wiring.Wire) string {
	text := ""
	for _, h := range report.Wired() {
		if slices.Contains(printed, h.Wire()) {
			continue
		}
		text += fmt.Sprintf("  %s: %s: %s\n", h.Source.Path, h.Event, h.Command)
	}
	for _, f := range report.Findings {
		if f.Name == wiring.RetiredHook {
			text += "  " + f.Detail + "\n"
		}
	}
	if text == "" {
		return "It replaces nothing: no settings of yours name Moirai in another way.\n"
	}
	return "It replaces these, take them out:\n" + text
}

func printManaged(o options) error {
	pages, err := wantedPages(o, 0)
	if err != nil {
		return err
	}
	if _, err := os.Stdout.Write(wiring.Managed(pages)); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, `
This is %s as make install-managed writes it.
%s
`, wiring.DropIn(), liveWarning)
	return nil
}
