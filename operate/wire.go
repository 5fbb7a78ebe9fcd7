package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"moirai/moiraicore"
	"moirai/operate/wiring"
)

// plan is what wire or unwire would do to the settings of one config folder.
type plan struct {
	dir    string
	file   settingsFile
	after  []byte
	remove bool         // take the file away, as there was none
	found  wiring.Wired // what the list has of it
	exact  bool         // after is what was found
}

// change tells whether there is anything to do.
func (p plan) change() bool { return p.remove || !bytes.Equal(p.file.text, p.after) }

// accounts plans for the settings of each client of this user. Two folders whose settings are
// one file are one. What cannot be planned is printed, and failed counts it.
func accounts(o options, what func(*plan) error) (plans []plan, failed int, err error) {
	dirs, err := o.machine.ConfigDirs()
	if err != nil {
		return nil, 0, err
	}
	list, err := wiring.ReadWired(o.machine.Programs())
	if err != nil {
		return nil, 0, err
	}
	for _, dir := range dirs {
		p := plan{dir: dir}
		p.file, err = readSettings(dir)
		if err == nil && slices.ContainsFunc(plans, func(o plan) bool { return o.file.target == p.file.target }) {
			continue
		}
		for _, w := range list {
			if w.File == p.file.path && p.file.info != nil && w.SHA256 == sum(p.file.text) {
				p.found = w
			}
		}
		if err == nil {
			err = what(&p)
		}
		if err == nil && p.change() {
			err = p.file.mayWrite()
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "operate: %s is left as it is: %v\n", wiring.SettingsFile(dir), err)
			failed++
			continue
		}
		plans = append(plans, p)
	}
	return plans, failed, nil
}

// original is what wire found, as long as nothing else has written there since.
func (p plan) original() (text []byte, exists, known bool) {
	if p.found.SHA256 == "" {
		return nil, false, false
	}
	if p.found.Backup == "" {
		return nil, false, true
	}
	text, err := os.ReadFile(p.found.Backup)
	return text, true, err == nil
}

// wire puts the hooks into the settings of each account, in the place of those
// of the bash version (§6 step 8), after it has shown what it would change. It
// installs what the hooks name first, so that no session meets one without the other.
func wire(o options) error {
	report, err := wiring.Check(o.machine, "")
	if err != nil {
		return err
	}
	for _, h := range report.Wired() {
		if h.Source.Tier == wiring.TierManaged {
			return fmt.Errorf("not wired: the hooks are in %s, and two sets of them can leave a session closed after a compaction", h.Source.Path)
		}
	}
	pages, err := wantedPages(o, report.MostPages())
	if err != nil {
		return err
	}
	plans, failed, err := accounts(o, func(p *plan) error {
		m := wiring.Machine{Home: o.machine.Home, ConfigDir: p.dir}
		base := p.file.text
		if text, _, known := p.original(); known {
			base, p.exact = text, true
		} else {
			p.exact = !wiring.HoldsOurs(base, m)
		}
		if p.after, err = wiring.Rewired(base, wiring.UserWires(m, pages), m.Home); err == nil && (o.statusLine || wiring.HasStatusLine(p.file.text, m)) {
			p.after, err = wiring.WithStatusLine(p.after, m)
		}
		return err
	})
	if err != nil {
		return err
	}
	accepted, declined := consent(o, plans, "Write this")
	if len(accepted) > 0 {
		if err := wireAll(o, accepted); err != nil {
			return err
		}
		fmt.Println("\n" + liveWarning)
		fmt.Printf("\n%d pages are wired. Next: make verify ROOT=/path/to/constellation-hades.\n", pages)
	}
	return notDone(failed, declined, "wired")
}

// consent shows what would change and asks: for each account, or with ALL=1
// once. An account without a change needs no answer.
func consent(o options, plans []plan, question string) (accepted []plan, declined int) {
	var changes []plan
	for _, p := range plans {
		if !p.change() {
			fmt.Printf("unchanged %s\n", p.file.path)
			accepted = append(accepted, p)
			continue
		}
		changes = append(changes, p)
	}
	show := func(p plan) {
		name := p.file.path
		if p.file.target != p.file.path {
			name += ", which leads to " + p.file.target
		}
		fmt.Printf("\n%s:\n%s", name, diff(p.file.text, p.after))
		if p.remove {
			fmt.Println("  and then the file, which was not there, is taken away")
		}
	}
	if o.all && len(changes) > 0 {
		for _, p := range changes {
			show(p)
		}
		if o.ask.put(fmt.Sprintf("%s to all %d?", question, len(changes))) {
			return append(accepted, changes...), 0
		}
		return accepted, len(changes)
	}
	for _, p := range changes {
		show(p)
		if o.ask.put(fmt.Sprintf("%s to %s?", question, p.file.path)) {
			accepted = append(accepted, p)
		} else {
			declined++
		}
	}
	return accepted, declined
}

