package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"moirai/moiraicore"
	"moirai/operate/trial"
	"moirai/stresstest/rig"
)

// impostors stand in the place of an installed program and do one thing wrong.
// REAL is the program itself; $x holds the payload.
var impostors = []struct {
	program, script string
	want            string // what fails, with the checksum, and only that
}{
	{"hades-gate", `case $x in *PreToolUse*constellation-hades*|*constellation-hades*PreToolUse*) exit 0;; esac`, "run_blocks"},
	{"hades-gate", `case $x in *PreToolUse*constellation-hades*|*constellation-hades*PreToolUse*) echo nobody knows why >&2; exit 2;; esac`, "run_blocks"},
	{"hades-session-load", `case $x in *constellation-hades*) exit 0;; esac`, "run_blocks"},
	{"hades-session-load", `case $x in *constellation-hades*SessionStart*) echo rules; exit 0;; esac`, "run_blocks"},
	{"hades-gate", `[ "$x" != "{" ] || exit 0`, "run_malformed"},
	{"hades-session-load", `[ "$x" != "{" ] || exit 1`, "run_malformed"},
	{"hades-gate", `case $x in *'"cwd":"/"'*) echo hello;; esac`, "run_silent"},
	{"hades-gate", `case $x in *'"cwd":"/"'*) exit 2;; esac`, "run_silent"},
	{"hades-session-load", `case $x in *'"cwd":"/"'*) echo hello >&2; exit 0;; esac`, "run_silent"},
	{"hades-gate", `case $x in *PostToolUse*constellation-hades*|*constellation-hades*PostToolUse*) exit 2;; esac`, "run_records_nothing"},
	{"hades-gate", `case $x in *UserPromptSubmit*constellation-hades*|*constellation-hades*UserPromptSubmit*) echo "1 START_ACK UserPromptSubmit main" > /tmp/moirai/hades/session-verify-no-such-session;; esac`, "run_records_nothing"},
	{"hades-gate", `case $x in *PreCompact*constellation-hades*|*constellation-hades*PreCompact*) kill -9 $$;; esac`, "run_records_nothing"},
}

// TestVerifyRuns: verify believes no program that does not do what it must,
// with the wiring as it should be.
func TestVerifyRuns(t *testing.T) {
	for i, im := range impostors {
		t.Run(fmt.Sprintf("%s/%d", im.want, i), func(t *testing.T) {
			tr := trial.New(t)
			tr.Wire()
			path := filepath.Join(tr.Home, ".local/libexec/moirai", im.program)
			tr.Must(os.Rename(path, path+"-real"))
			tr.Write(path, fmt.Sprintf("#!/bin/sh\nx=$(cat)\n%s\nprintf %%s \"$x\" | '%s-real' \"$@\"\n", im.script, path))
			tr.Must(os.Chmod(path, 0o755))
			res := tr.Run(tr.Bin("operate"), "verify")
			failed := trial.Marked(res.Stdout, "FAIL")
			slices.Sort(failed)
			if got := slices.Compact(failed); res.Code != 1 || !slices.Equal(got, []string{"hook_checksum_mismatch", im.want}) {
				t.Errorf("exit %d, failed: %v\n%s", res.Code, got, res.Stdout)
			}
		})
	}
}

// TestVerifyPrograms: programs that do all they must are not believed either where
// others can change them, or somebody has.
func TestVerifyPrograms(t *testing.T) {
	for _, v := range []struct {
		name   string
		change func(path string) error
		want   []string
	}{
		{"as installed", func(string) error { return nil }, nil},
		{"writable", func(path string) error { return os.Chmod(path, 0o777) }, []string{"hook_mode", "hook_writable"}},
		{"a byte more", func(path string) error {
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteString("x")
			return err
		}, []string{"hook_checksum_mismatch"}},
	} {
		for _, program := range []string{"hades-gate", "hades-session-load"} {
			t.Run(v.name+"/"+program, func(t *testing.T) {
				tr := trial.New(t)
				tr.Wire()
				tr.Must(v.change(filepath.Join(tr.Home, ".local/libexec/moirai", program)))
				res := tr.Run(tr.Bin("operate"), "verify")
				if got := trial.Marked(res.Stdout, "FAIL"); (res.Code != 0) != (v.want != nil) || !slices.Equal(got, v.want) {
					t.Errorf("exit %d, failed: %v\n%s", res.Code, got, res.Stdout)
				}
			})
		}
	}
}

