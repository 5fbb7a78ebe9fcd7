package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"moirai/stresstest/realclient"
	"moirai/stresstest/rig"
)

// World is a machine of its own for the sessions of one row: a home, a /tmp, a
// managed settings folder and a sample constellation.
type World struct {
	Dir     string // the world's folder
	Home    string
	Root    string // the constellation, HADES_ROOT
	Outside string // a folder that is no constellation
	Managed string // managedFolder of this world's sessions
	Env     []string
	Shell   string // /bin/sh of this world's sessions; empty: the machine's

	run      *Run
	tmp      string // /tmp of this world's sessions
	effects  string
	open     ender
	settings Settings        // the user settings as they are
	features map[string]bool // of the client, switched on in its cache
}

// An ender is a session of either kind.
type ender interface {
	End(limit time.Duration) error
}

// moirai is where the world's sessions have /tmp/moirai.
func (w *World) moirai() string {
	if !w.run.private {
		return realMoirai
	}
	return filepath.Join(w.tmp, "moirai")
}

// World makes a world with a small constellation and hooks installed in its
// home as make install does, but with no settings yet.
func (r *Run) World(name string) *World {
	dir := filepath.Join(r.dir, name)
	w := &World{
		Dir: dir, Home: filepath.Join(dir, "home"), Outside: filepath.Join(dir, "elsewhere"),
		Managed: filepath.Join(dir, "managed"), run: r, tmp: filepath.Join(dir, "tmp"), effects: filepath.Join(dir, "effects"),
	}
	for _, d := range []string{w.hooks(), w.Outside, w.Managed, w.effects} {
		r.must(os.MkdirAll(d, 0o755))
	}
	r.must(os.Mkdir(w.tmp, 0o755))
	r.must(os.Chmod(w.tmp, os.ModeSticky|0o777))
	for _, name := range []string{"hades-gate", "hades-session-load"} {
		r.must(os.Symlink(filepath.Join(r.bin, name), filepath.Join(w.hooks(), name)))
	}
	root, err := rig.Constellation(filepath.Join(dir, rig.RootName), r.contents())
	r.must(err)
	w.Root = root
	for _, name := range []string{"start", "war-room-start", "other"} {
		w.write(filepath.Join(w.Root, ".claude/commands", name+".md"), "Say "+name+".\n")
	}
	r.worlds = append(r.worlds, w)
	return w
}

func (w *World) hooks() string { return filepath.Join(w.Home, ".claude/hooks/moirai") }

// contents are files with what could trip delivery: CRLF, wide characters, no
// final newline.
func (r *Run) contents() rig.Contents {
	return rig.Contents{
		"# Commandments of Hades\n\n1. No failure, no matter how small, is left undealt with.\n2. \"Quoted\", <tagged> & {braced}.\n",
		"# Scope\r\n\r\nVaults, keys — 漢字, é, 🔑.\r\n",
		"# Context\n\nNo newline at the end of this file",
	}
}

// write makes a file with its folders.
func (w *World) write(path, content string) {
	w.run.must(os.MkdirAll(filepath.Dir(path), 0o755))
	w.run.must(os.WriteFile(path, []byte(content), 0o644))
}

// UserSettings puts settings into the home.
func (w *World) UserSettings(s Settings) {
	w.write(filepath.Join(w.Home, ".claude/settings.json"), s.JSON())
}

// ManagedSettings puts settings into a managed drop-in.
func (w *World) ManagedSettings(s Settings) {
	w.write(filepath.Join(w.Managed, "managed-settings.d/50-moirai.json"), s.JSON())
}

// Features switches features of the client on that its maker switches on from
// outside, through the cache that the client keeps of them.
func (w *World) Features(names ...string) {
	w.features = map[string]bool{}
	for _, n := range names {
		w.features[n] = true
	}
	w.write(filepath.Join(w.Home, ".claude.json"), Settings{"cachedGrowthBookFeatures": w.features}.JSON())
}

