package main

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"moirai/stresstest/rig"
)

// fold is what the records of a token file say together, as docs/SPEC.md has it: our
// own reading, which shares no code with the hooks, so that a mistake there does not hide
// itself here.
type fold struct {
	root     string
	rooted   [3]bool         // by a load at the root of the context
	marks    map[mark]bool   // by a Read, or a load that a rewind could cut away
	pages    map[string]bool // receipts: marker, digest, agent
	started  bool
	opened   string          // what the loaders that ran last ran for
	ran      map[string]bool // which of them
	contexts int
}

type mark struct {
	file  int
	agent string
}

func newFold(root string) *fold {
	return &fold{root: root, marks: map[mark]bool{}, pages: map[string]bool{}}
}

// clone is the state as it is now.
func (f *fold) clone() *fold {
	c := *f
	c.marks, c.pages, c.ran = maps.Clone(f.marks), maps.Clone(f.pages), maps.Clone(f.ran)
	return &c
}

// fields are the five of a record; the path may be missing.
func fields(line string) ([5]string, error) {
	f := strings.SplitN(line, " ", 5)
	bad := func(r rune) bool { return r < 0x20 || 0x7f <= r && r < 0xa0 }
	if len(f) < 4 || slices.Contains(f[:4], "") || strings.Trim(f[0], "0123456789") != "" || strings.ContainsFunc(line, bad) {
		return [5]string{}, errors.New("is corrupt")
	}
	var five [5]string
	copy(five[:], f)
	return five, nil
}

// add takes the next record.
func (f *fold) add(r [5]string) {
	marker, tool, agent, path := r[1], r[2], r[3], r[4]
	i := slices.Index(rig.Markers[:], marker)
	switch {
	case marker == "START_ACK":
		f.started = true
		f.goesOn()
	case marker == "CONTEXT_NEW" || marker == "CONTEXT_RESUMED" || marker == "LOAD_VOID":
		if path == "" || f.opened != tool+marker || f.ran == nil || f.ran[path] {
			f.end(marker)
		}
		f.opened, f.ran[path] = tool+marker, true
	case i >= 0:
		if tool == "Read" {
			f.goesOn()
		}
		switch {
		case filepath.Clean(path) != path || path != f.root+"/"+rig.Required[i]:
		case tool == "SessionStart" && agent == "main":
			f.rooted[i] = true
		default:
			f.marks[mark{i, agent}] = true
		}
	case strings.HasPrefix(marker, "PAGE_"):
		f.pages[marker+" "+path+" "+agent] = true
	}
}

// goesOn: the client waits for the loaders of a SessionStart, so they are done.
func (f *fold) goesOn() {
	if strings.HasPrefix(f.opened, "SessionStart") {
		f.ran = nil
	}
}

func (f *fold) end(marker string) {
	if marker != "CONTEXT_RESUMED" {
		f.rooted = [3]bool{}
	}
	f.started = f.started && marker != "CONTEXT_NEW"
	f.marks, f.pages, f.ran = map[mark]bool{}, map[string]bool{}, map[string]bool{}
	f.contexts++
}

// acked are the markers that count for a call of this agent: main@PROMPT, or a subagent.
func (f *fold) acked(viewer string) [3]bool {
	acked := f.rooted
	for m := range f.marks {
		if m.agent == viewer || !strings.HasPrefix(viewer, "main@") {
			acked[m.file] = true
		}
	}
	return acked
}

func (f *fold) open(viewer string) bool {
	return f.started && f.acked(viewer) == [3]bool{true, true, true}
}
