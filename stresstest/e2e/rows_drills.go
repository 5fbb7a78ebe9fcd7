package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"moirai/stresstest/rig"
)

// Fail-open drills: something breaks, and a file on disk tells whether the tool ran.
var drillRows = []Row{
	{Name: "drill: the gate is broken, with the guard, in the constellation", Play: guardedDrill},
	{Name: "drill: the gate is broken, without the guard: the client lets the tool through", Play: bareDrill},
	{Name: "drill: the gate is broken, with the guard, elsewhere: nothing is disturbed", Play: elsewhereDrill},
	{Name: "drill: the gate is missing, and the session's folder too", Play: deletedFolder},
	{Name: "drill: the gate is missing, and the shell is led astray", Play: bentShell, Alone: true},
	{Name: "drill: the token is out of reach", Play: tokenDrill},
	{Name: "drill: the token is out of reach, elsewhere: nothing is disturbed", Play: tokenElsewhere},
	{Name: "drill: the disk is full", Play: fullDisk, Alone: true},
	{Name: "drill: a required file is missing", Play: fileMissing},
	{Name: "drill: the loader is missing", Play: loaderMissing},
	{Name: "drill: a load cannot be delivered", Play: undelivered},
	{Name: "drill: started through a link, and in another case of the name", Play: otherNames},
}

// brokenGates are the ways in which a shell cannot run the gate to its end.
var brokenGates = []struct {
	name  string
	spoil func(w *World, path string)
}{
	{"missing", func(w *World, path string) {}},
	{"a dangling link", func(w *World, path string) { w.run.must(os.Symlink(w.Dir+"/nothing", path)) }},
	{"not executable", func(w *World, path string) {
		b, err := os.ReadFile(filepath.Join(w.run.bin, "hades-gate"))
		w.run.must(err)
		w.run.must(os.WriteFile(path, b, 0o644))
	}},
	{"killed by a signal", func(w *World, path string) {
		w.run.must(os.WriteFile(path, []byte("#!/bin/sh\ncat >/dev/null\nkill -9 $$\n"), 0o755))
	}},
	{"ended with 1", func(w *World, path string) {
		w.run.must(os.WriteFile(path, []byte("#!/bin/sh\ncat >/dev/null\nexit 1\n"), 0o755))
	}},
}

// eachBrokenGate plays one Bash call with each broken gate, and mends it after.
func (w *World) eachBrokenGate(s *Session, seen func(name, effect string, t *Turn)) {
	path := w.hooks() + "/hades-gate"
	for i, b := range brokenGates {
		w.run.must(os.Remove(path))
		b.spoil(w, path)
		effect := fmt.Sprint("broken", i)
		t := s.Prompt("go", w.Bash(effect))
		os.Remove(path)
		w.run.must(os.Symlink(filepath.Join(w.run.bin, "hades-gate"), path))
		seen(b.name, effect, t)
	}
}

func guardedDrill(r *Run) {
	w := r.World("w")
	w.UserSettings(r.Wiring())
	s := w.Start(w.Root)
	s.Prompt("/start", w.Bash("open"))
	r.Check("the session is open before", w.Ran("open"))
	w.eachBrokenGate(s, func(name, effect string, t *Turn) {
		r.Check("gate "+name+": Bash does not run", !w.Ran(effect) && t.Results[0].IsError, t.Results[0].Text)
	})
	s.Prompt("go", w.Bash("mended"))
	r.Check("mended, it runs again", w.Ran("mended"))
}

func bareDrill(r *Run) {
	w := r.World("w")
	w.UserSettings(r.Unguarded())
	s := w.Start(w.Root)
	t := s.Prompt("go", w.Bash("whole"))
	r.Check("a whole gate blocks without the guard too", blocked(t.Results[0], s.ID) && !w.Ran("whole"))
	w.eachBrokenGate(s, func(name, effect string, t *Turn) {
		r.Check("gate "+name+", no guard: Bash RUNS, never started. This is why there is a guard", w.Ran(effect), t.Results[0].Text)
	})
}

func elsewhereDrill(r *Run) {
	w := r.World("w")
	w.UserSettings(r.Wiring())
	s := w.Start(w.Outside)
	w.eachBrokenGate(s, func(name, effect string, t *Turn) {
		r.Check("gate "+name+": Bash elsewhere runs", w.Ran(effect), t.Results[0].Text)
	})
}

// runsWithoutFolder is the first measured version that runs hooks, in the home folder, once the
// session's own is gone. Older ones cannot start any, and then let tools run.
const (
	runsWithoutFolder = "2.1.332"
	spawnsNothing     = "no hook can be started in a deleted folder, and the tool runs"
)

