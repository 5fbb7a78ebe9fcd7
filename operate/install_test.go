package main_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"moirai/moiraicore"
	"moirai/operate/trial"
	"moirai/operate/wiring"
	"moirai/stresstest/rig"
)

func TestMain(m *testing.M) { trial.Main(m) }

// tree is everything under some folders: type, mode, owner, content or target.
func tree(t testing.TB, dirs ...string) string {
	t.Helper()
	var b strings.Builder
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return nil
			}
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "%s %v %d", path, info.Mode(), info.Sys().(*syscall.Stat_t).Uid)
			if info.Mode()&fs.ModeSymlink != 0 {
				target, _ := os.Readlink(path)
				fmt.Fprintf(&b, " -> %s", target)
			}
			if info.Mode().IsRegular() {
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				fmt.Fprintf(&b, " %q", text[:min(len(text), 100)])
			}
			b.WriteByte('\n')
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// machine is all that an install may touch.
func machine(tr *trial.Trial) string {
	return tree(tr, tr.Home, tr.Root, moiraicore.TokenParent, wiring.ManagedSettings, wiring.ManagedPrograms)
}

// bash puts the bash version in place: a script, and a link into the
// constellation, as §4.1 has them.
func bash(tr *trial.Trial) {
	gate := filepath.Join(tr.Home, ".claude/hooks/moirai/hades-gate.sh")
	script := filepath.Join(tr.Root, "hooks/moirai/hades-session-load.sh")
	tr.Write(gate, "#!/bin/bash\n# the bash gate\n")
	tr.Must(os.Chmod(gate, 0o750))
	tr.Write(script, "#!/bin/bash\n# the bash loader\n")
	tr.Must(os.Symlink(script, filepath.Join(filepath.Dir(gate), "hades-session-load.sh")))
	tr.Own(filepath.Dir(gate))
}

// TestInstall: an install puts in place what it says, changes nothing when run
// again, and uninstall leaves the machine as it was.
func TestInstall(t *testing.T) {
	for name, prepare := range map[string]func(*trial.Trial){
		"fresh": func(*trial.Trial) {}, "over the bash version": bash,
		"no .claude yet": func(tr *trial.Trial) { tr.Must(os.Remove(filepath.Join(tr.Home, ".claude"))) },
		"an old probe": func(tr *trial.Trial) {
			tr.Write(filepath.Join(tr.Root, "cerberus/probes/moirai-hades-integrity.sh"), "old")
		},
		"account elsewhere": func(tr *trial.Trial) {
			tr.Env = []string{"CLAUDE_CONFIG_DIR=" + filepath.Join(tr.Home, "other account")}
		},
	} {
		t.Run(name, func(t *testing.T) {
			tr := trial.New(t)
			prepare(tr)
			before := machine(tr)
			tr.Operate("install", "-root", tr.Root)
			wantInstalled(tr)
			installed := machine(tr)
			tr.Operate("install", "-root", tr.Root)
			if again := machine(tr); again != installed {
				t.Errorf("a second install changes something:\n%s\nbefore:\n%s", again, installed)
			}
			// A blocked call leaves the token directory, which goes too.
			gate := filepath.Join(tr.Home, ".local/libexec/moirai/hades-gate")
			session := rig.Session{ID: "a", Cwd: tr.Root}
			if res := tr.Play(rig.Command{Path: gate, Stdin: session.Bash()}); res.Code != 2 {
				t.Errorf("the installed gate exits %d: %s", res.Code, res.Stderr)
			}
			tr.Env = nil // the record knows where the links are
			tr.Operate("uninstall")
			after := machine(tr)
			if strings.HasPrefix(name, "over") || strings.HasPrefix(name, "an old") {
				// The old version's tokens are its own.
				tr.Must(os.RemoveAll(moiraicore.TokenParent))
				after = machine(tr)
			}
			if after != before {
				t.Errorf("uninstall leaves\n%s\nand not\n%s", after, before)
			}
			if res := tr.Operate("uninstall"); !strings.Contains(res.Stdout, "nothing is installed") {
				t.Errorf("a second uninstall says %q", res.Stdout)
			}
		})
	}
}