// TestVerifyProgramsGone: nothing good is said of programs that are not there.
func TestVerifyProgramsGone(t *testing.T) {
	tr := trial.New(t)
	tr.Wire()
	tr.Operate("uninstall", "-force")
	res := tr.Run(tr.Bin("operate"), "verify")
	if slices.Contains(trial.Marked(res.Stdout, "ok"), "programs") || !slices.Contains(trial.Marked(res.Stdout, "FAIL"), "wiring_program") {
		t.Errorf("exit %d\n%s", res.Code, res.Stdout)
	}
}

// TestVerifyGuard: the guard is run too, and both ways in which it can be wrong show.
func TestVerifyGuard(t *testing.T) {
	for rest, want := range map[string]string{"": "run_guard", " || exit 2": "run_guard_elsewhere"} {
		tr := trial.New(t)
		tr.Wire()
		tr.EditJSON(tr.Settings(), func(s map[string]any) {
			h := trial.Hook(s, "PreToolUse", 0)
			path, _, _ := strings.Cut(h["command"].(string), " ||")
			h["command"] = path + rest
		})
		res := tr.Run(tr.Bin("operate"), "verify")
		if got := trial.Marked(res.Stdout, "FAIL"); res.Code != 1 || !slices.Equal(got, []string{"wiring_guard", want}) {
			t.Errorf("%q: exit %d, failed: %v\n%s", rest, res.Code, got, res.Stdout)
		}
	}
}

// TestVerifyNeverGreenOnPaper: without a command that ran, verify fails.
func TestVerifyNeverGreenOnPaper(t *testing.T) {
	tr := trial.New(t)
	res := tr.Run(tr.Bin("operate"), "verify")
	if got := trial.Marked(res.Stdout, "FAIL"); res.Code != 1 || !slices.Equal(got, []string{"wiring_missing", "hook_missing", "hook_missing", "run"}) {
		t.Errorf("nothing wired: exit %d, failed: %v", res.Code, got)
	}
}

// TestVerifyRunsNothingElse: of a command whose form is not ours nothing is run.
func TestVerifyRunsNothingElse(t *testing.T) {
	tr := trial.New(t)
	tr.Wire()
	mark := filepath.Join(tr.Home, "mark")
	tr.EditJSON(tr.Settings(), func(s map[string]any) {
		for _, event := range []string{"PreToolUse", "PreCompact", "SessionStart"} {
			h := trial.Hook(s, event, 0)
			h["command"] = h["command"].(string) + "; echo x > " + "'" + mark + "'"
		}
	})
	if res := tr.Run(tr.Bin("operate"), "verify"); res.Code != 1 {
		t.Errorf("exit %d", res.Code)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("verify ran a command of another form")
	}
}

// TestVerifyInConstellation: with a TMPDIR in a constellation verify refuses,
// since its loaders would load there.
func TestVerifyInConstellation(t *testing.T) {
	tr := trial.New(t)
	tr.Wire()
	tr.Env = append(tr.Env, "TMPDIR="+filepath.Join(tr.Root, "context"))
	if res := tr.Run(tr.Bin("operate"), "verify"); res.Code != 1 || !strings.Contains(res.Stderr, "TMPDIR") {
		t.Errorf("exit %d: %s", res.Code, res.Stderr)
	}
}

// TestVerifyUnreadable: settings that cannot be read are not passed over.
func TestVerifyUnreadable(t *testing.T) {
	tr := trial.New(t)
	tr.Wire()
	tr.Must(os.Chmod(tr.Settings(), 0))
	if res := tr.Run(tr.Bin("operate"), "verify"); res.Code != 1 || !strings.Contains(res.Stderr, "permission denied") {
		t.Errorf("exit %d: %s%s", res.Code, res.Stdout, res.Stderr)
	}
}

// TestVerifyTouchesNoToken: verify leaves the tokens of live sessions alone and
// none of its own.
func TestVerifyTouchesNoToken(t *testing.T) {
	tr := trial.New(t)
	tr.Wire()
	session := rig.Session{ID: "live", Cwd: tr.Root}
	play(tr, "hades-gate", session.Prompt("/start"))
	before := tree(t, moiraicore.TokenParent)
	tr.Operate("verify", "-root", tr.Root)
	if after := tree(t, moiraicore.TokenParent); after != before {
		t.Errorf("verify made\n%s\nof\n%s", after, before)
	}
}

