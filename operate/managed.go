package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

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
	wired, err := wiring.PagesIn(dropIn) // what was wired for more pages stays so
	if err != nil {
		return err
	}
	pages, err := wantedPages(o, wired)
	if err != nil {
		return err
	}
	changed, err := putFile(dropIn, wiring.Managed(pages), 0o644)
	if err != nil {
		return err
	}
	said(changed, "installed", dropIn)
	fmt.Println("\n" + liveWarning + `
Take the hooks out of user settings now (make verify names them): two sets of
loaders can undo each other after a compaction, and the session stays blocked.
Where an organisation has server-managed settings, these may replace the
drop-in without a warning: put what make wiring-managed prints there too.
Clients before 2.1.118 do not read drop-ins, and those before 2.1.332 skip them
when told to (--bare): keep old clients off this machine.
Next, as the user: make verify ROOT=/path/to/constellation-hades.`)
	return nil
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
