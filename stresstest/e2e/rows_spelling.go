package main

import (
	"os"
	"strings"
)

// spellingRows are about what a folder can be called beside its name, which differs by platform.
var spellingRows = []Row{
	{Name: "how the client spells where it is", Play: spelled},
}

// spelled takes an open session to other spellings of its root, as far as the file system has them.
func spelled(r *Run) {
	w := r.World("zo\u00eb")
	log := w.Dir + "/log"
	w.UserSettings(r.Wiring().Add("PreToolUse", entry("", record(log))))
	r.must(os.Symlink(w.Root, w.Outside+"/link"))
	s := w.Start(w.Root)
	s.Prompt("/start", w.Bash("open"))
	r.Check("the session is open", w.Ran("open"), w.Token(s.ID))
	for _, x := range []struct{ name, path string }{
		{"through a link", w.Outside + "/link"},
		{"in another case", strings.Replace(w.Root, "constellation-hades", "Constellation-HADES", 1)},
		{"in the other Unicode form", strings.Replace(w.Root, "zo\u00eb", "zoe\u0308", 1)},
		{"below /System/Volumes/Data", "/System/Volumes/Data" + w.Root},
	} {
		if !sameFolder(x.path, w.Root) {
			r.Note("fact  cd %s: the file system has no such spelling", x.name)
			continue
		}
		effect := strings.ReplaceAll(x.name, "/", " ")
		s.Prompt("go", w.Cd(x.path), w.Bash("spelled"), w.Cd(w.Root))
		list, cwd := recorded(log), ""
		for _, p := range list {
			if p.Tool == "Bash" && strings.Contains(string(p.Input), "/spelled") {
				cwd = p.Cwd
			}
		}
		r.Note("fact  cd %s: cwd of the next call is %s", x.name, yes(cwd == w.Root, "as the folder is called", yes(cwd == x.path, "as it was given", "spelled in a third way")))
		r.Check("cd "+effect+": the session stays open", w.Ran("spelled"), cwd)
		os.Remove(w.effects + "/spelled")
	}
}

func sameFolder(a, b string) bool {
	ai, aerr := os.Stat(a)
	bi, berr := os.Stat(b)
	return aerr == nil && berr == nil && os.SameFile(ai, bi)
}