func wantInstalled(tr *trial.Trial) {
	tr.Helper()
	folder := filepath.Join(tr.Home, ".local/libexec/moirai")
	for name, mode := range map[string]fs.FileMode{
		"hades-gate": 0o755, "hades-session-load": 0o755, "moirai-hades-integrity": 0o755, "operate": 0o755, "README.md": 0o644, "docs/ALERTS.md": 0o644,
	} {
		want, err := os.ReadFile(tr.Bin(name))
		tr.Must(err)
		got, err := os.ReadFile(filepath.Join(folder, name))
		tr.Must(err)
		info, err := os.Lstat(filepath.Join(folder, name))
		tr.Must(err)
		if !bytes.Equal(got, want) || info.Mode() != mode {
			tr.Errorf("%s is not what was built, or has mode %v", name, info.Mode())
		}
	}
	links := filepath.Join(tr.Home, ".claude/hooks/moirai")
	if len(tr.Env) > 0 {
		links = filepath.Join(tr.Home, "other account/hooks/moirai")
	}
	for link, target := range map[string]string{
		filepath.Join(links, "hades-gate"):                                  "hades-gate",
		filepath.Join(links, "hades-gate.sh"):                               "hades-gate",
		filepath.Join(links, "hades-session-load"):                          "hades-session-load",
		filepath.Join(links, "hades-session-load.sh"):                       "hades-session-load",
		filepath.Join(tr.Root, "cerberus/probes/moirai-hades-integrity.sh"): "moirai-hades-integrity",
	} {
		if got, err := os.Readlink(link); err != nil || got != filepath.Join(folder, target) {
			tr.Errorf("%s leads to %q (%v)", link, got, err)
		}
	}
}

// TestBackups: what is not ours is never lost, however often we come.
func TestBackups(t *testing.T) {
	tr := trial.New(t)
	gate := filepath.Join(tr.Home, ".claude/hooks/moirai/hades-gate.sh")
	tr.Write(gate, "first")
	tr.Operate("install")
	tr.Must(os.Remove(gate))
	tr.Write(gate, "second")
	tr.Operate("install")
	tr.Operate("uninstall")
	for path, want := range map[string]string{gate: "second", gate + ".before-moirai": "first"} {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s holds %q (%v), not %q", path, got, err, want)
		}
	}
}

// TestForeignLink: uninstall leaves a link that is no longer ours.
func TestForeignLink(t *testing.T) {
	tr := trial.New(t)
	tr.Operate("install")
	gate := filepath.Join(tr.Home, ".claude/hooks/moirai/hades-gate")
	tr.Must(os.Remove(gate))
	tr.Must(os.Symlink("/elsewhere", gate))
	tr.Operate("uninstall")
	if target, err := os.Readlink(gate); err != nil || target != "/elsewhere" {
		t.Errorf("the link leads to %q (%v)", target, err)
	}
}

// TestInstallRefuses: what cannot be done is said, and nothing is lost.
func TestInstallRefuses(t *testing.T) {
	t.Run("a folder in the place of a link", func(t *testing.T) {
		tr := trial.New(t)
		inside := filepath.Join(tr.Home, ".claude/hooks/moirai/hades-gate/precious")
		tr.Write(inside, "x")
		res := tr.Run(tr.Bin("operate"), "install")
		if _, err := os.Stat(inside); res.Code != 1 || !strings.Contains(res.Stderr, "hades-gate") || err != nil {
			t.Errorf("exit %d, %q, %v", res.Code, res.Stderr, err)
		}
	})
	t.Run("a root that is none", func(t *testing.T) {
		tr := trial.New(t)
		before := machine(tr)
		res := tr.Run(tr.Bin("operate"), "install", "-root", tr.Home)
		if res.Code != 1 || !strings.Contains(res.Stderr, "no Hades root: no part of the path") || machine(tr) != before {
			t.Errorf("exit %d, %q", res.Code, res.Stderr)
		}
		tr.Must(os.Remove(filepath.Join(tr.Root, rig.Required[0])))
		res = tr.Run(tr.Bin("operate"), "install", "-root", tr.Root)
		if res.Code != 1 || !strings.Contains(res.Stderr, "no Hades root: no directory holds all three required files (tried: "+tr.Root+")") {
			t.Errorf("exit %d, %q", res.Code, res.Stderr)
		}
	})
}