// Token is the content of a session's token file, or "" if there is none.
func (w *World) Token(session string) string {
	b, _ := os.ReadFile(w.tokenPath(session))
	return string(b)
}

func (w *World) tokenPath(session string) string { return tokenPath(w.moirai(), session) }

func tokenPath(moirai, session string) string {
	return filepath.Join(moirai, "hades", "session-"+session)
}

// Markers lists the second field of every record of a token file but those that only
// say that a loader ran, or failed, for a context (D20).
func (w *World) Markers(session string) string {
	var out []string
	for _, line := range strings.Split(w.Token(session), "\n") {
		f := strings.Fields(line)
		if len(f) > 2 && !strings.HasPrefix(f[1], "CONTEXT_NEW") && f[1] != "CONTEXT_RESUMED" && (f[1] != "LOAD_VOID" || f[2] == "PreCompact") {
			out = append(out, f[1])
		}
	}
	return strings.Join(out, " ")
}

// Bash is a gated call that leaves a file behind if it runs.
func (w *World) Bash(effect string) Step {
	return Step{w.bashCall(effect)}
}

func (w *World) bashCall(effect string) Call {
	return Call{Name: "Bash", Input: map[string]any{"command": "echo ran > " + filepath.Join(w.effects, effect), "description": "Leave a file"}}
}

// Cd takes the session into dir.
func (w *World) Cd(dir string) Step {
	return Step{{Name: "Bash", Input: map[string]any{"command": "cd " + dir, "description": "x"}}}
}

// Write is a gated call that the client itself runs, with no shell.
func (w *World) Write(effect string) Step {
	return Step{{Name: "Write", Input: map[string]any{"file_path": filepath.Join(w.effects, effect), "content": "ran\n"}}}
}

// Ran tells whether the call that leaves this file behind has run.
func (w *World) Ran(effect string) bool {
	_, err := os.Stat(filepath.Join(w.effects, effect))
	return err == nil
}

// Read is a Read of a path, absolute or below the root.
func (w *World) Read(path string) Call {
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.Root, path)
	}
	return Call{Name: "Read", Input: map[string]any{"file_path": path}}
}

// ReadRequired reads the three required files in one message.
func (w *World) ReadRequired() Step {
	var s Step
	for _, name := range rig.Required {
		s = append(s, w.Read(name))
	}
	return s
}

// bypass lets every tool run that no hook blocks: nothing but a hook stands in its way.
var bypass = []string{"--dangerously-skip-permissions"}

// Start starts a session in dir with further arguments.
func (w *World) Start(dir string, args ...string) *Session {
	return w.start(dir, append(bypass, args...))
}

func (w *World) start(dir string, args []string) *Session {
	return w.startProgram(dir, w.run.client.Command(append(realclient.PrintMode[:len(realclient.PrintMode):len(realclient.PrintMode)], args...)...))
}

// startProgram starts the client, or a program that drives it, with pipes.
func (w *World) startProgram(dir string, cmd *exec.Cmd) *Session {
	w.close() // one at a time, or two rows could wait for each other's slots
	model, err := NewModel()
	w.run.must(err)
	cmd.Dir = dir
	cmd.Env, err = w.environment(model.URL)
	w.run.must(err)
	if w.run.private {
		w.run.must(realclient.Wrap(cmd, w.run.scratch, w.tmp, w.Managed, w.Shell))
	}
	w.run.slots <- struct{}{}
	s, err := realclient.Start(cmd, model)
	if err != nil {
		<-w.run.slots
		w.run.must(err)
	}
	w.open = &Session{s, w.run, func() { <-w.run.slots }}
	return w.open.(*Session)
}

// environment is built from nothing.
func (w *World) environment(model string) ([]string, error) {
	var more []string
	if w.features == nil { // with these the client does not look at its cache of features
		more = realclient.Quiet
	}
	return realclient.Environment(w.run.scratch, w.Home, model, append(more[:len(more):len(more)], w.Env...)...)
}

// close ends the session that is still open.
func (w *World) close() {
	if w.open != nil {
		w.open.End(5 * time.Second)
		w.open = nil
	}
}
