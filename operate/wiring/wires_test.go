package wiring_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"moirai/operate/trial"
	"moirai/operate/wiring"
	"moirai/stresstest/rig"
)

// The guard and the commands, letter for letter as DESIGN D15 has them.
const (
	d15Guard = `; r=$?; case $r in 0|2) exit $r;; esac; case $(pwd -P)/ in *[Hh][Aa][Dd][Ee][Ss]*|/) exit 2;; esac; exit $r`
	d15Gate  = `"$HOME"/.claude/hooks/moirai/hades-gate`
	d15Load  = `"$HOME"/.claude/hooks/moirai/hades-session-load`
)

// TestWires: the printed block is D15's, in JSON that holds nothing else.
func TestWires(t *testing.T) {
	command := func(c string) any { return map[string]any{"type": "command", "command": c} }
	group := func(matcher string, commands ...any) any {
		g := map[string]any{"hooks": commands}
		if matcher != "" {
			g["matcher"] = matcher
		}
		return []any{g}
	}
	hooks := func(gate, load string, second ...any) map[string]any {
		return map[string]any{
			"SessionStart":     group("", command(load+" 1/4"), command(load+" 2/4"), command(load+" 3/4"), command(load+" 4/4")),
			"UserPromptSubmit": group("", command(gate)),
			"PreToolUse":       group("*", append([]any{command(gate + d15Guard)}, second...)...),
			"PostToolUse":      group("Read", command(gate)),
			"PreCompact":       group("", append([]any{command(gate + d15Guard)}, second...)...),
		}
	}
	home := wiring.Machine{Home: "/home/u", ConfigDir: "/home/u/.claude"}
	other := wiring.Machine{Home: "/home/u", ConfigDir: "/srv/two accounts"}
	for name, c := range map[string]struct {
		got  []byte
		want map[string]any
	}{
		"user":    {wiring.User(home), map[string]any{"hooks": hooks(d15Gate, d15Load)}},
		"account": {wiring.User(other), map[string]any{"hooks": hooks(`"/srv/two accounts/hooks/moirai"/hades-gate`, `"/srv/two accounts/hooks/moirai"/hades-session-load`)}},
		"managed": {wiring.Managed(wiring.Pages), map[string]any{
			"env": pins(),
			"hooks": hooks(wiring.Quote(wiring.ManagedPrograms, "")+"/hades-gate", wiring.Quote(wiring.ManagedPrograms, "")+"/hades-session-load",
				map[string]any{"type": "command", "command": wiring.ManagedPrograms + "/hades-gate", "args": []any{}}),
		}},
	} {
		want, err := json.Marshal(c.want)
		if err != nil {
			t.Fatal(err)
		}
		var all any
		if err := json.Unmarshal(c.got, &all); err != nil {
			t.Fatal(name, err)
		}
		got, err := json.Marshal(all)
		if err != nil || string(got) != string(want) {
			t.Errorf("%s: %v\n got %s\nwant %s", name, err, got, want)
		}
	}
}

func pins() map[string]any {
	p := map[string]any{"CLAUDE_CODE_SHELL_PREFIX": "", "LD_PRELOAD": "", "LD_AUDIT": "", "LD_LIBRARY_PATH": "", "LD_DEBUG": "", "GOMAXPROCS": "", "GOTRACEBACK": ""}
	if wiring.ManagedPrograms != "/opt/moirai" {
		p["DYLD_INSERT_LIBRARIES"] = ""
	}
	return p
}

// printed are the commands that we print for several machines.
func printed() []string {
	var all []string
	for _, folder := range []string{
		wiring.Quote("/home/u/.claude/hooks/moirai", "/home/u"),
		wiring.Quote("/opt/moirai", ""),
		wiring.Quote("/Library/Application Support/Moirai", ""),
		wiring.Quote("/srv/it's/moirai", ""),
	} {
		for _, w := range wiring.Wires(folder, wiring.Pages) {
			all = append(all, w.Command)
		}
	}
	return all
}

// TestShellcheck: shellcheck has nothing to say about any printed command.
func TestShellcheck(t *testing.T) {
	path, err := exec.LookPath("shellcheck")
	if err != nil {
		t.Skip("shellcheck is not installed")
	}
	dir := t.TempDir()
	for i, command := range printed() {
		file := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(file, []byte(command+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, shell := range []string{"sh", "bash"} {
		if out, err := exec.Command("/bin/sh", "-c", path+" -s "+shell+" "+dir+"/*").CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// TestGuard: in every shell there is, the guard passes 0 and 2 through
// everywhere, blocks any other end in a constellation, by whatever link or
// case it was entered, and lets any other end be elsewhere.
func TestGuard(t *testing.T) {
	tr := trial.New(t)
	link, elsewhere := filepath.Join(tr.Home, "a link"), filepath.Join(tr.Home, "elsewhere")
	loud := filepath.Join(tr.Home, "Constellation-HADES/deep")
	gone := filepath.Join(tr.Home, "constellation-hades")
	tr.Must(os.Symlink(tr.Root, link))
	tr.Must(os.MkdirAll(elsewhere, 0o755))
	tr.Must(os.MkdirAll(loud, 0o755))
	program := filepath.Join(tr.Home, "hades-gate")
	command := wiring.Quote(program, tr.Home) + wiring.Guard
	for _, shell := range shells() {
		for _, c := range []struct {
			program string // its text; empty: it is missing
			mode    os.FileMode
			passes  int // the end that the client knows; -1 for every other end
		}{
			{"exit 0", 0o755, 0}, {"exit 2", 0o755, 2}, {"exit 1", 0o755, -1}, {"exit 255", 0o755, -1},
			{"kill -9 $$", 0o755, -1}, {"exit 0", 0o644, -1}, {"", 0, -1},
		} {
			os.Remove(program)
			if c.program != "" {
				tr.Write(program, "#!/bin/sh\n"+c.program+"\n")
				tr.Must(os.Chmod(program, c.mode))
			}
			closed := 2
			if c.passes == 0 {
				closed = 0
			}
			for dir, want := range map[string]int{tr.Root: closed, link: closed, loud: closed, elsewhere: c.passes, "/": c.passes} {
				// cd keeps the path of the link in $PWD, as the client's shell may.
				script := fmt.Sprintf("cd %s || exit 99; %s", wiring.Quote(dir, ""), command)
				res := tr.Play(rig.Command{Path: shell[0], Args: append(shell[1:], "-c", script)})
				if got := res.Code; got != want && (want >= 0 || got == 0 || got == 2) {
					tr.Errorf("%v: %q with mode %v in %s: exit %d, not %d", shell, c.program, c.mode, dir, got, want)
				}
			}
		}
		os.Remove(program)
		tr.Must(os.MkdirAll(gone, 0o777))
		script := fmt.Sprintf("cd %s && rmdir %s && %s", wiring.Quote(gone, ""), wiring.Quote(gone, ""), command)
		if res := tr.Play(rig.Command{Path: shell[0], Args: append(shell[1:], "-c", script)}); res.Code != 2 {
			tr.Errorf("%v: in a deleted constellation: exit %d, not 2: %s", shell, res.Code, res.Stderr)
		}
	}
}

// shells are the shells of this machine that may be /bin/sh somewhere.
func shells() [][]string {
	all := [][]string{{"/bin/sh"}}
	for _, s := range [][]string{{"bash"}, {"zsh"}, {"ksh"}, {"busybox", "sh"}} {
		if path, err := exec.LookPath(s[0]); err == nil {
			all = append(all, append([]string{path}, s[1:]...))
		}
	}
	return all
}
