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
	since int64           // no hook of an earlier version has written later, in seconds; 0: not known
	root  string          // the last one that was in scope
	pages map[string]page // by marker
	roots []string        // of the history

	// Of the present context:
	came   map[moiraicore.Pages]uint64 // receipts; bit k-1: page k
	ran    map[loaderRun]bool
	opened loaderRun        // that ran last
	over   bool             // no loader runs for it any more
	opens  map[opening]bool // whose loaders ran
	last   moiraicore.Pages // whose receipt came last
	first  int64            // the time of the first receipt; 0 if there is none
}

// page is what the marker of a receipt says; of is 0 for every other marker.
type page struct{ k, of int }

// loaderRun is a loader's record that it runs: what it delivers comes after it.
type loaderRun struct{ tool, marker, path string }

// opening is what a loader's run lets come after it: what it delivers to that agent. k is
// its page, and 0 stands for any.
type opening struct {
	tool, agent string
	k           int
}

func newJudge(now, installed time.Time) judge {
	since := int64(0)
	if !installed.IsZero() {
		since = installed.Unix() + skew
	}
	return judge{now: now, since: since, pages: map[string]page{}, came: map[moiraicore.Pages]uint64{},
		ran: map[loaderRun]bool{}, opens: map[opening]bool{}}
}

// orphanIn returns what in a history no hook of ours would have written: the
// signal that §4.5 waits for before tokens are signed. It must be silent on
// every honest session, the bash version's among them, so it judges what a
// record says of itself, the order of times, a load without the loader that
// delivers it, and a paged load that was marked complete with pages missing. Empty
// if there is nothing.
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
	switch {
	case r.Marker == moiraicore.Start:
		why = noPath(r)
		if r.Tool != moiraicore.UserPromptSubmit && r.Tool != moiraicore.ToolSkill {
			why = by(r)
		} else if strings.HasPrefix(r.Agent, moiraicore.NoPrompt) {
			why = byAgent(r)
		}
	case isContext(r.Marker):
		why = unopened(r)
	case isFileMarker(r.Marker):
		if r.Tool == moiraicore.ToolRead {
			why = j.ownPath(r)
		} else {
			why = delivered(r, j.ownPath)
		}
		if why == "" && r.Agent != moiraicore.MainAgent && !strings.HasPrefix(r.Agent, moiraicore.NoPrompt) {
			why = byAgent(r)
		}
	case j.page(r).of > 0:
		why = delivered(r, digestPath)
	default:
		why = fmt.Sprintf("no hook knows the marker %s", r.Marker)
	}
	return why
}

func by(r moiraicore.Record) string { return fmt.Sprintf("%s by %s", r.Marker, r.Tool) }

func byAgent(r moiraicore.Record) string {
	return fmt.Sprintf("%s by the agent %s", r.Marker, r.Agent)
}

// delivered judges what a loader writes of what it delivered. What goes out with a
// prompt never lies at the root of the context (D24).
func delivered(r moiraicore.Record, path func(moiraicore.Record) string) string {
	atPrompt := strings.HasPrefix(r.Agent, moiraicore.NoPrompt)
	switch {
	case r.Tool != moiraicore.SessionStart && r.Tool != moiraicore.UserPromptSubmit:
		return by(r)
	case !atPrompt && (r.Agent != moiraicore.MainAgent || r.Tool == moiraicore.UserPromptSubmit):
		return byAgent(r)
	}
	return path(r)
}

// isContext tells whether a record of this marker tells what became of the context.
func isContext(marker string) bool {
	return marker == moiraicore.New || marker == moiraicore.Resumed || marker == moiraicore.Void
}