// play runs a built hook on a payload and wants exit 0.
func play(tr *trial.Trial, program string, payload []byte, args ...string) {
	tr.Helper()
	if res := tr.Play(rig.Command{Path: tr.Bin(program), Args: args, Stdin: payload}); res.Code != 0 {
		tr.Fatalf("%s: exit %d: %s", program, res.Code, res.Stderr)
	}
}

// loadPages plays the wired loaders.
func loadPages(tr *trial.Trial, s rig.Session, source string, pages ...int) {
	tr.Helper()
	for _, k := range pages {
		play(tr, "hades-session-load", s.SessionStart(source), fmt.Sprintf("%d/4", k))
	}
}

// agree checks that status and the block message of the real gate tick the same
// markers, and send to /start in the same states.
func agree(tr *trial.Trial, s rig.Session, status string) {
	tr.Helper()
	gate := tr.Play(rig.Command{Path: tr.Bin("hades-gate"), Stdin: s.Bash()})
	if open := gate.Code == 0; open != strings.Contains(status, "open: tools run") {
		tr.Errorf("the gate exits %d and status says\n%s", gate.Code, status)
	}
	if gate.Code == 0 || strings.Contains(gate.Stderr, "fail-closed") {
		return
	}
	for _, marker := range []string{moiraicore.Required[0].Marker, moiraicore.Required[1].Marker, moiraicore.Required[2].Marker, moiraicore.Start} {
		if strings.Contains(gate.Stderr, "[x] "+marker) == strings.Contains(status, "[x] "+marker) {
			continue
		}
		tr.Errorf("%s: the gate says\n%s\nand status\n%s", marker, gate.Stderr, status)
	}
	if a, b := strings.Contains(gate.Stderr, "[ ] START_ACK"), strings.Contains(status, "/start"); a != b {
		tr.Errorf("/start: the gate says %v, status %v", a, b)
	}
}