// deletedFolder takes the folder away from under a session and then the gate. The
// call is a Write: the client refuses shells there by itself.
func deletedFolder(r *Run) {
	for _, x := range []struct {
		name  string
		start func(w *World) string
		away  func(w *World) string
	}{
		{"the constellation", func(w *World) string { return w.Root }, func(w *World) string { return w.Root }},
		{"a folder in it", func(w *World) string { return w.Root + "/docs" }, func(w *World) string { return w.Root + "/docs" }},
		{"the constellation, entered by cd in the same turn", func(w *World) string { return w.Dir }, func(w *World) string { return w.Root }},
	} {
		w := r.World(fmt.Sprint(len(r.worlds)))
		w.UserSettings(r.Wiring())
		s := w.Start(x.start(w))
		gone := Call{Do: func() { r.must(os.Rename(x.away(w), w.Dir+"/moved")) }}
		enter := func(w *World) Step {
			if x.start(w) == w.Dir {
				return w.Cd(w.Root)
			}
			return Step{w.Read("CONTEXT.md")}
		}
		t := s.Prompt("go", enter(w), Step{gone, w.Write("whole")[0]})
		r.CheckSince(runsWithoutFolder, spawnsNothing, x.name+" deleted, the gate whole: no tool runs", !w.Ran("whole"), t.Results)
		r.must(os.Remove(w.hooks() + "/hades-gate"))
		t = s.Prompt("go", w.Write("missing"))
		if x.start(w) != w.Dir { // the client takes it back to where it started with the next prompt
			r.CheckSince(runsWithoutFolder, spawnsNothing, x.name+" deleted, the gate missing: no tool runs", !w.Ran("missing"), t.Results)
		}
		w.close()

		w = r.World(fmt.Sprint(len(r.worlds)))
		w.UserSettings(r.Wiring())
		s = w.Start(x.start(w))
		both := Call{Do: func() {
			r.must(os.Remove(w.hooks() + "/hades-gate"))
			r.must(os.Rename(x.away(w), w.Dir+"/moved"))
		}}
		t = s.Prompt("go", enter(w), Step{both, w.Write("both")[0]})
		r.CheckSince(runsWithoutFolder, spawnsNothing, x.name+" deleted and the gate missing in one turn: no tool runs", !w.Ran("both"), t.Results)
		w.close()
	}
	w := r.World("elsewhere")
	w.UserSettings(r.Wiring())
	s := w.Start(w.Outside)
	s.Prompt("go", w.Write("before"))
	r.must(os.Remove(w.hooks() + "/hades-gate"))
	r.must(os.Rename(w.Outside, w.Dir+"/moved"))
	t := s.Prompt("go", w.Write("after"))
	r.CheckSince(runsWithoutFolder, spawnsNothing, "elsewhere a deleted folder and a missing gate disturb nothing", w.Ran("before") && w.Ran("after"), t.Results)
}

// bends are variables that lead a bash astray which runs as /bin/sh.
var bends = []struct{ name, value string }{
	{"SHELLOPTS", "errexit"},
	{"SHELLOPTS", "nounset:errexit"},
	{"BASH_FUNC_pwd%%", "() { echo /; }"},
	{"BASH_FUNC_exit%%", "() { true; }"},
	{"BASH_FUNC_read%%", "() { true; }"},
	{"BASH_ENV", "/bin/true"},
	{"ENV", "/bin/true"},
}

func bentShell(r *Run) {
	for _, x := range bends {
		w := r.World(fmt.Sprint(len(r.worlds)))
		w.Shell = "/bin/bash"
		s := r.Wiring()
		s["env"] = map[string]string{x.name: x.value}
		w.UserSettings(s)
		session := w.Start(w.Root)
		t := session.Prompt("go", w.Write("whole"))
		r.Check(x.name+"="+x.value+", bash as /bin/sh: loaded and blocked", blocked(t.Results[0], session.ID) && !w.Ran("whole"), t.Results)
		r.must(os.Remove(w.hooks() + "/hades-gate"))
		t = session.Prompt("go", w.Write("missing"))
		r.Check(x.name+"="+x.value+", the gate missing: no tool runs", !w.Ran("missing"), t.Results)
		w.close()
	}
}

