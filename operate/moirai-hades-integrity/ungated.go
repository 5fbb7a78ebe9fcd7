package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"moirai/moiraicore"
	"moirai/operate/wiring"
)

const (
	lastDay = 24 * time.Hour
	// Where a transcript's first lines tell folder and time at the latest.
	transcriptHead = 1 << 20
	// The client cuts longer folder names and puts a hash behind.
	maxProjectName = 200
)

// ungatedAlerts finds sessions of the last day in a constellation, by the
// client's transcripts, that have no token: the sign that the hooks never ran.
// Sessions from before the machine started or the hooks were installed are
// passed over: their tokens are rightly gone, or never were.
func ungatedAlerts(m wiring.Machine, report wiring.Report, now time.Time) ([]alert, error) {
	since := now.Add(-lastDay)
	first, _ := installed(m)
	for _, t := range []time.Time{booted(now), first} {
		if t.After(since) {
			since = t
		}
	}
	var alerts []alert
	for _, c := range report.Clients {
		transcripts, err := hadesTranscripts(filepath.Join(c.ConfigDir, "projects"), since)
		if err != nil {
			return nil, err
		}
		for _, path := range transcripts {
			session := strings.TrimSuffix(filepath.Base(path), ".jsonl")
			if _, err := os.Lstat(moiraicore.TokenPath(session)); !errors.Is(err, fs.ErrNotExist) {
				continue
			}
			cwd, began := beginning(path)
			if began.After(since) && moiraicore.Locate(cwd).In {
				alerts = append(alerts, alarm(ungated, "%s began %v ago in %s and has no token: the hooks never ran, its load failed, or it runs in a sandbox with a /tmp of its own",
					path, now.Sub(began).Round(time.Minute), cwd))
			}
		}
	}
	return alerts, nil
}

// hadesTranscripts lists the transcripts written since then in folders whose
// names could be those of a constellation: the client makes them of the
// session's first folder, with every other character than letters and digits as "-".
func hadesTranscripts(projects string, since time.Time) ([]string, error) {
	folders, err := readDir(projects)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, folder := range folders {
		name := strings.ToLower(folder.Name())
		if !strings.Contains(name, moiraicore.ScopeName) && len(name) < maxProjectName {
			continue
		}
		files, err := readDir(filepath.Join(projects, folder.Name()))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if !strings.HasSuffix(f.Name(), ".jsonl") || strings.HasPrefix(f.Name(), "agent-") {
				continue // a subagent's transcript has its parent's session
			}
			if info, err := f.Info(); err == nil && info.Mode().IsRegular() && info.ModTime().After(since) {
				paths = append(paths, filepath.Join(projects, folder.Name(), f.Name()))
			}
		}
	}
	return paths, nil
}

// readDir is os.ReadDir, but what is no folder, or not there, is empty.
func readDir(path string) ([]os.DirEntry, error) {
	if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil, nil
	}
	return os.ReadDir(path)
}

// beginning reads in which folder and when a session began. Where the
// transcript does not tell, the time is zero.
func beginning(path string) (cwd string, began time.Time) {
	f, err := os.Open(path)
	if err != nil {
		return "", time.Time{}
	}
	defer f.Close()
	lines := bufio.NewReader(io.LimitReader(f, transcriptHead))
	for {
		text, err := lines.ReadBytes('\n')
		var line struct {
			Cwd       string    `json:"cwd"`
			Timestamp time.Time `json:"timestamp"`
		}
		if json.Unmarshal(text, &line) == nil {
			if began.IsZero() {
				began = line.Timestamp
			}
			if line.Cwd != "" {
				return line.Cwd, began
			}
		}
		if err != nil {
			return "", time.Time{}
		}
	}
}

// installed is when the hooks were first in place, and when they were last put there:
// the older and the younger of the records, as both ways of installing gate. Zero if
// there is none.
func installed(m wiring.Machine) (first, last time.Time) {
	for _, folder := range []string{wiring.ManagedPrograms, m.Programs()} {
		info, err := os.Stat(wiring.RecordPath(folder))
		if err == nil && (first.IsZero() || info.ModTime().Before(first)) {
			first = info.ModTime()
		}
		if err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return first, last
}
