package main_test

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"moirai/operate/trial"
	"moirai/operate/wiring"
	"moirai/stresstest/rig"
)

// realSettings is what an operator's settings look like: an order of its own, a
// status line, hooks of others, those that the bash version had, and the two that stay.
const realSettings = `{
    "$schema": "https://json.schemastore.org/claude-code-settings.json",
    "model": "opus",
    "permissions": {
        "allow": ["Bash(git status:*)", "Read(~/.zshrc)"],
        "deny": []
    },
    "statusLine": {"type": "command", "command": "~/.claude/statusline.sh", "padding": 0},
    "hooks": {
        "PreToolUse": [
            {
                "matcher": "*",
                "hooks": [
                    {"type": "command", "command": "~/.claude/hooks/hades-session-start-gate.sh"},
                    {"type": "command", "command": "~/.claude/hooks/hades-vault-guard.sh", "timeout": 5}
                ]
            },
            { "matcher": "Bash", "hooks": [ { "type": "command", "command": "~/.claude/hooks/hades-deployment-gate.sh" } ] }
        ],
        "UserPromptSubmit": [
            { "hooks": [ { "type": "command", "command": "bash ~/.claude/hooks/hades-start-prompt-marker.sh" } ] }
        ],
        "Stop": [ { "hooks": [ { "type": "command", "command": "say done" } ] } ]
    },
    "alwaysThinkingEnabled": true
}
`

const otherSettings = "{\"theme\":\"dark\"}"

// answer runs operate with something typed into it.
func answer(tr *trial.Trial, typed string, args ...string) rig.Result {
	tr.Helper()
	return tr.Play(rig.Command{Path: tr.Bin("operate"), Args: args, Stdin: []byte(typed)})
}

// whole is which files there are under a folder, with mode, and their text or target whole.
func whole(tr *trial.Trial, dirs ...string) map[string]string {
	tr.Helper()
	all := map[string]string{}
	for _, dir := range dirs {
		tr.Must(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			all[path] = info.Mode().String()
			if info.Mode().IsRegular() {
				text, err := os.ReadFile(path)
				all[path] += " " + string(text)
				return err
			}
			if info.Mode()&fs.ModeSymlink != 0 {
				target, err := os.Readlink(path)
				all[path] += " -> " + target
				return err
			}
			return nil
		}))
	}
	return all
}