// tokenFaults put the token file of a session out of the gate's reach. Each
// returns what mends it.
var tokenFaults = []struct {
	name, says string
	spoil      func(w *World, path string) func()
}{ // those of the folder come through ofFolder: other sessions have their tokens in it
	{"locked by another process", "locked by another process", func(w *World, path string) func() {
		fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_CLOEXEC, 0)
		w.run.must(err)
		w.run.must(syscall.Flock(fd, syscall.LOCK_EX))
		return func() { syscall.Close(fd) }
	}},
	{"a FIFO", "not a regular file", func(w *World, path string) func() {
		w.run.must(os.Rename(path, path+".kept"))
		w.run.must(syscall.Mkfifo(path, 0o600))
		return func() { w.run.must(os.Rename(path+".kept", path)) }
	}},
	{"in a directory that others can write", "writable by group or others", ofFolder(func(w *World, path string) func() {
		w.run.must(os.Chmod(filepath.Dir(path), 0o777))
		return func() { w.run.must(os.Chmod(filepath.Dir(path), 0o700)) }
	})},
	{"in a directory that belongs to somebody else", "belongs to uid", ofFolder(func(w *World, path string) func() {
		dir := filepath.Dir(path)
		if os.Geteuid() == 0 {
			w.run.must(os.Chown(dir, 12345, 12345))
			return func() { w.run.must(os.Chown(dir, 0, 0)) }
		}
		return nil // a user namespace of one uid cannot give files away
	})},
	{"with a torn line", " is corrupt: ", func(w *World, path string) func() {
		b, err := os.ReadFile(path)
		w.run.must(err)
		w.run.must(os.WriteFile(path, append(b, "torn"...), 0o600))
		return func() { w.run.must(os.WriteFile(path, b, 0o600)) }
	}},
}

// ofFolder leaves a fault of the token folder out where live sessions share the folder.
func ofFolder(spoil func(w *World, path string) func()) func(w *World, path string) func() {
	return func(w *World, path string) func() {
		if !w.run.private {
			return nil
		}
		return spoil(w, path)
	}
}

func tokenDrill(r *Run) {
	w := r.World("w")
	w.UserSettings(r.Wiring())
	s := w.Start(w.Root)
	s.Prompt("/start", w.Bash("open"))
	r.Check("the session is open before", w.Ran("open"))
	for i, f := range tokenFaults {
		mend := func() {}
		spoil := Call{Do: func() { mend = f.spoil(w, w.tokenPath(s.ID)) }} // after the prompt, which needs the directory too
		effect := fmt.Sprint("fault", i)
		t := s.Prompt("go", Step{spoil, w.bashCall(effect)})
		if mend == nil {
			r.Note("skipped, since it cannot be had here for this session alone: token %s", f.name)
			continue
		}
		mend()
		r.Check("token "+f.name+": Bash does not run, and the message says why", !w.Ran(effect) && strings.Contains(t.Results[0].Text, "Moirai (Hades) fail-closed: ") &&
			strings.Contains(t.Results[0].Text, f.says), after(t.Results[0].Text, "Moirai"))
	}
	if r.private {
		r.must(os.Chmod(filepath.Dir(w.tokenPath(s.ID)), 0o777))
		t := s.Prompt("an erased prompt", w.Bash("erased"))
		r.must(os.Chmod(filepath.Dir(w.tokenPath(s.ID)), 0o700))
		r.Check("a prompt while others can write the directory does not reach the model, and the operator is told why", len(t.All) == 0 && !w.Ran("erased"), t.Final, strings.Join(t.Lines, "\n"))
	}
	s.Prompt("go", w.Bash("mended"))
	r.Check("mended, it runs again, with no second /start", w.Ran("mended"), w.Markers(s.ID))
}

func tokenElsewhere(r *Run) {
	w := r.World("w")
	w.UserSettings(r.Wiring())
	s := w.Start(w.Outside)
	s.Prompt("go", w.Bash("before"))
	path := w.tokenPath(s.ID)
	r.must(os.MkdirAll(filepath.Dir(path), 0o700))
	r.must(os.WriteFile(path, []byte("1 A B c d\n2 A B c d\n3 A B c d\n4 A B c d\n"), 0o600))
	for i, f := range tokenFaults {
		mend := f.spoil(w, path)
		if mend == nil {
			continue
		}
		effect := fmt.Sprint("fault", i)
		t := s.Prompt("go", w.Bash(effect))
		mend()
		r.Check("token "+f.name+": Bash elsewhere runs", w.Ran(effect), t.Results[0].Text)
	}
}

func fullDisk(r *Run) {
	w := r.World("w")
	w.UserSettings(r.Wiring())
	hades := w.moirai() + "/hades"
	r.must(os.MkdirAll(hades, 0o700))
	r.must(os.Chmod(w.moirai(), 0o700))
	r.must(rig.MountSmall(hades, 8192, 0))
	r.must(os.WriteFile(hades+"/filler", make([]byte, 8192), 0o600))
	s := w.Start(w.Root)
	t := s.Prompt("go", w.Bash("a"))
	r.Check("a load that cannot be recorded marks nothing", w.Token(s.ID) == "")
	r.Check("Bash is blocked", t.Results[0].IsError && !w.Ran("a"), after(t.Results[0].Text, "Required markers"))
	t = s.Prompt("/start", w.Bash("b"))
	r.Check("/start cannot be recorded: the agent is told, Bash stays blocked", strings.Contains(t.Requests[0].Text(), "Moirai (Hades) not recorded: ") && !w.Ran("b"),
		after(t.Requests[0].Text(), "Moirai (Hades) not"))
	r.must(os.Remove(hades + "/filler"))
	s.Prompt("/start", w.ReadRequired())
	s.Prompt("go", w.Bash("c"))
	r.Check("with room again, Reads and /start open", w.Ran("c"), w.Token(s.ID))
	r.must(s.End(turnLimit))
	r.must(rig.Unmount(hades))
}

