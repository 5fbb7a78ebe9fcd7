package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"moirai/operate/wiring"
)

// startPage is the command that install offers. The client takes it before a
// constellation's own of that name, so it sends the agent there.
const startPage = `---
description: Start this session of the constellation (Moirai for Hades)
---
The operator has started this session. If the constellation has a start command of its own
(.claude/commands/start.md or .claude/skills/start/SKILL.md in its root folder), read that file now
and do what it says. If it has none, say in one line that the session is started, and wait.

$ARGUMENTS
`

// offerStart asks whether the user's own folder gets a command named start: a session
// that was started elsewhere and went in by cd knows no other. It never goes over one that is there.
func offerStart(o options) error {
	path := filepath.Join(o.machine.ConfigDir, "commands/start.md")
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) || wiring.StartCommand(o.machine.ConfigDir) != "" {
		return nil
	}
	fmt.Println("\nA session that was started elsewhere does not know the constellation's own /start.")
	if !o.ask.put("Put a command of that name into " + path + "?") {
		return nil
	}
	record, err := openRecord(o.machine.Programs())
	if err != nil {
		return err
	}
	if err := addDirs(&record, filepath.Dir(path)); err != nil {
		return err
	}
	record.Sums[path] = sum([]byte(startPage))
	if _, err := putFile(wiring.RecordPath(o.machine.Programs()), record.Text(), 0o644); err != nil {
		return err
	}
	changed, err := putFile(path, []byte(startPage), 0o644)
	said(changed, "installed", path)
	return err
}

// leaveChanged takes files out of the record that lie outside of folder and that
// somebody has changed: they are not ours any more.
func leaveChanged(folder string, record *wiring.Record) {
	for _, path := range sortedKeys(record.Sums) {
		if rest, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(rest) {
			continue
		}
		if text, err := os.ReadFile(path); err == nil && sum(text) != record.Sums[path] {
			said(true, "left", path+": it was changed")
			delete(record.Sums, path)
		}
	}
}