// TestUninstallRefuses: while settings name what would be gone, nothing goes.
func TestUninstallRefuses(t *testing.T) {
	for name, env := range map[string][]string{"user settings": nil, "a second account": {"CLAUDE_CONFIG_DIR=ACCOUNT"}} {
		t.Run(name, func(t *testing.T) {
			tr := trial.New(t)
			file := tr.Settings()
			if env != nil {
				account := filepath.Join(tr.Home, "account")
				tr.Env = []string{"CLAUDE_CONFIG_DIR=" + account}
				file = filepath.Join(account, "settings.json")
			}
			tr.Operate("install")
			tr.Write(file, tr.Operate("wiring").Stdout)
			tr.Env = nil
			before := machine(tr)
			res := tr.Run(tr.Bin("operate"), "uninstall")
			if res.Code != 1 || !strings.Contains(res.Stderr, file) || machine(tr) != before {
				t.Errorf("exit %d: %s", res.Code, res.Stderr)
			}
			if res := tr.Operate("uninstall", "-force"); !strings.Contains(res.Stdout, "blocked until these are taken out:\n  "+file) {
				t.Errorf("forced, it says\n%s", res.Stdout)
			}
			if _, err := os.Lstat(filepath.Join(tr.Home, ".local")); !os.IsNotExist(err) {
				t.Errorf("forced, it leaves .local: %v", err)
			}
		})
	}
	t.Run("not for a name that gets its old file back", func(t *testing.T) {
		tr := trial.New(t)
		bash(tr)
		tr.Operate("install")
		tr.Write(tr.Settings(), `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "~/.claude/hooks/moirai/hades-gate.sh"}]}]}}`)
		tr.Operate("uninstall")
	})
}

// TestTakeover: settings that name the bash scripts run our hooks after an
// install, and the scripts again after an uninstall.
func TestTakeover(t *testing.T) {
	tr := trial.New(t)
	bash(tr)
	play := func() rig.Result {
		session := rig.Session{ID: "a", Cwd: tr.Root}
		return tr.Play(rig.Command{Path: "/bin/sh", Args: []string{"-c", "~/.claude/hooks/moirai/hades-gate.sh"}, Dir: tr.Root, Stdin: session.Bash()})
	}
	tr.Operate("install")
	if res := play(); res.Code != 2 || !strings.HasPrefix(res.Stderr, "BLOCKED by Moirai (Hades).") {
		t.Errorf("taken over: exit %d: %s", res.Code, res.Stderr)
	}
	tr.Operate("uninstall")
	if res := play(); res.Code != 0 {
		t.Errorf("given back: exit %d: %s", res.Code, res.Stderr)
	}
}

// TestReplace: while the binaries are replaced over and over, every call of a
// running session meets a whole one.
func TestReplace(t *testing.T) {
	tr := trial.New(t)
	tr.Operate("install")
	// Two builds: the second has bytes behind its end, which no system minds.
	builds := [2]string{filepath.Join(tr.Home, "one"), filepath.Join(tr.Home, "two")}
	for i, dir := range builds {
		for _, name := range []string{"hades-gate", "hades-session-load", "moirai-hades-integrity", "operate", "README.md", "docs/ALERTS.md"} {
			text, err := os.ReadFile(tr.Bin(name))
			tr.Must(err)
			tr.Write(filepath.Join(dir, name), string(append(text, bytes.Repeat([]byte{'\n'}, i)...)))
			tr.Must(os.Chmod(filepath.Join(dir, name), 0o755))
		}
	}
	var group sync.WaitGroup
	done := make(chan struct{})
	group.Go(func() {
		defer close(done)
		for i := range 20 {
			if res := tr.Run(filepath.Join(builds[(i+1)%2], "operate"), "install"); !strings.Contains(res.Stdout, "installed") {
				t.Errorf("install %d replaced nothing: exit %d %s%s", i, res.Code, res.Stdout, res.Stderr)
			}
		}
	})
	group.Go(func() {
		session := rig.Session{ID: "a", Cwd: tr.Root}
		for running := true; running; {
			select {
			case <-done:
				running = false
			default:
			}
			if res := tr.Play(rig.Command{Path: "/bin/sh", Args: []string{"-c", "~/.claude/hooks/moirai/hades-gate"}, Dir: tr.Root, Stdin: session.Bash()}); res.Code != 2 {
				t.Errorf("a call meets exit %d: %s", res.Code, res.Stderr)
			}
		}
	})
	group.Wait()
}