func fileMissing(r *Run) {
	w := r.World("w")
	w.UserSettings(r.Wiring())
	for _, name := range rig.Required {
		path := filepath.Join(w.Root, name)
		r.must(os.Rename(path, path+".gone"))
		s := w.Start(w.Root)
		effect := filepath.Base(name)
		t := s.Prompt("/start", w.Bash(effect))
		r.Check(name+" missing: nothing delivered, nothing marked, Bash blocked after /start", !strings.Contains(t.Requests[0].Text(), "INJECTION BLOCK") &&
			w.Markers(s.ID) == "START_ACK" && t.Results[0].IsError && !w.Ran(effect), after(t.Results[0].Text, "Resolution:"))
		r.must(os.Rename(path+".gone", path))
	}
}

func loaderMissing(r *Run) {
	w := r.World("w")
	w.UserSettings(r.Wiring())
	r.must(os.Remove(w.hooks() + "/hades-session-load"))
	s := w.Start(w.Root)
	t := s.Prompt("/start", w.Bash("a"))
	r.Check("the session starts, unmarked; Bash is blocked after /start", w.Markers(s.ID) == "START_ACK" && blocked(t.Results[0], s.ID) && !w.Ran("a"), after(t.Results[0].Text, "Resolution:"))
	s.Prompt("read", w.ReadRequired(), w.Bash("b"))
	r.Check("three Reads open", w.Ran("b"), w.Token(s.ID))
}

// undelivered wires the loaders as printed, but with a stdout that takes nothing: what
// was not delivered must not be marked (D6).
func undelivered(r *Run) {
	for _, to := range []string{">/dev/full", ">/dev/null", ">&-"} {
		w := r.World(fmt.Sprint(len(r.worlds)))
		settings := r.Wiring()
		for _, event := range []string{"SessionStart", "UserPromptSubmit"} {
			settings.eachHook(event, func(h map[string]any) bool {
				if c := h["command"].(string); strings.Contains(c, "hades-session-load") {
					h["command"] = c + " " + to
				}
				return true
			})
		}
		w.UserSettings(settings)
		s := w.Start(w.Root)
		t := s.Prompt("/start", w.Bash("a"))
		r.Check("loader "+to+": nothing is marked, Bash is blocked after /start", !strings.Contains(t.Requests[0].Text(), "INJECTION BLOCK") &&
			w.Markers(s.ID) == "START_ACK" && blocked(t.Results[0], s.ID) && !w.Ran("a"), w.Token(s.ID))
		w.close()
	}
}

func otherNames(r *Run) {
	w := r.World("w")
	w.UserSettings(r.Wiring())
	link := w.Dir + "/link"
	r.must(os.Symlink(w.Root, link))
	s := w.Start(link)
	t := s.Prompt("go", w.Bash("link"))
	r.Check("through a link: loaded and blocked", w.Markers(s.ID) == loaded && blocked(t.Results[0], s.ID) && !w.Ran("link"), w.Token(s.ID))
	r.must(os.Rename(w.hooks()+"/hades-gate", w.hooks()+"/gone"))
	s.Prompt("go", w.Bash("link2"))
	r.Check("through a link, gate missing: the guard blocks", !w.Ran("link2"))
	r.must(os.Rename(w.hooks()+"/gone", w.hooks()+"/hades-gate"))
	s = w.Start(w.Dir)
	t = s.Prompt("go", w.Cd(link), w.Bash("entered"))
	r.Check("entered by cd through a link: blocked", blocked(t.Results[1], s.ID) && !w.Ran("entered"), t.Results)
	r.must(s.End(turnLimit))

	other := w.Dir + "/Constellation-HADES"
	r.must(os.Rename(w.Root, other))
	s = w.Start(other)
	t = s.Prompt("go", w.Bash("case"))
	r.Check("in another case: loaded and blocked", w.Markers(s.ID) == loaded && blocked(t.Results[0], s.ID) && !w.Ran("case"), w.Token(s.ID))
	r.must(os.Rename(w.hooks()+"/hades-gate", w.hooks()+"/gone"))
	s.Prompt("go", w.Bash("case2"))
	r.Check("in another case, gate missing: the guard blocks", !w.Ran("case2"))
}