// TestStatus: each state of a session is told from the others, with its next
// step, and nothing is written.
func TestStatus(t *testing.T) {
	gate := func(tr *trial.Trial, payload []byte) { tr.Helper(); play(tr, "hades-gate", payload) }
	for name, c := range map[string]struct {
		session func(*trial.Trial, rig.Session)
		want    []string
	}{
		"open": {func(tr *trial.Trial, s rig.Session) {
			loadPages(tr, s, "startup", 1)
			gate(tr, s.Prompt("/start"))
		}, []string{"open: tools run in ROOT", "[x] START_ACK"}},
		"not started": {func(tr *trial.Trial, s rig.Session) { loadPages(tr, s, "startup", 1) },
			[]string{"blocked: type /start", "[ ] START_ACK", "[x] CONTEXT_ACK"}},
		"not loaded": {func(tr *trial.Trial, s rig.Session) { gate(tr, s.Prompt("/start")) },
			[]string{"blocked: nothing was loaded", "[x] START_ACK"}},
		"voided": {func(tr *trial.Trial, s rig.Session) {
			loadPages(tr, s, "startup", 1)
			gate(tr, s.PreCompact("auto"))
		}, []string{"a compaction took the rules", "voided   1 times", "then /start"}},
		"a page missing": {func(tr *trial.Trial, s rig.Session) {
			_, err := rig.Constellation(tr.Root, rig.SizedContents(25_000))
			tr.Must(err)
			loadPages(tr, s, "startup", 1, 3)
		}, []string{"pages    1, 3 of 3", "did not come: 2."}},
		"some read": {func(tr *trial.Trial, s rig.Session) {
			path := filepath.Join(tr.Root, rig.Required[2])
			gate(tr, s.PostRead(path, rig.SmallContents()[2]))
		}, []string{"only some of the rule files", "[x] CONTEXT_ACK", "[ ] SCOPE_ACK"}},
		"corrupt": {func(tr *trial.Trial, s rig.Session) {
			gate(tr, s.Prompt("/start"))
			tr.Must(os.WriteFile(moiraicore.TokenPath(s.ID), []byte("x\n"), 0o600))
		}, []string{"fail-closed: ", "line 1", "Way out: "}},
	} {
		t.Run(name, func(t *testing.T) {
			tr := trial.New(t)
			c.session(tr, rig.Session{ID: "one", Cwd: tr.Root})
			before := tree(t, moiraicore.TokenParent)
			if res := tr.Operate("status"); !strings.Contains(res.Stdout, "1 sessions: ") || !strings.Contains(res.Stdout, " just now ") {
				t.Error(res.Stdout)
			}
			res := tr.Operate("status", "-session", "on")
			for _, want := range append(c.want, "session one") {
				if !strings.Contains(res.Stdout, strings.ReplaceAll(want, "ROOT", tr.Root)) {
					t.Errorf("no %q in\n%s", want, res.Stdout)
				}
			}
			if one := tr.Operate("status", "-session", "one"); res.Stdout != one.Stdout {
				t.Errorf("-session one says\n%s", one.Stdout)
			}
			agree(tr, rig.Session{ID: "one", Cwd: tr.Root}, res.Stdout)
			if after := tree(t, moiraicore.TokenParent); after != before {
				t.Errorf("status made\n%s\nof\n%s", after, before)
			}
		})
	}
	t.Run("blocked last, and a refused token is a line", func(t *testing.T) {
		tr := trial.New(t)
		for _, id := range []string{"a-open", "b-blocked", "c-refused"} {
			s := rig.Session{ID: id, Cwd: tr.Root}
			loadPages(tr, s, "startup", 1)
			if id != "b-blocked" {
				gate(tr, s.Prompt("/start"))
			}
		}
		tr.Must(os.Chmod(moiraicore.TokenPath("c-refused"), 0o666))
		res := tr.Run(tr.Bin("operate"), "status")
		lines := strings.Split(res.Stdout, "\n")
		if res.Code != 0 || len(lines) < 4 || !strings.HasPrefix(lines[0], "open    a-open") || !strings.HasPrefix(lines[3], "3 sessions: 1 open, 2 blocked") ||
			!strings.Contains(res.Stdout, "missing START_ACK: /start") || !strings.Contains(res.Stdout, "its token file is refused") {
			t.Errorf("exit %d: %s", res.Code, res.Stdout)
		}
		path := moiraicore.TokenPath("b-blocked") // as an alert prints it
		if res := tr.Operate("status", "-session", path); !strings.HasPrefix(res.Stdout, "session b-blocked\n") {
			t.Error(res.Stdout)
		}
	})
	t.Run("root over a user's tokens", func(t *testing.T) {
		tr := trial.New(t)
		tr.NeedManaged() // that is, root
		gate(tr, rig.Session{ID: "one", Cwd: tr.Root}.Prompt("/start"))
		res := tr.RunAsRoot(tr.Bin("operate"), "status")
		if res.Code != 1 || strings.Contains(res.Stdout, "rm -r") || !strings.Contains(res.Stdout, "Run this as that user") {
			t.Errorf("exit %d: %s%s", res.Code, res.Stdout, res.Stderr)
		}
	})
	t.Run("no token", func(t *testing.T) {
		tr := trial.New(t)
		if res := tr.Operate("status"); !strings.Contains(res.Stdout, "No sessions") {
			t.Error(res.Stdout)
		}
		if _, err := os.Lstat(moiraicore.TokenParent); err == nil {
			t.Error("status made the token directory")
		}
		play(tr, "hades-gate", rig.Session{ID: "other", Cwd: tr.Root}.Prompt("/start"))
		if res := tr.Run(tr.Bin("operate"), "status", "-session", "one"); res.Code != 1 || !strings.Contains(res.Stdout, "No token of a session one") {
			t.Error(res.Stdout)
		}
	})
	t.Run("a /tmp that cannot be written", func(t *testing.T) {
		tr := trial.New(t)
		tr.NeedManaged() // that is, root
		tr.Must(os.Chmod("/tmp", 0o755))
		defer os.Chmod("/tmp", 0o777|os.ModeSticky)
		if res := tr.Run(tr.Bin("operate"), "status"); res.Code != 1 || !strings.Contains(res.Stdout, "Every session is blocked: there is no /tmp/moirai, and /tmp cannot be written") {
			t.Errorf("exit %d: %s%s", res.Code, res.Stdout, res.Stderr)
		}
	})
	t.Run("a blocked session without a token", func(t *testing.T) {
		tr := trial.New(t)
		if res := tr.Play(rig.Command{Path: tr.Bin("hades-gate"), Stdin: rig.Session{ID: "one", Cwd: tr.Root}.Bash()}); res.Code != 2 {
			t.Errorf("the gate exits %d", res.Code)
		}
		if res := tr.Operate("status"); !strings.Contains(res.Stdout, "0 sessions: 0 open, 0 blocked. SESSION=ID (or the first characters) shows one.\n\nA blocked session that is not listed") {
			t.Error(res.Stdout)
		}
	})
	t.Run("a foreign token directory", func(t *testing.T) {
		tr := trial.New(t)
		tr.NeedManaged() // that is, root
		tr.Must(os.MkdirAll(moiraicore.TokenDir, 0o700))
		tr.Must(os.Chmod(moiraicore.TokenParent, 0o755))
		res := tr.Run(tr.Bin("operate"), "status")
		if res.Code != 1 || !strings.Contains(res.Stdout, "belongs to uid 0") || !strings.Contains(res.Stdout, "Way out: ") {
			t.Errorf("exit %d: %s%s", res.Code, res.Stdout, res.Stderr)
		}
	})
}

