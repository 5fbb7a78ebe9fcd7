package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"moirai/moiraicore"
	"moirai/operate/history"
	"moirai/operate/wiring"
)

// linkNames are the names under which settings find the hooks: ours and the
// bash version's, so that settings that name its scripts keep working (D16).
var linkNames = map[string]string{
	moiraicore.GateName:           moiraicore.GateName,
	moiraicore.GateName + ".sh":   moiraicore.GateName,
	moiraicore.LoaderName:         moiraicore.LoaderName,
	moiraicore.LoaderName + ".sh": moiraicore.LoaderName,
}

// probeLink is where an hourly runner in the constellation looks for the probe (§4.1).
const probeLink = "cerberus/probes/" + probeName + ".sh"

// install puts the programs in place for this user's config folder.
func install(o options) error {
	if err := place(o, []string{o.machine.ConfigDir}); err != nil {
		return err
	}
	if err := offerStart(o); err != nil {
		return err
	}
	fmt.Println("\nNext: make wire (put the hooks into the settings), then make verify ROOT=/path/to/constellation-hades.")
	return nil
}

// place copies the programs into their folder and links them into the config
// folders, and with a root the probe into the constellation (D16). Run again, it
// changes only what differs.
func place(o options, configDirs []string) error {
	links := map[string]string{}
	for _, dir := range configDirs {
		m := wiring.Machine{Home: o.machine.Home, ConfigDir: dir}
		for name, program := range linkNames {
			links[filepath.Join(m.Links(), name)] = filepath.Join(m.Programs(), program)
		}
	}
	if o.root != "" {
		scope := moiraicore.Locate(o.root)
		if !scope.In {
			return fmt.Errorf("%s is no Hades root: no part of the path is named %s", o.root, moiraicore.ScopeName)
		}
		if !scope.Whole {
			return fmt.Errorf("%s is no Hades root: no directory holds all three required files (tried: %s)", o.root, strings.Join(scope.Tried, ", "))
		}
		links[filepath.Join(scope.Root, probeLink)] = filepath.Join(o.machine.Programs(), probeName)
	}
	record, err := openRecord(o.machine.Programs())
	if err != nil {
		return err
	}
	if err := putPrograms(o.machine.Programs(), &record); err != nil {
		return err
	}
	paths := sortedKeys(links)
	for _, path := range paths {
		if err := addDirs(&record, filepath.Dir(path)); err != nil {
			return err
		}
		if !slices.Contains(record.Links, path) {
			record.Links = append(record.Links, path)
		}
	}
	// Before the links, so that what can be in the way can also be undone.
	if _, err := putFile(wiring.RecordPath(o.machine.Programs()), record.Text(), 0o644); err != nil {
		return err
	}
	for _, path := range paths {
		if err := putOurLink(path, links[path]); err != nil {
			return err
		}
	}
	return nil
}

// putOurLink replaces what is at path by our link and keeps what is not ours.
func putOurLink(path, target string) error {
	if !isLinkTo(path, target) {
		backup, err := keep(path)
		if err != nil {
			return err
		}
		if backup != "" {
			said(true, "kept", path+" as "+backup)
		}
	}
	changed, err := putLink(path, target)
	if err == nil {
		said(changed, "linked", path)
	}
	return err
}

// uninstall undoes install. While settings still name the hooks, it would block
// every constellation session, so it refuses unless forced.
func uninstall(o options) error {
	folder := o.machine.Programs()
	record, exists, err := wiring.ReadRecord(folder)
	if err != nil {
		return err
	}
	if !exists {
		fmt.Println("nothing is installed in", folder)
		return nil
	}
	wired, err := stillWired(o.machine, record)
	if err != nil {
		return err
	}
	if wired != "" && !o.force {
		return fmt.Errorf("not uninstalled: settings still name the hooks, and a missing gate blocks every constellation session:\n%s"+
			"Take these out first (make unwire; they are live within seconds), then uninstall again; or uninstall -force (make uninstall FORCE=1)", wired)
	}
	othersTokens := false // of the bash version, if that is back
	for _, path := range record.Links {
		gaveBack, err := takeLink(path, folder)
		if err != nil {
			return err
		}
		othersTokens = othersTokens || gaveBack
	}
	if err := remove(wiring.WiredPath(folder)); err != nil {
		return err
	}
	leaveChanged(folder, &record)
	if err := removePrograms(folder, record); err != nil {
		return err
	}
	if wired != "" {
		fmt.Printf("Settings still name what is gone. Every constellation session is blocked until these are taken out:\n%s", wired)
	}
	if _, managed, err := wiring.ReadRecord(wiring.ManagedPrograms); othersTokens || managed || err != nil {
		return err
	}
	return removeTokens()
}

// takeLink gives path back what install kept from it, or removes our link.
func takeLink(path, folder string) (gaveBack bool, err error) {
	if target, err := os.Readlink(path); err != nil || filepath.Dir(target) != folder {
		if _, err := os.Lstat(path); err == nil {
			said(true, "left", path+": it is not our link any more")
		}
		return false, nil
	}
	kept, _ := backups(path)
	if len(kept) == 0 {
		return false, remove(path)
	}
	newest := kept[len(kept)-1]
	if err := os.Rename(newest, path); err != nil {
		return false, err
	}
	said(true, "gave back", path)
	for _, older := range kept[:len(kept)-1] {
		said(true, "left", older+": an older backup")
	}
	return true, nil
}

// removeTokens removes the token files: nothing is left that reads them.
func removeTokens() error {
	sessions, err := history.Sessions()
	if err != nil {
		return err
	}
	for _, session := range sessions {
		if err := os.Remove(moiraicore.TokenPath(session)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return removeDirs([]string{moiraicore.TokenParent, moiraicore.TokenDir})
}

// stillWired lists, a line each, the hooks in settings whose program would be
// gone. A name that gets its old file back is not gone.
func stillWired(m wiring.Machine, record wiring.Record) (lines string, err error) {
	for _, configDir := range configDirs(m, record) {
		report, err := wiring.Check(wiring.Machine{Home: m.Home, ConfigDir: configDir}, "")
		if err != nil {
			return "", err
		}
		for _, h := range report.Wired() {
			kept, _ := backups(h.Program)
			ours := filepath.Dir(moiraicore.Resolve(h.Program)) == moiraicore.Resolve(m.Programs())
			line := fmt.Sprintf("  %s: %s: %s\n", h.Source.Path, h.Event, h.Command)
			if ours && len(kept) == 0 && !strings.Contains(lines, line) {
				lines += line
			}
		}
	}
	return lines, nil
}

// configDirs are the config folders that install has linked into, and the present one.
func configDirs(m wiring.Machine, record wiring.Record) []string {
	dirs := []string{m.ConfigDir}
	for _, path := range record.Links {
		other := wiring.Machine{ConfigDir: filepath.Dir(filepath.Dir(filepath.Dir(path)))}
		if other.Links() == filepath.Dir(path) && !slices.Contains(dirs, other.ConfigDir) {
			dirs = append(dirs, other.ConfigDir)
		}
	}
	return dirs
}

func sortedKeys(m map[string]string) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