// TestManaged: a managed install is root's alone, is what wiring-managed
// prints, leaves other managed settings as they are, and can be undone.
func TestManaged(t *testing.T) {
	tr := trial.New(t)
	tr.NeedManaged()
	other := filepath.Join(wiring.ManagedSettings, "managed-settings.json")
	tr.Must(os.MkdirAll(wiring.ManagedSettings, 0o755))
	tr.Must(os.WriteFile(other, []byte("not even JSON"), 0o600))
	before := machine(tr)
	run := func(code int, args ...string) rig.Result {
		t.Helper()
		res := tr.RunAsRoot(tr.Bin("operate"), args...)
		if res.Code != code {
			t.Errorf("%v: exit %d, not %d\n%s%s", args, res.Code, code, res.Stdout, res.Stderr)
		}
		return res
	}
	run(0, "install-managed")
	installed := tree(t, wiring.ManagedPrograms, wiring.DropIn())
	for _, top := range []string{wiring.ManagedPrograms, wiring.ManagedSettings} {
		tr.Must(filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if info, err := d.Info(); err != nil || info.Mode().Perm()&0o022 != 0 || info.Sys().(*syscall.Stat_t).Uid != 0 {
				t.Errorf("%s is not root's alone: %v", path, err)
			}
			return err
		}))
	}
	drop, err := os.ReadFile(wiring.DropIn())
	if printed := tr.Operate("wiring-managed").Stdout; err != nil || string(drop) != printed {
		t.Errorf("the drop-in is not what wiring-managed prints: %v\n%s", err, drop)
	}
	run(0, "install-managed")
	if again := tree(t, wiring.ManagedPrograms, wiring.DropIn()); again != installed {
		t.Errorf("a second install-managed changes something:\n%s", again)
	}
	more := regexp.MustCompile(`("[0-9]+)/8"`).ReplaceAllString(string(drop), `$1/12"`)
	earlier := regexp.MustCompile(`(hades-session-load)",\s*"args": \[\s*"([0-9]+/12)"\s*\]`).ReplaceAllString(more, `$1 $2"`)
	if more == string(drop) || earlier == more {
		t.Fatal("nothing to change in the drop-in")
	}
	for form, text := range map[string]string{"exec form": more, "shell form, as an earlier version had it": earlier} {
		tr.Must(os.WriteFile(wiring.DropIn(), []byte(text), 0o644))
		run(0, "install-managed")
		if drop, err = os.ReadFile(wiring.DropIn()); err != nil || !strings.Contains(string(drop), `"8/12"`) || strings.Contains(string(drop), "/8\"") {
			t.Errorf("wired for twelve pages in %s, install-managed leaves %v\n%s", form, err, drop)
		}
	}
	run(0, "uninstall-managed")
	if after := machine(tr); after != before {
		t.Errorf("uninstall-managed leaves\n%s\nand not\n%s", after, before)
	}
	run(0, "uninstall-managed")
}

