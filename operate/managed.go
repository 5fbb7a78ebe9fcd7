package main

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"

	"moirai/moiraicore"
	"moirai/operate/wiring"
)

// installManaged puts root's copies of the programs and the drop-in where no
// user can write (D15). Programs first: the drop-in is live within seconds. No
// other settings are read or written.
func installManaged(o options) error {
	if err := needRoot(); err != nil {
		return err
	}
	dropIn := wiring.DropIn()
	for _, folder := range []string{wiring.ManagedPrograms, filepath.Dir(dropIn)} {
		if err := wiring.OnlyRoot(folder); err != nil {
			return fmt.Errorf("not installed: a user could replace what is put into %s: %w", folder, err)
		}
	}
	// What can be refused, and what is asked, comes before anything is written.
	report, err := wiring.Check(invoker(o.machine), "")
	if err != nil {
		return err
	}
	pages, err := wantedPages(o, report.MostPages()) // what is wired for more pages stays so
	if err != nil {
		return err
	}
	text, err := dropInText(o, pages)
	if err != nil {
		return err
	}
	record, err := openRecord(wiring.ManagedPrograms)
	if err != nil {
		return err
	}
	if err := putPrograms(wiring.ManagedPrograms, &record); err != nil {
		return err
	}
	if err := addDirs(&record, filepath.Dir(dropIn)); err != nil {
		return err
	}
	if _, err := putFile(wiring.RecordPath(wiring.ManagedPrograms), record.Text(), 0o644); err != nil {
		return err
	}
	changed, err := putFile(dropIn, text, 0o644)
	if err != nil {
		return err
	}
	said(changed, "installed", dropIn)
	for _, h := range report.Wired() {
		if h.Source.Tier == wiring.TierUser {
			fmt.Printf("\n%s wires them too. Run make unwire as that user now.\n", h.Source.Path)
			break
		}
	}
	fmt.Println("\n" + liveWarning + `
Take the hooks out of user settings now (make unwire): two sets of loaders can
undo each other after a compaction, and the session stays blocked.
Where an organisation has server-managed settings, these may replace the
drop-in without a warning: put what make wiring-managed prints there too.
Clients before 2.1.118 do not read drop-ins, and those before 2.1.332 skip them
when told to (--bare): keep old clients off this machine.
Next, as the user: make verify ROOT=/path/to/constellation-hades.`)
	return nil
}

// invoker is the machine as the user has it who called sudo.
func invoker(m wiring.Machine) wiring.Machine {
	if uid := os.Getenv("SUDO_UID"); uid != "" {
		if u, err := user.LookupId(uid); err == nil {
			return wiring.Machine{Home: u.HomeDir, ConfigDir: filepath.Join(u.HomeDir, ".claude")}
		}
	}
	return m
}

// dropInText is the drop-in. Strict, it carries the hooks that must go on running: the
// two of §8, and others that are asked for. What is strict already stays so, with what it carries.
func dropInText(o options, pages int) ([]byte, error) {
	dropIn := wiring.DropIn()
	isStrict, err := wiring.IsStrict(dropIn)
	if err != nil {
		return nil, err
	}
	if !o.strict && !isStrict {
		return wiring.Managed(pages), nil
	}
	carried, err := wiring.ForeignHooks(dropIn)
	if err != nil {
		return nil, err
	}
	if !o.strict {
		return wiring.Strict(pages, carried)
	}
	dirs, err := invoker(o.machine).ConfigDirs()
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		path := wiring.SettingsFile(dir)
		hooks, err := wiring.ForeignHooks(path)
		if err != nil {
			return nil, err
		}
		for _, h := range hooks {
			if slices.Contains(carried, h) {
				continue
			}
			question := fmt.Sprintf("Only managed hooks will run. Carry this one over from %s? %s: %s", path, h.Event, plain(h.Command))
			if h.Kept {
				fmt.Printf("carried   %s: %s: %s\n", path, h.Event, plain(h.Command))
			} else if !o.ask.put(question) {
				continue
			}
			carried = wiring.WithForeign(carried, h)
		}
	}
	return wiring.Strict(pages, carried)
}

// uninstallManaged takes the drop-in away first: without its programs it would
// block every constellation session.
func uninstallManaged(options) error {
	if err := needRoot(); err != nil {
		return err
	}
	record, exists, err := wiring.ReadRecord(wiring.ManagedPrograms)
	if err != nil {
		return err
	}
	if err := remove(wiring.DropIn()); err != nil {
		return err
	}
	if !exists {
		fmt.Println("nothing is installed in", wiring.ManagedPrograms)
		return nil
	}
	if err := removePrograms(wiring.ManagedPrograms, record); err != nil {
		return err
	}
	fmt.Println("The users' token files stay in", moiraicore.TokenParent, "until that is removed or /tmp is cleaned.")
	return nil
}

func needRoot() error {
	if os.Geteuid() != 0 {
		return errors.New("run it as root (sudo make install-managed, or uninstall-managed)")
	}
	return nil
}