// TestFit: the number of pages is the one that the loader asks for, and no
// token is touched.
func TestFit(t *testing.T) {
	for total, pages := range map[int]int{100: 1, 25_000: 3, 36_000: 4, 60_000: 7, 80_000: 9} {
		tr := trial.New(t)
		_, err := rig.Constellation(tr.Root, rig.SizedContents(total))
		tr.Must(err)
		res := tr.Run(tr.Bin("operate"), "fit", "-root", tr.Root)
		if _, err := os.Lstat(moiraicore.TokenParent); err == nil {
			t.Error("fit made the token directory")
		}
		if want := fmt.Sprintf("pages needed: %d;", pages); !strings.Contains(res.Stdout, want) || (res.Code == 0) != (pages <= 8) {
			t.Errorf("%d: exit %d, no %q in\n%s%s", total, res.Code, want, res.Stdout, res.Stderr)
		}
		session := rig.Session{ID: "one", Cwd: tr.Root}
		load := tr.Play(rig.Command{Path: tr.Bin("hades-session-load"), Args: []string{fmt.Sprintf("1/%d", max(1, pages-1))}, Stdin: session.SessionStart("startup")})
		if said := strings.Contains(load.Stderr, fmt.Sprintf("need %d pages", pages)); said != (pages > 1) {
			t.Errorf("%d: the loader says %q", total, load.Stderr)
		}
	}
	tr := trial.New(t)
	if res := tr.Run(tr.Bin("operate"), "fit", "-root", tr.Home); res.Code != 1 || !strings.Contains(res.Stderr, "not gated") {
		t.Errorf("exit %d: %s", res.Code, res.Stderr)
	}
}

// TestWiringSays: the block alone is on stdout; what it replaces, and that
// settings are live, is said beside it, for this config folder.
func TestWiringSays(t *testing.T) {
	tr := trial.New(t)
	if res := tr.Operate("wiring"); !strings.Contains(res.Stderr, "It replaces nothing") {
		t.Error(res.Stderr)
	}
	tr.Write(tr.Settings(), `{"hooks": {"PreToolUse": [{"hooks": [
		{"type": "command", "command": "~/.claude/hooks/hades-session-start-gate.sh"},
		{"type": "command", "command": "~/.claude/hooks/hades-vault-guard.sh"}]}],
		"SessionStart": [{"hooks": [{"type": "command", "command": "~/.claude/hooks/moirai/hades-session-load.sh"}]}]}}`)
	res := tr.Operate("wiring")
	for _, want := range []string{tr.Settings(), "PreToolUse: take it out (RETIREMENT.md): ~/.claude/hooks/hades-session-start-gate.sh",
		"SessionStart: ~/.claude/hooks/moirai/hades-session-load.sh", "Settings are live", "hades-deployment-gate.sh"} {
		if !strings.Contains(res.Stderr, want) {
			t.Errorf("no %q in\n%s", want, res.Stderr)
		}
	}
	if !strings.HasPrefix(res.Stdout, "{") || strings.Contains(res.Stdout, "vault") {
		t.Error(res.Stdout)
	}
	tr.Write(tr.Settings(), res.Stdout)
	if res := tr.Operate("wiring"); !strings.Contains(res.Stderr, "It replaces nothing") {
		t.Error(res.Stderr)
	}
}
