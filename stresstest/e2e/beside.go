package main

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"moirai/stresstest/realclient"
	"moirai/stresstest/rig"
)

// Where a platform gives no private /tmp, sessions run beside whatever lives on the
// machine. Then a row changes tokens of its own sessions alone, the rows that cannot are
// skipped, and the tokens of the run are removed as the rows end.

// realMoirai is where the tokens are on such a platform.
const realMoirai = "/tmp/moirai"

// besideLive says what is not isolated, and asks if tokens of other sessions are there.
// With live nobody needs to be asked.
func besideLive(iso *rig.Isolation, live bool) (standing map[string]bool, err error) {
	standing = map[string]bool{}
	if iso.PrivateTmp {
		return standing, nil
	}
	entries, _ := os.ReadDir(filepath.Join(realMoirai, "hades"))
	for _, e := range entries {
		standing[e.Name()] = true
	}
	fmt.Fprintf(os.Stderr, "NOT isolated: %s.\n", iso.Refused)
	fmt.Fprintf(os.Stderr, "  /tmp      sessions of this run have their tokens in %s, beside %d others. Those are neither changed nor removed.\n", realMoirai, len(standing))
	fmt.Fprintln(os.Stderr, "  network   the model is on 127.0.0.1 and the key is a word. Nothing else keeps the client from the network.")
	fmt.Fprintln(os.Stderr, "  home      the environment is built from nothing, with a temporary home. Nothing covers the real one.")
	fmt.Fprintf(os.Stderr, "  managed   settings in %s hold for the sessions of this run too.\n", realclient.ManagedFolder)
	if found := managedHere(); len(found) > 0 {
		fmt.Fprintf(os.Stderr, "            There are: %s. If they wire hooks, rows about user settings can fail.\n", strings.Join(found, ", "))
	}
	if len(standing) == 0 || live {
		return standing, nil
	}
	const say = "say with LIVE=1 (-live) that this machine has no live sessions, or end them first"
	// The null device is a character device too: who has nobody to ask reads its end.
	if info, err := os.Stdin.Stat(); err != nil || info.Mode()&fs.ModeCharDevice == 0 {
		return nil, fmt.Errorf("%d sessions have tokens on this machine and nobody can be asked here: %s", len(standing), say)
	}
	fmt.Fprint(os.Stderr, "Sessions may be live. Run beside them? [y/N] ")
	answer, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil {
		fmt.Fprintln(os.Stderr)
		return nil, fmt.Errorf("%d sessions have tokens on this machine and nobody can be asked here: %s", len(standing), say)
	}
	if a := strings.ToLower(strings.TrimSpace(answer)); a != "y" && a != "yes" {
		return nil, fmt.Errorf("not run: %s", say)
	}
	return standing, nil
}

// managedHere lists the managed settings of the machine.
func managedHere() []string {
	found, _ := filepath.Glob(filepath.Join(realclient.ManagedFolder, "managed-settings*.json"))
	more, _ := filepath.Glob(filepath.Join(realclient.ManagedFolder, "managed-settings.d", "*.json"))
	return append(found, more...)
}

// removeTokens removes the tokens of the row's sessions from the real folder: of those
// that the client named, and of those that left a transcript in a home of the row.
func (r *Run) removeTokens() {
	if r.private {
		return
	}
	ids := r.seen
	for _, w := range r.worlds {
		transcripts, _ := filepath.Glob(filepath.Join(w.Home, ".claude/projects/*/*.jsonl"))
		for _, t := range transcripts {
			ids = append(ids, strings.TrimSuffix(filepath.Base(t), ".jsonl"))
		}
	}
	for _, id := range ids {
		if path := tokenPath(realMoirai, id); !r.standing[filepath.Base(path)] {
			os.Remove(path)
			os.Remove(path + ".kept")
		}
	}
}