// TestNewOperator is the life of an installation: a home with other hooks, a status
// line, settings that are a link into a repository, two accounts, and rule files of real size. No
// editor is used, and at the end every file is what it was and none is more.
func TestNewOperator(t *testing.T) {
	tr := trial.New(t)
	home := func(path string) string { return filepath.Join(tr.Home, path) }
	tr.Write(home("dotfiles/claude/settings.json"), realSettings)
	tr.Must(os.Chmod(home("dotfiles/claude/settings.json"), 0o640))
	git(tr, home("dotfiles"), "init", "-q")
	git(tr, home("dotfiles"), "add", ".")
	git(tr, home("dotfiles"), "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "-m", "x")
	tr.Must(os.Symlink("../dotfiles/claude/settings.json", tr.Settings()))
	tr.Write(home(".claude-work/settings.json"), otherSettings)
	for _, name := range []string{"statusline.sh", "hooks/hades-vault-guard.sh", "hooks/hades-deployment-gate.sh"} {
		tr.Write(home(".claude/"+name), "#!/bin/sh\nexit 0\n")
		tr.Must(os.Chmod(home(".claude/"+name), 0o755))
	}
	line := strings.Repeat("x", 78) + "\n"
	_, err := rig.Constellation(tr.Root, rig.Contents{strings.Repeat(line, 24<<10/79), strings.Repeat(line, 6<<10/79), strings.Repeat(line, 9<<10/79)})
	tr.Must(err)
	tr.Own(tr.Root)
	before := whole(tr, tr.Home, tr.Root)

	tr.Operate("install", "-root", tr.Root)
	if res := answer(tr, "y\ny\n", "wire", "-root", tr.Root); res.Code != 0 || strings.Count(res.Stdout, "[y/N]") != 2 {
		t.Fatalf("wire: exit %d\n%s%s", res.Code, res.Stdout, res.Stderr)
	}
	if target, err := os.Readlink(tr.Settings()); err != nil || target != "../dotfiles/claude/settings.json" {
		t.Errorf("the settings are no link any more: %q %v", target, err)
	}
	tr.Operate("verify", "-root", tr.Root)
	playSession(tr, tr.Settings(), "one")
	playSession(tr, home(".claude-work/settings.json"), "two")

	// An upgrade wires anew: here the older version had five pages.
	for _, pages := range []string{"5", "9"} {
		tr.Operate("wire", "-yes", "-pages", pages)
		tr.Operate("verify", "-root", tr.Root)
		playSession(tr, tr.Settings(), "upgraded"+pages)
	}
	if res := tr.Run(tr.Bin("operate"), "uninstall"); res.Code != 1 || !strings.Contains(res.Stderr, "make unwire") {
		t.Errorf("uninstall while wired: exit %d %s", res.Code, res.Stderr)
	}
	tr.Operate("unwire", "-yes", "-all")
	git(tr, home("dotfiles"), "diff", "--exit-code")
	tr.Operate("uninstall")
	after := whole(tr, tr.Home, tr.Root)
	for path, want := range before {
		if !strings.Contains(path, "/.git/") && after[path] != want {
			t.Errorf("%s was\n%s\nand is\n%s", path, want, after[path])
		}
	}
	for path := range after {
		if _, was := before[path]; !was && !strings.Contains(path, "/.git/") {
			t.Errorf("%s is left", path)
		}
	}
}

// playSession plays a session by the wired commands of a settings file, as the
// client would: all loaders get the event, the rules come out whole, a tool is
// blocked until /start and runs then.
func playSession(tr *trial.Trial, settings, id string) {
	tr.Helper()
	s := rig.Session{ID: id, Cwd: tr.Root}
	out := ""
	for _, e := range []struct {
		event   string
		payload []byte
		code    int
	}{
		{"SessionStart", s.SessionStart("startup"), 0}, {"PreToolUse", s.Bash(), 2},
		{"UserPromptSubmit", s.Prompt("/start"), 0}, {"PreToolUse", s.Bash(), 0},
	} {
		ran := 0
		tr.EditJSON(copyOf(tr, settings), func(all map[string]any) {
			for _, group := range all["hooks"].(map[string]any)[e.event].([]any) {
				for _, hook := range group.(map[string]any)["hooks"].([]any) {
					command := hook.(map[string]any)["command"].(string)
					if !strings.Contains(command, "hooks/moirai/") {
						continue
					}
					ran++
					res := tr.Play(rig.Command{Path: "/bin/sh", Args: []string{"-c", command}, Dir: tr.Root, Stdin: e.payload})
					if res.Code != e.code {
						tr.Errorf("%s: %s: exit %d, not %d: %s", settings, command, res.Code, e.code, res.Stderr)
					}
					out += res.Stdout
				}
			}
		})
		if ran == 0 {
			tr.Errorf("%s wires nothing for %s", settings, e.event)
		}
	}
	if n := strings.Count(out, strings.Repeat("x", 78)+"\n"); n != 24<<10/79+6<<10/79+9<<10/79 {
		tr.Errorf("%s: %d lines of rules were printed", settings, n)
	}
}

func copyOf(tr *trial.Trial, path string) string {
	text, err := os.ReadFile(path)
	tr.Must(err)
	dir := tr.TempDir()
	tr.Must(os.WriteFile(filepath.Join(dir, "settings.json"), text, 0o600))
	return filepath.Join(dir, "settings.json")
}

func git(tr *trial.Trial, dir string, args ...string) {
	tr.Helper()
	path, err := exec.LookPath("git")
	tr.Must(err)
	if res := tr.Play(rig.Command{Path: path, Args: append([]string{"-C", dir}, args...)}); res.Code != 0 {
		tr.Fatalf("git %v: exit %d %s%s", args, res.Code, res.Stdout, res.Stderr)
	}
}

// TestWireAsks: nothing is written without a yes, each account is asked for, or all
// at once, and what is shown is the change.
func TestWireAsks(t *testing.T) {
	for _, c := range []struct {
		typed     string
		args      []string
		wired     [2]bool // ~/.claude and ~/.claude-work
		questions int
	}{
		{"", nil, [2]bool{}, 2}, {"n\nno\n", nil, [2]bool{}, 2}, {"\n\n", nil, [2]bool{}, 2}, {"yess\nY E S\n", nil, [2]bool{}, 2},
		{"y\nn\n", nil, [2]bool{true, false}, 2}, {"n\nYES\n", nil, [2]bool{false, true}, 2}, {"y", nil, [2]bool{true, false}, 2},
		{"", []string{"-all"}, [2]bool{}, 1}, {"y\n", []string{"-all"}, [2]bool{true, true}, 1},
		{"", []string{"-yes"}, [2]bool{true, true}, 0},
	} {
		t.Run(fmt.Sprintf("%q %v", c.typed, c.args), func(t *testing.T) {
			tr := trial.New(t)
			files := [2]string{tr.Settings(), filepath.Join(tr.Home, ".claude-work/settings.json")}
			tr.Write(files[0], realSettings)
			tr.Write(files[1], otherSettings)
			before := machine(tr)
			res := answer(tr, c.typed, append([]string{"wire"}, c.args...)...)
			for i, file := range files {
				text, err := os.ReadFile(file)
				tr.Must(err)
				if got := strings.Contains(string(text), "hades-session-load"); got != c.wired[i] {
					t.Errorf("%s is wired: %v", file, got)
				}
			}
			if n := strings.Count(res.Stdout, "[y/N]"); n != c.questions {
				t.Errorf("%d questions\n%s", n, res.Stdout)
			}
			for _, want := range []string{"  -                    {\"type\": \"command\", \"command\": \"~/.claude/hooks/hades-session-start-gate.sh\"},\n",
				"  +                \"matcher\": \"*\",", "  -{\"theme\":\"dark\"}\n"} {
				if !strings.Contains(res.Stdout, want) {
					t.Errorf("no %q in\n%s", want, res.Stdout)
				}
			}
			if c.wired == [2]bool{} && machine(tr) != before {
				t.Errorf("without a yes it made\n%s", machine(tr))
			}
			if (res.Code == 0) != (c.wired == [2]bool{true, true}) {
				t.Errorf("exit %d", res.Code)
			}
		})
	}
}

// TestWireAgain: a second wire changes nothing and asks nothing.
func TestWireAgain(t *testing.T) {
	tr := trial.New(t)
	tr.Write(tr.Settings(), realSettings)
	tr.Operate("wire", "-yes")
	before := machine(tr)
	if res := tr.Operate("wire"); machine(tr) != before || strings.Contains(res.Stdout, "[y/N]") {
		t.Errorf("it made\n%s\nof\n%s\n%s", machine(tr), before, res.Stdout)
	}
}

// TestUnwireAfterChanges: what somebody else wrote after wire did stays, ours goes, and
// what was there is kept under a name with the date.
func TestUnwireAfterChanges(t *testing.T) {
	tr := trial.New(t)
	tr.Write(tr.Settings(), realSettings)
	tr.Operate("wire", "-yes")
	text, err := os.ReadFile(tr.Settings())
	tr.Must(err)
	tr.Write(tr.Settings(), strings.Replace(string(text), `"opus"`, `"sonnet"`, 1))
	tr.Operate("unwire", "-yes")
	got, err := os.ReadFile(tr.Settings())
	tr.Must(err)
	if s := string(got); strings.Contains(s, "moirai") || !strings.Contains(s, `"sonnet"`) || !strings.Contains(s, "hades-vault-guard.sh\", \"timeout\": 5}") {
		t.Errorf("it left\n%s", s)
	}
	kept, err := filepath.Glob(tr.Settings() + ".before-moirai-20??????T??????Z*")
	if text, err2 := os.ReadFile(kept[0]); err != nil || err2 != nil || string(text) != realSettings {
		t.Errorf("%v: %v %v\n%s", kept, err, err2, text)
	}
	tr.Operate("unwire")
	tr.Operate("uninstall")
}

// TestWireMakesFiles: where there are no settings they are made, and unwire takes
// them away again.
func TestWireMakesFiles(t *testing.T) {
	for _, text := range []string{"", " \n"} {
		tr := trial.New(t)
		if text != "" {
			tr.Write(tr.Settings(), text)
		}
		before := machine(tr)
		tr.Operate("wire", "-yes")
		tr.Operate("verify")
		tr.Operate("unwire", "-yes")
		tr.Operate("uninstall")
		if after := machine(tr); after != before {
			t.Errorf("%q: left\n%s\nand not\n%s", text, after, before)
		}
	}
}

// TestWireRefuses: what cannot be changed safely is left as it is, and it is said why.
func TestWireRefuses(t *testing.T) {
	for what, c := range map[string]struct {
		spoil func(*trial.Trial)
		want  string
	}{
		"a comma too many":  {func(tr *trial.Trial) { tr.Write(tr.Settings(), "{\n  \"a\": 1,\n}\n") }, "malformed JSON at line 3, column 1"},
		"two equal keys":    {func(tr *trial.Trial) { tr.Write(tr.Settings(), `{"a": 1, "a": 2}`) }, "a second time"},
		"a link to nowhere": {func(tr *trial.Trial) { tr.Must(os.Symlink("/nonexistent/x", tr.Settings())) }, "leads nowhere"},
		"two names": {func(tr *trial.Trial) {
			tr.Write(tr.Settings(), "{}")
			tr.Must(os.Link(tr.Settings(), tr.Settings()+"2"))
		}, "hard links"},
		"a file of another": {func(tr *trial.Trial) {
			tr.NeedManaged() // that is, root
			tr.Write(tr.Settings(), "{}")
			tr.Must(os.Chown(tr.Settings(), 1234, 1234))
		}, "belongs to uid 1234"},
		"the drop-in has the hooks": {func(tr *trial.Trial) {
			tr.NeedManaged()
			tr.RunAsRoot(tr.Bin("operate"), "install-managed")
		}, "not wired: the hooks are in " + wiring.DropIn()},
		"too few pages": {func(tr *trial.Trial) {
			_, err := rig.Constellation(tr.Root, rig.SizedContents(95_000))
			tr.Must(err)
		}, "too few"},
	} {
		t.Run(what, func(t *testing.T) {
			tr := trial.New(t)
			c.spoil(tr)
			before := whole(tr, tr.Home)
			res := tr.Run(tr.Bin("operate"), "wire", "-yes", "-pages", "8", "-root", tr.Root)
			if res.Code != 1 || !strings.Contains(res.Stderr, c.want) {
				t.Errorf("exit %d, no %q in %s", res.Code, c.want, res.Stderr)
			}
			if after := whole(tr, tr.Home); fmt.Sprint(after) != fmt.Sprint(before) {
				t.Errorf("it changed something: %v", after)
			}
		})
	}
}

// TestWireChangedMeanwhile: what a client writes between the question and the
// answer is not lost.
func TestWireChangedMeanwhile(t *testing.T) {
	tr := trial.New(t)
	tr.Write(tr.Settings(), "{}\n")
	c := tr.Command(rig.Command{})
	cmd := exec.Command(tr.Bin("operate"), "wire")
	cmd.Env, cmd.SysProcAttr = c.Env, c.Attr
	in, err := cmd.StdinPipe()
	tr.Must(err)
	out, err := cmd.StdoutPipe()
	tr.Must(err)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	tr.Must(cmd.Start())
	said, one := "", make([]byte, 1)
	for !strings.Contains(said, "[y/N]") {
		if _, err := out.Read(one); err != nil {
			t.Fatalf("%v after %s", err, said)
		}
		said += string(one)
	}
	tr.Write(tr.Settings(), "{\"new\": 1}\n")
	_, err = in.Write([]byte("y\n"))
	tr.Must(err)
	rest, err := io.ReadAll(out)
	tr.Must(err)
	failed := cmd.Wait()
	text, err := os.ReadFile(tr.Settings())
	if failed == nil || err != nil || string(text) != "{\"new\": 1}\n" || !strings.Contains(stderr.String(), "has changed since it was read") {
		t.Errorf("%v %v %s\n%s%s", failed, err, text, rest, stderr.String())
	}
}

// TestWirePages: the number of pages is that of PAGES=, or what ROOT= needs, and
// never fewer than 8 or than are wired.
func TestWirePages(t *testing.T) {
	for _, c := range []struct {
		args  []string
		units int
		want  int
	}{
		{nil, 100, 8}, {[]string{"-pages", "5"}, 100, 5}, {[]string{"-root", "ROOT"}, 40_000, 8}, {[]string{"-root", "ROOT"}, 95_000, 10},
		{[]string{"-pages", "12", "-root", "ROOT"}, 95_000, 12},
	} {
		for _, command := range []string{"wire", "wiring", "wiring-managed"} {
			tr := trial.New(t)
			_, err := rig.Constellation(tr.Root, rig.SizedContents(c.units))
			tr.Must(err)
			args := []string{command}
			if command == "wire" {
				args = append(args, "-yes")
			}
			for _, a := range c.args {
				args = append(args, strings.Replace(a, "ROOT", tr.Root, 1))
			}
			out := tr.Operate(args...).Stdout
			want := fmt.Sprintf("hades-session-load %d/%d\"", c.want, c.want)
			if command == "wiring-managed" { // in exec form
				want = fmt.Sprintf("\"%d/%d\"", c.want, c.want)
			}
			if !strings.Contains(out, want) || strings.Contains(out, fmt.Sprintf("load %d/", c.want+1)) {
				t.Errorf("%v: no %s in\n%s", args, want, out)
			}
			if command == "wire" {
				if out := tr.Operate("wire", "-yes").Stdout; !strings.Contains(out, fmt.Sprintf("%d pages are wired", max(8, c.want))) {
					t.Errorf("%v, and wired again it says\n%s", args, out)
				}
			}
		}
	}
	tr := trial.New(t)
	for _, pages := range []string{"-1", "65", "x"} {
		if res := tr.Run(tr.Bin("operate"), "wiring", "-pages", pages); res.Code == 0 || res.Stdout != "" {
			t.Errorf("PAGES=%s: exit %d %s", pages, res.Code, res.Stdout)
		}
	}
}
