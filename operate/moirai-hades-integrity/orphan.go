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

// skew is how many seconds the times of records may be out of order, or ahead
// of the clock. Our hooks take the time under the lock; the bash version took it
// before it wrote.
const skew = 5

// judge looks at histories at one time. What many of them have in common it
// works out once: there may be thousands, and memory that is not taken is time.
type judge struct {
	now   time.Time
	root  string          // the last one that was in scope
	pages map[string]page // by marker
	came  map[moiraicore.Pages]uint64
}

// page is what the marker of a receipt says; of is 0 for every other marker.
type page struct{ k, of int }

func newJudge(now time.Time) judge {
	return judge{now: now, pages: map[string]page{}, came: map[moiraicore.Pages]uint64{}}
}

// orphanIn returns what in a history no hook of ours would have written: the
// signal that §4.5 waits for before tokens are signed. It must be silent on
// every honest session, the bash version's among them, so it judges what a
// record says of itself, the order of times, and a paged load that was marked
// complete with pages missing. Empty if there is nothing.
func (j *judge) orphanIn(records []moiraicore.Record) string {
	now, latest := j.now.Unix(), int64(0)
	for i, r := range records {
		line := i + 1
		if why := j.unwritten(r); why != "" {
			return fmt.Sprintf("line %d: %s", line, why)
		}
		if latest-r.Time > skew {
			return fmt.Sprintf("line %d: time %d is %d s before that of a line above", line, r.Time, latest-r.Time)
		}
		if r.Time-now > skew {
			return fmt.Sprintf("line %d: time %d is %d s in the future", line, r.Time, r.Time-now)
		}
		latest = max(latest, r.Time)
	}
	return j.unearned(records)
}

// unwritten says why no hook of ours would write the record.
func (j *judge) unwritten(r moiraicore.Record) (why string) {
	byTool := func(tools ...string) bool { return slices.Contains(tools, r.Tool) }
	known := false
	switch {
	case r.Marker == moiraicore.Start:
		known, why = byTool(moiraicore.UserPromptSubmit, moiraicore.ToolSkill), noPath(r)
	case r.Marker == moiraicore.Void:
		// A loader voids too, where a compaction came without its PreCompact (D8).
		known, why = byTool(moiraicore.PreCompact, moiraicore.SessionStart), noPath(r)
	case isFileMarker(r.Marker):
		known, why = byTool(moiraicore.SessionStart, moiraicore.ToolRead), j.ownPath(r)
	case j.page(r).of > 0:
		known, why = byTool(moiraicore.SessionStart), digestPath(r)
	default:
		return fmt.Sprintf("no hook knows the marker %s", r.Marker)
	}
	switch {
	case !known:
		return fmt.Sprintf("%s by %s", r.Marker, r.Tool)
	case r.Marker != moiraicore.Start && r.Agent != moiraicore.MainAgent:
		return fmt.Sprintf("%s by the agent %s", r.Marker, r.Agent)
	}
	return why
}

func noPath(r moiraicore.Record) string {
	if r.Path == "" {
		return ""
	}
	return fmt.Sprintf("%s with the path %q", r.Marker, r.Path)
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
	digest, ok := strings.CutPrefix(r.Path, moiraicore.DigestPrefix)
	if ok && len(digest) == 64 && strings.Trim(digest, hexDigits) == "" {
		return ""
	}
	return fmt.Sprintf("%s with the path %q", r.Marker, r.Path)
}

// unearned finds a completion without its receipts. The page that completes a
// load appends its receipt and the markers in one write (D7), so a loader's
// marker after a receipt wants a whole set. Only where the files were shortened
// to one page in between is it honest: a page alone has no receipt.
func (j *judge) unearned(records []moiraicore.Record) string {
	clear(j.came) // receipts since the last void; bit k-1: page k
	var last moiraicore.Pages
	var firstReceipt int64 // since the last void; 0 if there is none
	for i, r := range records {
		p := j.page(r)
		switch {
		case r.Marker == moiraicore.Void:
			clear(j.came)
			firstReceipt = 0
		case p.of > 0:
			last = moiraicore.Pages{M: p.of, Digest: r.Path}
			j.came[last] |= 1 << (p.k - 1)
			if firstReceipt == 0 {
				firstReceipt = r.Time
			}
		case firstReceipt == 0 || !isFileMarker(r.Marker) || r.Tool != moiraicore.SessionStart || j.came[last] == 1<<last.M-1:
		case j.page(records[i-1]).of > 0 && records[i-1].Time == r.Time, stillPaged(r.Path, firstReceipt):
			return fmt.Sprintf("line %d: %s though not all of %d pages came", i+1, r.Marker, last.M)
		}
	}
	return ""
}

func (j *judge) page(r moiraicore.Record) page {
	p, known := j.pages[r.Marker]
	if !known {
		if k, of, ok := moiraicore.ParsePage(r.Marker); ok {
			p = page{k, of}
		}
		j.pages[r.Marker] = p
	}
	return p
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
