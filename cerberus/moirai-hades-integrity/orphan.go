package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"moirai/moiraicore"
)

// skew is how far the times of records may be out of order, or ahead of the
// clock. Our hooks take the time under the lock; the bash version took it
// before it wrote.
const skew = 5 * time.Second

// judge looks at histories at one time. It remembers the last root that it found
// in scope: most records of a machine have the same.
type judge struct {
	now  time.Time
	root string
}

// orphanIn returns what in a history no hook of ours would have written: the
// signal that §4.5 waits for before tokens are signed. It must be silent on
// every honest session, the bash version's among them, so it judges what a
// record says of itself, the order of times, and a paged load that was marked
// complete with pages missing. Empty if there is nothing.
func (j *judge) orphanIn(records []moiraicore.Record) string {
	latest := int64(0)
	for i, r := range records {
		line := i + 1
		if why := j.unwritten(r); why != "" {
			return fmt.Sprintf("line %d: %s", line, why)
		}
		if time.Duration(latest-r.Time)*time.Second > skew {
			return fmt.Sprintf("line %d: time %d is %d s before that of a line above", line, r.Time, latest-r.Time)
		}
		if ahead := time.Unix(r.Time, 0).Sub(j.now); ahead > skew {
			return fmt.Sprintf("line %d: time %d is %v in the future", line, r.Time, ahead.Round(time.Second))
		}
		latest = max(latest, r.Time)
	}
	return unearned(records)
}

// unwritten says why no hook of ours would write the record.
func (j *judge) unwritten(r moiraicore.Record) string {
	switch {
	case r.Marker == moiraicore.Start:
		if r.Tool != moiraicore.UserPromptSubmit && r.Tool != moiraicore.ToolSkill {
			return fmt.Sprintf("%s by %s", r.Marker, r.Tool)
		}
		return noPath(r)
	case r.Marker == moiraicore.Void:
		// A loader voids too, where a compaction came without its PreCompact (D8).
		if r.Tool != moiraicore.PreCompact && r.Tool != moiraicore.SessionStart {
			return fmt.Sprintf("%s by %s", r.Marker, r.Tool)
		}
		return mainOnly(r) + noPath(r)
	case isFileMarker(r.Marker):
		if r.Tool != moiraicore.SessionStart && r.Tool != moiraicore.ToolRead {
			return fmt.Sprintf("%s by %s", r.Marker, r.Tool)
		}
		return mainOnly(r) + j.ownPath(r)
	}
	if !isReceipt(r) {
		return fmt.Sprintf("no hook knows the marker %s", r.Marker)
	}
	if r.Tool != moiraicore.SessionStart {
		return fmt.Sprintf("%s by %s", r.Marker, r.Tool)
	}
	return mainOnly(r) + digestPath(r)
}

func noPath(r moiraicore.Record) string {
	if r.Path == "" {
		return ""
	}
	return fmt.Sprintf("%s with the path %q", r.Marker, r.Path)
}

func mainOnly(r moiraicore.Record) string {
	if r.Agent == moiraicore.MainAgent {
		return ""
	}
	return fmt.Sprintf("%s by the agent %s. ", r.Marker, r.Agent)
}

// ownPath: the path is that required file under a root in scope.
func (j *judge) ownPath(r moiraicore.Record) string {
	for _, required := range moiraicore.Required {
		if r.Marker != required.Marker {
			continue
		}
		base, is := strings.CutSuffix(r.Path, required.Path)
		root, ok := strings.CutSuffix(base, "/")
		if is && ok && (root == j.root || inScope(root)) {
			j.root = root
			return ""
		}
	}
	return fmt.Sprintf("%s with the path %q", r.Marker, r.Path)
}

// inScope tells whether a root could have been one, without looking at the
// disk if its name says so: the root may be gone, and there may be very many.
func inScope(root string) bool {
	for name := range strings.SplitSeq(root, "/") {
		if strings.EqualFold(name, moiraicore.ScopeName) {
			return filepath.IsAbs(root) && filepath.Clean(root) == root
		}
	}
	return filepath.IsAbs(root) && moiraicore.Locate(root).In
}

func digestPath(r moiraicore.Record) string {
	const hexDigits = "0123456789abcdef"
	digest, ok := strings.CutPrefix(r.Path, "sha256:")
	if ok && len(digest) == 64 && strings.Trim(digest, hexDigits) == "" {
		return ""
	}
	return fmt.Sprintf("%s with the path %q", r.Marker, r.Path)
}

// unearned finds a completion without its receipts. The page that completes a
// load appends its receipt and the markers in one write (D7), so a loader's
// marker after a receipt wants a whole set. Only where the files were shortened
// to one page in between is it honest: a page alone has no receipt.
func unearned(records []moiraicore.Record) string {
	if !slices.ContainsFunc(records, isReceipt) {
		return ""
	}
	var load moiraicore.Load
	var firstReceipt int64 // since the last void; 0 if there is none
	for i, r := range records {
		load.Add(r)
		switch {
		case r.Marker == moiraicore.Void:
			firstReceipt = 0
		case isReceipt(r) && firstReceipt == 0:
			firstReceipt = r.Time
		case firstReceipt == 0 || !isFileMarker(r.Marker) || r.Tool != moiraicore.SessionStart || load.Complete(load.Last):
		case isReceipt(records[i-1]) && records[i-1].Time == r.Time, stillPaged(r.Path, firstReceipt):
			return fmt.Sprintf("line %d: %s though not all of %d pages came", i+1, r.Marker, load.Last.M)
		}
	}
	return ""
}

func isReceipt(r moiraicore.Record) bool {
	_, _, ok := moiraicore.ParsePage(r.Marker)
	return ok
}

// stillPaged tells whether the root that a marker's path names needs several
// pages and has not changed since.
func stillPaged(path string, since int64) bool {
	scope := moiraicore.Locate(path)
	if !scope.Whole {
		return false
	}
	for _, required := range moiraicore.Required {
		info, err := os.Stat(scope.Root + "/" + required.Path)
		if err != nil || info.ModTime().Unix() >= since {
			return false
		}
	}
	content, err := moiraicore.ReadRequired(scope)
	if err != nil {
		return false
	}
	pages, err := moiraicore.Paginate(content, scope.Root)
	return err == nil && len(pages) > 1
}