// wireAll installs, and writes the settings of these accounts.
func wireAll(o options, plans []plan) error {
	var dirs []string
	for _, p := range plans {
		dirs = append(dirs, p.dir)
	}
	if err := place(o, dirs); err != nil {
		return err
	}
	for _, p := range plans {
		if !p.change() {
			continue
		}
		w := wiring.Wired{File: p.file.path, Backup: p.found.Backup, SHA256: sum(p.after)}
		if p.found.SHA256 == "" && p.file.info != nil {
			var err error
			if w.Backup, err = p.file.backup(time.Now()); err != nil {
				return err
			}
			said(true, "kept", p.file.path+" as "+w.Backup)
		}
		// Before the settings, so that what was found is not forgotten.
		if err := list(o, w, p.exact); err != nil {
			return err
		}
		if err := p.file.replace(p.after); err != nil {
			return err
		}
		said(true, "wired", p.file.path)
	}
	return nil
}

// list enters what wire found, if unwire can give that back.
func list(o options, w wiring.Wired, exact bool) error {
	if !exact {
		w.SHA256 = ""
	}
	all, err := wiring.ReadWired(o.machine.Programs())
	if err != nil {
		return err
	}
	path := wiring.WiredPath(o.machine.Programs())
	if all = wiring.WithWired(all, w); len(all) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	_, err = putFile(path, wiring.WiredText(all), 0o600)
	return err
}

// unwire takes our hooks out of the settings of each account. A file that nobody
// else has written since wire did becomes what it was, byte for byte, the bash version's
// entries too; of any other only our entries are taken out.
func unwire(o options) error {
	plans, failed, err := accounts(o, func(p *plan) error {
		if text, exists, known := p.original(); known {
			p.after, p.remove, p.exact = text, !exists, true
			return nil
		}
		var err error
		p.after, err = wiring.Unwired(p.file.text, wiring.Machine{Home: o.machine.Home, ConfigDir: p.dir})
		return err
	})
	if err != nil {
		return err
	}
	accepted, declined := consent(o, plans, "Take this out: write it")
	for _, p := range accepted {
		if !p.change() {
			continue
		}
		if err := unwireOne(o, p); err != nil {
			return err
		}
	}
	return notDone(failed, declined, "unwired")
}

func unwireOne(o options, p plan) error {
	if !p.exact {
		kept, err := p.file.backup(time.Now())
		if err != nil {
			return err
		}
		said(true, "kept", p.file.path+" as "+kept)
	}
	var err error
	if p.remove {
		err = p.file.remove()
	} else {
		err = p.file.replace(p.after)
	}
	if err != nil {
		return err
	}
	said(true, "unwired", p.file.path)
	if err := list(o, wiring.Wired{File: p.file.path}, false); err != nil {
		return err
	}
	if p.exact && p.found.Backup != "" {
		return remove(p.found.Backup) // the settings are that again
	}
	if !p.exact {
		fmt.Println("It was changed after it was wired: only our entries were taken out. What wire replaced stands in the backups beside it.")
	}
	return nil
}

func notDone(failed, declined int, done string) error {
	if declined > 0 {
		fmt.Printf("\n%d accounts are not %s, since the answer was not yes (YES=1 for scripts).\n", declined, done)
	}
	if failed > 0 || declined > 0 {
		return errFound
	}
	return nil
}

// wantedPages is how many loaders are to be wired: PAGES=, or as many as the files of
// ROOT= need, and no fewer than are wired already, or than a root that grows is likely to need.
func wantedPages(o options, wired int) (int, error) {
	needed := 0
	if o.root != "" {
		scope := moiraicore.Locate(o.root)
		content, err := moiraicore.ReadRequired(scope)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", o.root, err)
		}
		pages, err := moiraicore.Paginate(content, scope.Root)
		if err != nil {
			return 0, err
		}
		if needed = len(pages); needed > moiraicore.MaxPages {
			return 0, fmt.Errorf("the files of %s need %d pages, more than the %d that can be wired: shorten them", o.root, needed, moiraicore.MaxPages)
		}
	}
	if o.pages == 0 {
		return max(wiring.Pages, wired, needed), nil
	}
	if o.pages < 1 || o.pages > moiraicore.MaxPages {
		return 0, fmt.Errorf("PAGES=%d: it must be 1 to %d", o.pages, moiraicore.MaxPages)
	}
	if o.pages < needed {
		return 0, fmt.Errorf("PAGES=%d is too few: the files of %s need %d", o.pages, strings.TrimSpace(o.root), needed)
	}
	return o.pages, nil
}
