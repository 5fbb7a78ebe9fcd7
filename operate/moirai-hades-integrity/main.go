// Command moirai-hades-integrity is the hourly probe of Moirai for Hades (§7).
// It tells of what the gate itself cannot: that the gate is no longer there,
// was changed, or is not asked.
//
//	moirai-hades-integrity [-root DIR]
//
// It prints one line per alert, `ALERT <name> <detail>`, and last one summary
// line. Exit 0: healthy. Exit 1: alerts. Exit 2: it could not run, with the reason on stderr; a
// file that it may not read is that, and no alert (a token file excepted). The names are an interface,
// listed in alert.go and in operate/wiring/names.go and explained in docs/ALERTS.md.
//
// It is read-only, runs nothing, opens no network connection, holds the lock of
// a token file no longer than a read, and takes no time worth speaking of: the
// token files are first read without their locks, and only what looks wrong
// is read again as the gate would.
//
// Called through the link that install makes in a constellation,
// ROOT/cerberus/probes/moirai-hades-integrity.sh, it checks that root too; an
// hourly runner there needs to pass nothing.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"moirai/moiraicore"
	"moirai/operate/wiring"
)

// memoryLimit is where garbage is collected after all: very many token files, or
// very large ones.
const memoryLimit = 256 << 20

func main() {
	root := flag.String("root", rootOfLink(os.Args[0]), "also check the `DIR` of a constellation")
	flag.Parse()
	// A life of milliseconds: collecting garbage costs more than it frees.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memoryLimit)
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	alerts, seen, err := probe(*root, time.Now())
	if err != nil {
		fmt.Fprintln(os.Stderr, "moirai-hades-integrity could not run:", err)
		os.Exit(2)
	}
	for _, a := range alerts {
		fmt.Println("ALERT", a.Name, oneLine(a.Detail))
	}
	fmt.Printf("moirai-hades-integrity: %d alerts, %s\n", len(alerts), seen)
	if len(alerts) > 0 {
		os.Exit(1)
	}
}

// rootOfLink is the constellation whose link this program was called by; empty
// if it was called otherwise.
func rootOfLink(argv0 string) string {
	path, err := filepath.Abs(argv0)
	if err != nil {
		return ""
	}
	probes := filepath.Dir(path)
	root := filepath.Dir(filepath.Dir(probes))
	if probes != filepath.Join(root, "cerberus/probes") || !moiraicore.Locate(root).In {
		return ""
	}
	return root
}

// probe looks at everything. Seen says how much there was to look at.
func probe(root string, now time.Time) (alerts []alert, seen string, err error) {
	m, err := wiring.Here()
	if err != nil {
		return nil, "", err
	}
	report, err := wiring.Check(m, root)
	if err != nil {
		return nil, "", err
	}
	_, programs, err := wiring.Programs(m, report)
	if err != nil {
		return nil, "", err
	}
	for _, f := range append(report.Findings, programs...) {
		alerts = append(alerts, alert(f))
	}
	alerts = append(alerts, mcpServeAlerts(m, root, procDir)...)
	dir, err := tokenDirAlerts()
	if err != nil {
		return nil, "", err
	}
	alerts = append(alerts, dir...)
	seen = fmt.Sprintf("%d wired hooks", len(report.Hooks()))
	if root != "" {
		seen += ", root " + root
	}
	if dir != nil && dir[0].Name != dirMissing {
		return alerts, seen + ", token files not looked at", nil
	}
	_, last := installed(m)
	tokens, err := tokenAlerts(now, last)
	if err != nil {
		return nil, "", err
	}
	ofSessions, over, err := current(tokens.alerts, report, now)
	if err != nil {
		return nil, "", err
	}
	alerts = slices.Concat(alerts, ofSessions, tokens.staleAlert(now))
	ungated, err := ungatedAlerts(m, report, now)
	if err != nil {
		return nil, "", err
	}
	return append(alerts, ungated...), fmt.Sprintf("%s, %d token files%s", seen, tokens.count, over), nil
}
