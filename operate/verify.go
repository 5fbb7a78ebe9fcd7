package main

import (
	"fmt"
	"os"

	"moirai/operate/wiring"
)

// verify checks the wiring as it is: what each client of this user would read,
// judged without running anything, the programs themselves, and then each wired
// command, run through the shell as the client runs it. It is never green on
// configuration alone: with no command that ran, it fails.
//
// Not judged is the order of hooks: the client runs all that match and one exit
// 2 blocks, wherever it stands.
func verify(o options) error {
	report, err := wiring.Check(o.machine, o.root)
	if err != nil {
		return err
	}
	printSources(report)
	t := table{}
	for _, f := range report.Findings {
		t.row(false, f.Name, f.Detail)
	}
	if len(report.Findings) == 0 {
		t.row(true, "wiring", "as make wiring prints it, in force, nothing retired")
	}
	programs, found, err := wiring.Programs(o.machine, report)
	if err != nil {
		return err
	}
	for _, f := range found {
		t.row(false, f.Name, f.Detail)
	}
	if len(found) == 0 && len(programs) > 0 {
		t.row(true, "programs", "mode 0755, in nobody else's reach, as install put them there")
	}
	if err := rehearse(report, o.root, &t); err != nil {
		return err
	}
	printNotes(report)
	if err := printProjectCode(o.root); err != nil {
		return err
	}
	fmt.Printf("\n%d passed, %d failed\n", t.passed, t.failed)
	if t.failed > 0 {
		fmt.Println("What each name means and what to do:", page("ALERTS.md"))
		return errFound
	}
	return nil
}

// table prints and counts what was checked.
type table struct{ passed, failed int }

func (t *table) row(ok bool, name, detail string) {
	mark := "ok  "
	if ok {
		t.passed++
	} else {
		mark = "FAIL"
		t.failed++
	}
	fmt.Printf("%s %-26s %s\n", mark, name, detail)
}

func printSources(report wiring.Report) {
	for _, c := range report.Clients {
		fmt.Println("A client with the config folder", c.ConfigDir, "reads:")
		for _, s := range c.Sources {
			fmt.Printf("  %-8s %s (%d of our hooks)\n", s.Tier, s.Path, len(s.Hooks))
		}
		if len(c.Sources) == 0 {
			fmt.Println("  no settings")
		}
	}
	fmt.Println()
}

// printProjectCode notes what the root's own files make the client run.
func printProjectCode(root string) error {
	if root == "" {
		return nil
	}
	notes, err := wiring.ProjectCode(root)
	if err != nil || len(notes) == 0 {
		return err
	}
	fmt.Println("\nNote: files of", root, "make the client run this, before /start too. No hook is asked; review it:")
	for _, n := range notes {
		fmt.Println("  " + plain(n))
	}
	return nil
}

// printNotes says what no check can make good.
func printNotes(report wiring.Report) {
	for _, h := range report.Hooks() {
		if h.Source.Tier != wiring.TierManaged {
			fmt.Fprintln(os.Stdout, `
Note: the hooks are in settings that a flag, a project's settings or an
environment variable can switch off. What make install-managed puts in
place cannot be, with Claude Code 2.1.332. More:`, page("THREAT-MODEL.md"))
			return
		}
	}
}