// TestManagedRefuses: not root, or a folder on the way that a user can write.
func TestManagedRefuses(t *testing.T) {
	tr := trial.New(t)
	tr.NeedManaged()
	for _, args := range []string{"install-managed", "uninstall-managed"} {
		if res := tr.Run(tr.Bin("operate"), args); res.Code != 1 || !strings.Contains(res.Stderr, "as root") {
			t.Errorf("%s as a user: exit %d: %s", args, res.Code, res.Stderr)
		}
	}
	programs := filepath.Dir(wiring.ManagedPrograms)
	for name, c := range map[string]struct {
		spoil, mend func() error
	}{
		"programs under a folder that all can write": {func() error { return os.Chmod(programs, 0o777) }, func() error { return os.Chmod(programs, 0o755) }},
		"programs under a folder of a user":          {func() error { return os.Chown(programs, 1234, 0) }, func() error { return os.Chown(programs, 0, 0) }},
		"programs in a folder of a user":             {func() error { return mkdirOwned(wiring.ManagedPrograms) }, func() error { return os.Remove(wiring.ManagedPrograms) }},
		"settings in a folder of a user":             {func() error { return mkdirOwned(wiring.ManagedSettings) }, func() error { return os.Remove(wiring.ManagedSettings) }},
		"programs through a link to a user's folder": {func() error { return os.Symlink(tr.Home, wiring.ManagedPrograms) }, func() error { return os.Remove(wiring.ManagedPrograms) }},
	} {
		tr.Must(c.spoil())
		before := machine(tr)
		res := tr.RunAsRoot(tr.Bin("operate"), "install-managed")
		if res.Code != 1 || !strings.Contains(res.Stderr, "a user could replace") || machine(tr) != before {
			t.Errorf("%s: exit %d: %s", name, res.Code, res.Stderr)
		}
		tr.Must(c.mend())
	}
}

func mkdirOwned(dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	return os.Chown(dir, 1234, 0)
}

// TestUsage: what is not a command line of ours is refused, with exit 2.
func TestUsage(t *testing.T) {
	tr := trial.New(t)
	before := machine(tr)
	for _, args := range [][]string{{}, {"x"}, {"install", "x"}, {"install", "-force"}, {"verify", "-x"}, {"fit"}, {"status", "-session"}} {
		if res := tr.Run(tr.Bin("operate"), args...); res.Code != 2 || !strings.HasPrefix(res.Stderr, "usage: ") {
			t.Errorf("%v: exit %d: %s", args, res.Code, res.Stderr)
		}
	}
	if machine(tr) != before {
		t.Error("a wrong command line changed something")
	}
}

// TestStartCommand: install offers one, never over another, and uninstall takes away
// what it put there and nobody has changed.
func TestStartCommand(t *testing.T) {
	const path = ".claude/commands/start.md"
	for _, c := range []struct {
		what, there, typed string
		put, asked         bool
		change             bool
	}{
		{"asked for", "", "y\n", true, true, false}, {"not wanted", "", "\n", false, true, false}, {"nobody there", "", "", false, true, false},
		{"one is there", path, "y\n", false, false, false}, {"a skill is there", ".claude/skills/start/SKILL.md", "y\n", false, false, false},
		{"changed afterwards", "", "y\n", true, true, true},
	} {
		t.Run(c.what, func(t *testing.T) {
			tr := trial.New(t)
			if c.there != "" {
				tr.Write(filepath.Join(tr.Home, c.there), "theirs")
			}
			before := machine(tr)
			res := answer(tr, c.typed, "install")
			text, err := os.ReadFile(filepath.Join(tr.Home, path))
			if res.Code != 0 || (err == nil && strings.Contains(string(text), "description: Start")) != c.put || strings.Contains(res.Stdout, "[y/N]") != c.asked {
				t.Errorf("exit %d: %v %s\n%s", res.Code, err, text, res.Stdout)
			}
			if c.change {
				tr.Write(filepath.Join(tr.Home, path), "mine now")
			}
			tr.Operate("uninstall")
			if c.change {
				if text, err := os.ReadFile(filepath.Join(tr.Home, path)); err != nil || string(text) != "mine now" {
					t.Errorf("%v %s", err, text)
				}
				return
			}
			if after := machine(tr); after != before {
				t.Errorf("left\n%s\nand not\n%s", after, before)
			}
		})
	}
}