// unopened judges a record of what became of the context (D20): of a loader that runs
// or failed, or of a compaction that the gate announces.
func unopened(r moiraicore.Record) string {
	atPrompt := strings.HasPrefix(r.Agent, moiraicore.NoPrompt)
	switch {
	case r.Tool == moiraicore.PreCompact && r.Marker == moiraicore.Void:
		if r.Agent != moiraicore.MainAgent {
			return byAgent(r)
		}
		return noPath(r)
	case r.Tool == moiraicore.UserPromptSubmit && r.Marker == moiraicore.Resumed:
		// Only of a client that gives a prompt no id.
		if r.Agent != moiraicore.NoPrompt {
			return byAgent(r)
		}
	case r.Tool != moiraicore.SessionStart:
		return by(r)
	case r.Marker == moiraicore.Void && r.Path == "" && r.Agent == moiraicore.MainAgent:
		return "" // an earlier version's, where a compaction came without its PreCompact
	case r.Marker == moiraicore.New && r.Agent != moiraicore.MainAgent, r.Marker != moiraicore.New && !atPrompt:
		return byAgent(r)
	case r.Path == "":
		return "" // its load failed
	}
	argument, program, ok := strings.Cut(r.Path, " ")
	if _, _, isPage := moiraicore.ParseArgument(argument); !ok || !isPage || program == "" {
		return fmt.Sprintf("%s with the path %q", r.Marker, r.Path)
	}
	return ""
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

// unearned finds what stands for a load that did not take place, as the gate would
// judge from each root of the history: when a context ends can depend on it.
func (j *judge) unearned(records []moiraicore.Record) string {
	j.roots = j.roots[:0]
	for _, r := range records {
		if root := rootOf(r); root != "" && !slices.Contains(j.roots, root) {
			j.roots = append(j.roots, root)
		}
	}
	for _, root := range j.roots {
		if why := j.unearnedAt(root, records); why != "" {
			return why
		}
	}
	if len(j.roots) == 0 {
		return j.unearnedAt("", records)
	}
	return ""
}

// unearnedAt judges the markers of one root.
//
// A loader first records that it runs, and delivers for that context alone (D20), so a
// marker or receipt wants such a record of its agent before it, a receipt that of its
// page. (What goes out with a prompt that has an id has none.) Earlier versions had no
// such records: only a history that has one, or that is younger than the installation, is
// held to it, and to Reads that name their prompt.
//
// The page that completes a load appends its receipt and the markers in one
// write (D7), so a loader's marker after a receipt wants a whole set. Only where
// the files were shortened to one page in between is it honest: a page alone has
// no receipt.
func (j *judge) unearnedAt(root string, records []moiraicore.Record) string {
	j.begin()
	told := false // the history has the record of a loader that runs
	for i, r := range records {
		p := j.page(r)
		switch {
		case isContext(r.Marker):
			j.run(r)
			told = told || r.Path != ""
			continue
		case r.Marker == moiraicore.Start:
			j.done()
			continue
		case p.of > 0: // a receipt does not say of which root
		case !isFileMarker(r.Marker), !sameRoot(rootOf(r), root):
			continue
		case r.Tool == moiraicore.ToolRead:
			j.done()
		}
		if told || j.since > 0 && r.Time > j.since {
			if why := j.unrun(r, p); why != "" {
				return fmt.Sprintf("line %d: %s", i+1, why)
			}
		}
		switch last := j.last; {
		case p.of > 0:
			j.last = moiraicore.Pages{M: p.of, Digest: r.Path, Agent: r.Agent}
			j.came[j.last] |= 1 << (p.k - 1)
			if j.first == 0 {
				j.first = r.Time
			}
		case j.first == 0 || r.Tool == moiraicore.ToolRead || r.Agent != last.Agent || j.came[last] == 1<<last.M-1:
		case j.page(records[i-1]).of > 0 && records[i-1].Time == r.Time, stillPaged(r.Path, j.first):
			return fmt.Sprintf("line %d: %s though not all of %d pages came", i+1, r.Marker, last.M)
		}
	}
	return ""
}

// unrun says why a marker or receipt is none of a load, or a Read, of the present context.
func (j *judge) unrun(r moiraicore.Record, p page) string {
	switch {
	case r.Tool == moiraicore.ToolRead:
		if r.Agent == moiraicore.MainAgent {
			return r.Marker + " by Read at no prompt"
		}
		return ""
	case r.Tool == moiraicore.UserPromptSubmit && r.Agent != moiraicore.NoPrompt:
		return ""
	case p.of > 0 && len(j.roots) > 1 || j.opens[opening{r.Tool, r.Agent, p.k}]:
		return ""
	}
	return fmt.Sprintf("%s by %s, and no loader of it and the agent %s ran for that context", r.Marker, r.Tool, r.Agent)
}

// run folds in what became of the context, as the gate does (D20): what a loader says
// twice, or says for something else, and a failure, ends it.
func (j *judge) run(r moiraicore.Record) {
	this := loaderRun{r.Tool, r.Marker, r.Path}
	if r.Path == "" || r.Tool != j.opened.tool || r.Marker != j.opened.marker || j.over || j.ran[this] {
		j.begin()
	}
	j.opened, j.ran[this] = this, true
	if argument, _, _ := strings.Cut(r.Path, " "); argument != "" {
		k, _, _ := moiraicore.ParseArgument(argument)
		j.opens[opening{r.Tool, r.Agent, 0}], j.opens[opening{r.Tool, r.Agent, k}] = true, true
	}
}

// done tells that the client goes on after a SessionStart: the next loader runs for
// another context.
func (j *judge) done() { j.over = j.over || j.opened.tool == moiraicore.SessionStart }

// begin begins a context.
func (j *judge) begin() {
	clear(j.came)
	clear(j.opens)
	clear(j.ran)
	j.opened, j.over, j.last, j.first = loaderRun{}, false, moiraicore.Pages{}, 0
}

// rootOf is the root that the marker of a required file names; empty if it names none.
func rootOf(r moiraicore.Record) string {
	for _, required := range moiraicore.Required {
		if r.Marker == required.Marker {
			root, ok := strings.CutSuffix(r.Path, required.Path)
			root, slash := strings.CutSuffix(root, "/")
			if ok && slash {
				return root
			}
		}
	}
	return ""
}

// sameRoot tells whether two roots are one, under two names perhaps.
func sameRoot(a, b string) bool {
	if a == b {
		return true
	}
	first, errA := os.Stat(a)
	second, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(first, second)
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
