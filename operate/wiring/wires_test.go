package wiring_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"moirai/operate/trial"
	"moirai/operate/wiring"
	"moirai/stresstest/rig"
)

// The guard and the commands, letter for letter as DESIGN D15 has them.
const (
	d15Guard = ` || { set +x -- $?; unset -f exit pwd read; case $1 in 2) exit 2;; esac; ` +
		`case $(pwd -P)/:${CLAUDE_PROJECT_DIR-} in *[Hh][Aa][Dd][Ee][Ss]*|/:*) exit 2;; esac; ` +
		`IFS= read -r p || :; p=${p#*'"cwd":"'}; case ${p%%'","'*} in *[Hh][Aa][Dd][Ee][Ss]*) exit 2;; esac; exit "$1"; }`
	d15Gate = `"$HOME"/.claude/hooks/moirai/hades-gate`
	d15Load = `"$HOME"/.claude/hooks/moirai/hades-session-load`
)

// eight loaders are wired where nobody asked for another number.
var eight = []string{"1/8", "2/8", "3/8", "4/8", "5/8", "6/8", "7/8", "8/8"}

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
	hooks := func(gate, load string) map[string]any {
		var loads []any
		for _, page := range eight {
			loads = append(loads, command(load+" "+page))
		}
		return map[string]any{
			"SessionStart":     group("", loads...),
			"UserPromptSubmit": group("", append([]any{command(gate)}, loads...)...),
			"PreToolUse":       group("*", command(gate+d15Guard)),
			"PostToolUse":      group("Read", command(gate)),
			"PreCompact":       group("", command(gate+d15Guard)),
		}
	}
	program := func(name string, args ...any) any {
		return map[string]any{"type": "command", "command": wiring.ManagedPrograms + "/" + name, "args": append([]any{}, args...)}
	}
	gate, load := program("hades-gate"), "hades-session-load"
	guarded := command(wiring.Quote(wiring.ManagedPrograms, "") + "/hades-gate" + d15Guard)
	var loads []any
	for _, page := range eight {
		loads = append(loads, program(load, page))
	}
	managed := map[string]any{
		"SessionStart":     group("", loads...),
		"UserPromptSubmit": group("", append([]any{gate}, loads...)...),
		"PreToolUse":       group("*", guarded, gate),
		"PostToolUse":      group("Read", gate),
		"PreCompact":       group("", guarded, gate),

		"PreSkillShellCommand": group("*", guarded, gate),
	}
	home := wiring.Machine{Home: "/home/u", ConfigDir: "/home/u/.claude"}
	other := wiring.Machine{Home: "/home/u", ConfigDir: "/srv/two accounts"}
	for name, c := range map[string]struct {
		got  []byte
		want map[string]any
	}{
		"user":    {wiring.User(home, wiring.Pages), map[string]any{"hooks": hooks(d15Gate, d15Load)}},
		"account": {wiring.User(other, wiring.Pages), map[string]any{"hooks": hooks(`"/srv/two accounts/hooks/moirai"/hades-gate`, `"/srv/two accounts/hooks/moirai"/hades-session-load`)}},
		"managed": {wiring.Managed(wiring.Pages), map[string]any{"env": pins(), "hooks": managed}},
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
	names := []string{"CLAUDE_CODE_SHELL_PREFIX", "LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "LD_DEBUG", "GOMAXPROCS", "GOTRACEBACK"}
	if runtime.GOOS == "darwin" {
		names = append(names, "DYLD_INSERT_LIBRARIES")
	}
	p := map[string]any{}
	for _, name := range names {
		p[name] = ""
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

// guardEnds are the ends of the gate, and what becomes of each elsewhere: -1 is any
// end but 0 and 2.
var guardEnds = []struct {
	program string // its text; empty: it is missing
	mode    os.FileMode
	passes  int
}{
	{"exit 0", 0o755, 0}, {"exit 2", 0o755, 2}, {"exit 1", 0o755, -1}, {"exit 255", 0o755, -1},
	{"kill -9 $$", 0o755, -1}, {"cat >/dev/null; kill -9 $$", 0o755, -1}, {"exit 0", 0o644, -1}, {"", 0, -1},
}

// guardBends are what settings can put into the environment of a shell. What
// bends one of them bends none.
var guardBends = []struct {
	name string
	env  []string
}{
	{"nothing", nil},
	{"errexit", []string{"SHELLOPTS=errexit"}},
	{"nounset and errexit", []string{"SHELLOPTS=nounset:errexit:pipefail"}},
	{"onecmd", []string{"SHELLOPTS=onecmd"}},
	{"other options", []string{"SHELLOPTS=keyword:noglob:noclobber:verbose:monitor", "BASHOPTS=nocasematch:extdebug:failglob:nullglob:extglob"}},
	{"xtrace", []string{"SHELLOPTS=xtrace", "PS4=$((r=0))$((p=0))$(exit 0) "}},
	{"functions", functions("pwd", "exit", "read", "cat", "cd", "test", "[", "command", "builtin", "command_not_found_handle")},
	{"functions and errexit", append(functions("pwd", "exit", "read"), "SHELLOPTS=errexit")},
	{"files and splitting", []string{"ENV=/nonexistent", "BASH_ENV=/nonexistent", "IFS=0127/", "CDPATH=/", "PWD=/"}},
}

// functions are bash functions in the environment that do nothing and succeed.
func functions(names ...string) (env []string) {
	for _, name := range names {
		env = append(env, "BASH_FUNC_"+name+"%%=() { true; }")
	}
	return env
}

// TestGuard: in every shell there is, the guard passes 0 and 2 through
// everywhere, blocks any other end in a constellation, by whatever link or
// case it was entered, and lets any other end be elsewhere.
func TestGuard(t *testing.T) {
	for _, sh := range shells {
		t.Run(sh.name, func(t *testing.T) {
			path, err := exec.LookPath(sh.path)
			if err != nil {
				t.Skip(sh.path, "is not installed")
			}
			tr := trial.New(t)
			for _, bend := range guardBends {
				tr.Env = bend.env
				guardPlaces(tr, bend.name, rig.Command{Path: path, Args: sh.args, Argv0: sh.argv0})
			}
		})
	}
}

// guardPlaces tries each end of the gate in each folder.
func guardPlaces(tr *trial.Trial, bend string, shell rig.Command) {
	link, elsewhere := filepath.Join(tr.Home, "a link"), filepath.Join(tr.Home, "elsewhere")
	loud := filepath.Join(tr.Home, "Constellation-HADES/deep")
	os.Remove(link)
	tr.Must(os.Symlink(tr.Root, link))
	tr.Must(os.MkdirAll(elsewhere, 0o755))
	tr.Must(os.MkdirAll(loud, 0o755))
	program := filepath.Join(tr.Home, "gate")
	command := wiring.Quote(program, "") + wiring.Guard
	// What the payload quotes is no folder, nor is the client's own, which is named after one.
	quoting := payload("/x", `"cwd":"/constellation-hades"`)
	for _, end := range guardEnds {
		os.Remove(program)
		if end.program != "" {
			tr.Write(program, "#!/bin/dash\n"+end.program+"\n")
			tr.Must(os.Chmod(program, end.mode))
		}
		closed := 2
		if end.passes == 0 {
			closed = 0
		}
		// A gate that has read the payload leaves none of it to the guard.
		unread := closed
		if strings.HasPrefix(end.program, "cat") {
			unread = -1
		}
		for _, c := range []struct {
			dir, project string
			payload      []byte
			want         int
		}{
			{tr.Root, "", quoting, closed},
			{link, "", nil, closed},
			{loud, "", nil, closed},
			{elsewhere, elsewhere, quoting, end.passes},
			{elsewhere, "", nil, end.passes},
			{"/", "/", quoting, end.passes},
			{elsewhere, tr.Root, quoting, closed}, // the client runs hooks in the home folder once the session's own is deleted
			{elsewhere, elsewhere, payload(tr.Root, "x"), unread},
			{elsewhere, elsewhere, payload("/srv/Constellation-HADES", "x"), unread},
			{elsewhere, elsewhere, bytes.TrimSuffix(payload(tr.Root, "x"), []byte("\n")), unread},
		} {
			// cd keeps the path of the link in $PWD, as the client's shell may. It may be a function too.
			run := shell
			run.Dir, run.Stdin = c.dir, c.payload
			if c.dir == link {
				run.Args = append(slices.Clone(run.Args), "-c", "cd "+wiring.Quote(link, "")+" || exit 99; "+command)
				run.Dir = "/"
				if slices.Contains(tr.Env, functions("cd")[0]) {
					continue
				}
			} else {
				run.Args = append(slices.Clone(run.Args), "-c", command)
			}
			env := tr.Env
			if c.project != "" {
				tr.Env = append(slices.Clone(env), "CLAUDE_PROJECT_DIR="+c.project)
			}
			res := tr.Play(run)
			tr.Env = env
			if got := res.Code; got != c.want && (c.want >= 0 || got == 0 || got == 2) {
				tr.Errorf("%s: %q with mode %v in %s, CLAUDE_PROJECT_DIR %q, payload %.80s: exit %d, not %d: %s", bend, end.program, end.mode, c.dir, c.project, c.payload, got, c.want, res.Stderr)
			}
		}
	}
	os.Remove(program)
	gone := filepath.Join(tr.Home, "constellation-hades")
	tr.Must(os.MkdirAll(gone, 0o777))
	run := shell
	run.Args = append(slices.Clone(run.Args), "-c", fmt.Sprintf("/bin/rmdir %s; %s", wiring.Quote(gone, ""), command))
	run.Dir = gone
	if res := tr.Play(run); res.Code != 2 {
		tr.Errorf("%s: in a deleted constellation: exit %d, not 2: %s", bend, res.Code, res.Stderr)
	}
}

// payload is what the client sends of a call: one line of JSON.
func payload(cwd, command string) []byte {
	text, err := json.Marshal(struct {
		Session string            `json:"session_id"`
		Path    string            `json:"transcript_path"`
		Cwd     string            `json:"cwd"`
		Mode    string            `json:"permission_mode"`
		Input   map[string]string `json:"tool_input"`
	}{"x", "/home/.claude/projects/-constellation-hades/x.jsonl", cwd, "default", map[string]string{"command": command, "cwd": "/constellation-hades"}})
	if err != nil {
		panic(err)
	}
	return append(text, '\n')
}

// shells are those that are /bin/sh somewhere. What .ci/run installs is not skipped there.
var shells = []struct {
	name, path, argv0 string
	args              []string
}{
	{"sh", "sh", "", nil},
	{"dash", "dash", "", nil},
	{"bash", "bash", "", nil},
	{"bash as sh", "bash", "sh", nil},
	{"busybox", "busybox", "sh", nil},
	{"zsh", "zsh", "", nil},
	{"zsh as sh", "zsh", "sh", nil},
	{"mksh", "mksh", "", nil},
	{"mksh as sh", "mksh", "sh", nil},
	{"yash", "yash", "", nil},
	{"yash as sh", "yash", "sh", nil},
	{"ksh", "ksh", "", nil},
}
