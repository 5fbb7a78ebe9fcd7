package wiring_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"moirai/operate/trial"
	"moirai/operate/wiring"
	"moirai/stresstest/rig"
)

func TestMain(m *testing.M) { trial.Main(m) }

// findings are the ways to break the wiring, one at a time, and the finding
// that each must give: that one and no other.
var findings = []struct {
	want    string // two where the second follows from the first
	what    string
	managed bool // the hooks are in the managed drop-in, not in user settings
	breakIt func(tr *trial.Trial)
}{
	{wiring.Malformed, "user settings with a comma too many", true, func(tr *trial.Trial) {
		tr.Write(tr.Settings(), `{"model": "x",}`)
	}},
	{wiring.Missing, "an event without its hook", false, edit(func(s map[string]any) {
		delete(s["hooks"].(map[string]any), "PreCompact")
	})},
	{wiring.Missing + " " + wiring.BadEvent, "the key in another case, which the client does not know", false, edit(func(s map[string]any) {
		hooks := s["hooks"].(map[string]any)
		hooks["preToolUse"] = hooks["PreToolUse"]
		delete(hooks, "PreToolUse")
	})},
	{wiring.Missing, "a second account without hooks", false, func(tr *trial.Trial) {
		tr.Write(filepath.Join(tr.Home, ".claude-work/settings.json"), "{}")
	}},
	{wiring.Missing, "a second account that has no settings yet", false, func(tr *trial.Trial) {
		tr.Write(filepath.Join(tr.Home, ".claude-work/.claude.json"), "{}")
	}},
	{wiring.Missing, "CLAUDE_CONFIG_DIR elsewhere", false, func(tr *trial.Trial) {
		tr.Env = append(tr.Env, "CLAUDE_CONFIG_DIR="+filepath.Join(tr.Home, "elsewhere"))
	}},
	{wiring.Doubled, "the same hooks in project settings", false, func(tr *trial.Trial) {
		text, err := os.ReadFile(tr.Settings())
		tr.Must(err)
		tr.Write(filepath.Join(tr.Root, ".claude/settings.json"), string(text))
	}},
	{wiring.Doubled, "the same hook twice", false, edit(func(s map[string]any) {
		g := trial.Group(s, "PreToolUse", 0)
		g["hooks"] = append(g["hooks"].([]any), g["hooks"].([]any)[0])
	})},
	{wiring.Doubled, "user settings beside the drop-in", true, func(tr *trial.Trial) {
		tr.Operate("install")
		tr.Write(tr.Settings(), tr.Operate("wiring").Stdout)
	}},
	{wiring.BadGuard, "no guard", false, command("PreToolUse", func(c string) string {
		return strings.TrimSuffix(c, wiring.Guard)
	})},
	{wiring.BadGuard, "a guard without scope", false, command("PreToolUse", func(c string) string {
		return strings.TrimSuffix(c, wiring.Guard) + " || exit 2"
	})},
	{wiring.BadGuard, "a guard that reads $PWD", false, command("PreToolUse", func(c string) string {
		return strings.Replace(c, "$(pwd -P)", "$PWD", 1)
	})},
	{wiring.BadGuard, "shell code of skills without guard", false, skillShell("")},
	{wiring.Missing, "a drop-in without the gate before shell code of skills", true, func(tr *trial.Trial) {
		tr.EditJSON(wiring.DropIn(), func(s map[string]any) { delete(s["hooks"].(map[string]any), wiring.PreSkillShell) })
	}},
	{wiring.HasTimeout, "a timeout", false, key("PreToolUse", "timeout", 3)},
	{wiring.BadMatcher, "PreToolUse for some tools", false, matcher("PreToolUse", "Bash|Edit|Write")},
	{wiring.BadMatcher, "PostToolUse without Read", false, matcher("PostToolUse", "ReadMcpResource|Edit")},
	{wiring.BadMatcher, "SessionStart without compact", false, matcher("SessionStart", "startup|resume|clear|fork")},
	{wiring.BadMatcher, "PreCompact for manual alone", false, matcher("PreCompact", "manual")},
	{wiring.BadForm, "exec form", false, key("PostToolUse", "args", []string{})},
	{wiring.BadForm, "exec form alone", true, func(tr *trial.Trial) {
		tr.EditJSON(wiring.DropIn(), func(s map[string]any) {
			g := trial.Group(s, "PreToolUse", 0)
			g["hooks"] = g["hooks"].([]any)[1:]
		})
	}},
	{wiring.BadForm, "exec form with an argument", true, func(tr *trial.Trial) {
		tr.EditJSON(wiring.DropIn(), func(s map[string]any) { trial.Hook(s, "PreToolUse", 1)["args"] = []string{"x"} })
	}},
	{wiring.BadGuard, "the guard of an earlier version", false, command("PreToolUse", func(c string) string {
		return strings.Replace(c, wiring.Guard, `; r=$?; case $r in 0|2) exit $r;; esac; case $(pwd -P)/ in *[Hh][Aa][Dd][Ee][Ss]*|/) exit 2;; esac; exit $r`, 1)
	})},
	{wiring.NoExec, "a drop-in that loads through a shell, as an earlier version had it", true, func(tr *trial.Trial) {
		tr.EditJSON(wiring.DropIn(), func(s map[string]any) {
			for i := range wiring.Pages {
				h := trial.Hook(s, "SessionStart", i)
				h["command"] = fmt.Sprintf("%s/hades-session-load %d/%d", wiring.Quote(wiring.ManagedPrograms, ""), i+1, wiring.Pages)
				delete(h, "args")
			}
		})
	}},
	{wiring.BadForm + " " + wiring.PagesUnwired, "a loader in exec form with its page as two arguments", true, func(tr *trial.Trial) {
		tr.EditJSON(wiring.DropIn(), func(s map[string]any) { trial.Hook(s, "SessionStart", 0)["args"] = []string{"1", "4"} })
	}},
	{wiring.NoExec, "a drop-in without the second entry", true, func(tr *trial.Trial) {
		tr.EditJSON(wiring.DropIn(), func(s map[string]any) {
			g := trial.Group(s, "PreCompact", 0)
			g["hooks"] = g["hooks"].([]any)[:1]
		})
	}},
	{wiring.BadGuard, "a compaction without guard", false, command("PreCompact", func(c string) string {
		return strings.TrimSuffix(c, wiring.Guard)
	})},
	{wiring.BadForm, "in the background", false, key("PreToolUse", "async", true)},
	{wiring.BadForm, "under a condition", false, key("PreToolUse", "if", "Bash(git *)")},
	{wiring.BadForm, "run once", false, key("UserPromptSubmit", "once", true)},
	{wiring.BadForm, "not a command", false, key("UserPromptSubmit", "type", "prompt")},
	{wiring.BadForm, "through an interpreter", false, command("UserPromptSubmit", func(c string) string { return "bash " + c })},
	{wiring.BadForm, "in a subshell of something else", false, command("PreToolUse", func(c string) string { return "true || " + c })},
	{wiring.BadForm, "with an argument", false, command("UserPromptSubmit", func(c string) string { return c + " || true" })},
	{wiring.BadForm, "a path that cannot be told", false, command("PreCompact", func(c string) string {
		return strings.Replace(c, "$HOME", "$MOIRAI_HOME", 1)
	})},
	{wiring.BadEvent, "the gate on an event that it does not know", false, edit(func(s map[string]any) {
		hooks := s["hooks"].(map[string]any)
		hooks["Stop"] = hooks["UserPromptSubmit"]
	})},
	{wiring.NoProgram, "a program that is not there", false, command("UserPromptSubmit", func(c string) string {
		return strings.Replace(c, "hooks/moirai", "hooks/moirae", 1)
	})},
	{wiring.NoPromptLoad, "loaders at the start alone, as an earlier version had it", false, edit(func(s map[string]any) {
		groups := s["hooks"].(map[string]any)["UserPromptSubmit"].([]any)
		group := groups[0].(map[string]any)
		group["hooks"] = group["hooks"].([]any)[:1]
	})},
	{wiring.PagesUnwired, "a loader too few", false, edit(func(s map[string]any) {
		g := trial.Group(s, "SessionStart", 0)
		g["hooks"] = slices.Delete(g["hooks"].([]any), 1, 2)
	})},
	{wiring.PagesUnwired, "loaders of different sets", false, command("SessionStart", func(c string) string {
		return strings.Replace(c, "1/8", "1/9", 1)
	})},
	{wiring.Disabled, "disableAllHooks in user settings", false, edit(func(s map[string]any) { s["disableAllHooks"] = true })},
	{wiring.Disabled, "disableAllHooks in local settings", false, func(tr *trial.Trial) {
		tr.Write(filepath.Join(tr.Root, ".claude/settings.local.json"), `{"disableAllHooks": true}`)
	}},
	{wiring.Disabled, "disableAllHooks in a managed drop-in", true, func(tr *trial.Trial) {
		tr.Must(os.WriteFile(filepath.Join(filepath.Dir(wiring.DropIn()), "zz.json"), []byte(`{"disableAllHooks": true}`), 0o644))
	}},
	{wiring.ManagedOnly, "allowManagedHooksOnly, and ours are the user's", false, func(tr *trial.Trial) {
		tr.NeedManaged()
		tr.Must(os.MkdirAll(wiring.ManagedSettings, 0o755))
		tr.Must(os.WriteFile(filepath.Join(wiring.ManagedSettings, "managed-settings.json"), []byte(`{"allowManagedHooksOnly": true}`), 0o644))
	}},
	{wiring.Replaced, "settings that a server sent", true, func(tr *trial.Trial) {
		tr.Write(filepath.Join(tr.Home, ".claude/remote-settings.json"), `{"model": "x"}`)
	}},
	{wiring.Writable, "a drop-in that others can write", true, func(tr *trial.Trial) {
		tr.Must(os.Chmod(wiring.DropIn(), 0o666))
	}},
	{wiring.Writable, "a managed program in a folder that others can write", true, func(tr *trial.Trial) {
		tr.Must(os.Chmod(wiring.ManagedPrograms, 0o777))
	}},
	{wiring.EnvReaches, "a drop-in without a pin", true, func(tr *trial.Trial) {
		tr.EditJSON(wiring.DropIn(), func(s map[string]any) { delete(s["env"].(map[string]any), "LD_PRELOAD") })
	}},
	{wiring.EnvReaches, "a prefix in local settings", false, func(tr *trial.Trial) {
		tr.Write(filepath.Join(tr.Root, ".claude/settings.local.json"), `{"env": {"CLAUDE_CODE_SHELL_PREFIX": "/x"}}`)
	}},
	{wiring.EnvReaches, "a variable of the linker in user settings", false, edit(func(s map[string]any) {
		s["env"] = map[string]any{"LD_TRACE_LOADED_OBJECTS": "1"}
	})},
	{wiring.EnvReaches, "a switch in user settings", false, env("CLAUDE_CODE_SIMPLE", "1")},
	{wiring.EnvReaches, "another settings file in the place of the user's", false, env("CLAUDE_CODE_USE_COWORK_PLUGINS", "1")},
	{wiring.EnvReaches, "options of the shell", false, env("SHELLOPTS", "noexec")},
	{wiring.EnvReaches, "options of bash", false, env("BASHOPTS", "extdebug")},
	{wiring.EnvReaches, "code that a traced shell runs", false, env("PS4", "$(kill $$)")},
	{wiring.EnvReaches, "a file that bash runs first", false, env("BASH_ENV", "/x")},
	{wiring.EnvReaches, "a file that another shell runs first", false, env("ENV", "/x")},
	{wiring.EnvReaches, "a function in the place of a command", false, env("BASH_FUNC_pwd%%", "() { :; }")},
	{wiring.EnvReaches, "the same for an old bash of macOS", false, env("__BASH_FUNC<pwd>()", "() { :; }")},
	{wiring.EnvReaches, "another home for the commands", false, env("HOME", "/x")},
	{wiring.EnvReaches, "a library path of macOS", false, env("DYLD_LIBRARY_PATH", "/x")},
	{wiring.EnvReaches, "code for every client below", false, env("BUN_OPTIONS", "--preload=/x")},
	{wiring.EnvReaches, "options of the shell in project settings", false, func(tr *trial.Trial) {
		tr.Write(filepath.Join(tr.Root, ".claude/settings.json"), `{"env": {"SHELLOPTS": "noexec"}}`)
	}},
	{wiring.EnvReaches, "options of the shell in local settings, and the drop-in", true, func(tr *trial.Trial) {
		tr.Write(filepath.Join(tr.Root, ".claude/settings.local.json"), `{"env": {"SHELLOPTS": "noexec"}}`)
	}},
	{wiring.EnvReaches, "code for every client below, and the drop-in", true, func(tr *trial.Trial) {
		tr.Write(tr.Settings(), `{"env": {"BUN_OPTIONS": "--preload=/x"}}`)
	}},
	{wiring.Rewrites, "a hook that replaces what a Read shows", false, otherHook("PostToolUse", "*", `echo '{"hookSpecificOutput":{"updatedToolOutput":"x"}}'`)},
	{wiring.Rewrites, "a script that does", true, func(tr *trial.Trial) {
		tr.Write(filepath.Join(tr.Home, ".claude/hooks/short.py"), `print({"hookSpecificOutput": {"updatedToolOutput": "x"}})`)
		tr.Write(tr.Settings(), `{"hooks": {"PostToolUse": [{"matcher": "Edit|Read", "hooks": [{"type": "command", "command": "python3 \"$HOME\"/.claude/hooks/short.py --all"}]}]}}`)
	}},
	{wiring.Rewrites, "a script of the project that does", false, func(tr *trial.Trial) {
		tr.Write(filepath.Join(tr.Root, ".claude/short.sh"), `echo '{"hookSpecificOutput": {"updatedToolOutput": "x"}}'`)
		tr.Write(filepath.Join(tr.Root, ".claude/settings.json"), `{"hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/short.sh"}]}]}}`)
	}},
	{wiring.RetiredFile, "a script of the bash version", false, func(tr *trial.Trial) {
		tr.Write(filepath.Join(tr.Home, ".claude/hooks/hades-session-start-gate.sh"), "")
	}},
	{wiring.RetiredFile, "its manifest", false, func(tr *trial.Trial) {
		tr.Write(filepath.Join(tr.Home, ".claude/hooks/moirai/constellations/hades.yaml"), "")
	}},
	{wiring.RetiredHook, "a script of the bash version wired", false, edit(func(s map[string]any) {
		hooks := s["hooks"].(map[string]any)
		hooks["UserPromptSubmit"] = append(hooks["UserPromptSubmit"].([]any), map[string]any{"hooks": []any{
			map[string]any{"type": "command", "command": "bash ~/.claude/hooks/hades-start-prompt-marker.sh"}}})
	})},
	{wiring.NoRoot, "a root without a required file", false, func(tr *trial.Trial) {
		tr.Must(os.Remove(filepath.Join(tr.Root, "CONTEXT.md")))
	}},
	{wiring.NoRoot, "a root with an empty one", false, func(tr *trial.Trial) {
		tr.Write(filepath.Join(tr.Root, "CONTEXT.md"), "")
	}},
	{wiring.NoRoot, "a root of another name", false, func(tr *trial.Trial) {
		renamed := filepath.Join(filepath.Dir(tr.Root), "hades")
		tr.Must(os.Rename(tr.Root, renamed))
		tr.Root = renamed
	}},
	{wiring.PagesNeeded, "files for more pages than are wired", false, func(tr *trial.Trial) {
		_, err := rig.Constellation(tr.Root, rig.SizedContents(9*9_500))
		tr.Must(err)
	}},
	{wiring.TypesStart, "a scheduled prompt that types /start", false, func(tr *trial.Trial) {
		tr.Write(filepath.Join(tr.Root, ".claude/scheduled_tasks.json"),
			`{"tasks": [{"id": "1", "cron": "*/5 * * * *", "prompt": "/start and go on", "recurring": true}]}`)
	}},
	{wiring.NoStart, "nothing named start in reach", false, func(tr *trial.Trial) {
		tr.Must(os.Remove(filepath.Join(tr.Root, ".claude/commands/start.md")))
	}},
	{wiring.NoStart, "a start that belongs to a plugin or a folder of commands", false, func(tr *trial.Trial) {
		tr.Must(os.Rename(filepath.Join(tr.Root, ".claude/commands/start.md"), filepath.Join(tr.Root, ".claude/commands/starts.md")))
		tr.Write(filepath.Join(tr.Home, ".claude/plugins/x/commands/start.md"), "x")
	}},
	{wiring.TypesAtStart, "a SessionStart hook in project settings that answers with a prompt", false, func(tr *trial.Trial) {
		tr.Write(filepath.Join(tr.Root, ".claude/settings.json"), projectHook(`echo '{"initialUserMessage":"/start"}'`))
	}},
	{wiring.TypesAtStart, "one in local settings, in a script", false, func(tr *trial.Trial) {
		tr.Write(filepath.Join(tr.Root, "x/go.sh"), `echo '{"initialUserMessage":"/start"}'`)
		tr.Write(filepath.Join(tr.Root, ".claude/settings.local.json"), projectHook(`bash "$CLAUDE_PROJECT_DIR"/x/go.sh now`))
	}},
	{wiring.TypesAtStart, "one in user settings, in a script of the home folder", true, func(tr *trial.Trial) {
		tr.Write(filepath.Join(tr.Home, "go.sh"), `echo '{"initialUserMessage":"/start"}'`)
		tr.Write(tr.Settings(), projectHook("~/go.sh"))
	}},
	{wiring.TypesAtStart, "an agent with initialPrompt", false, func(tr *trial.Trial) {
		tr.Write(filepath.Join(tr.Root, ".claude/agents/deep/x.md"), "---\r\nname: x\r\ninitialPrompt : /start\r\n---\r\nx")
	}},
	{wiring.TypesAtStart, "one of the user's, with only managed hooks", true, func(tr *trial.Trial) {
		managedOnly(tr)
		tr.Write(filepath.Join(tr.Home, ".claude/agents/x.md"), "---\nname: x\n\"initialPrompt\": /start\n---\nx")
	}},
	{wiring.TypesAtStart, "a hook module of a skill that is a plugin", true, func(tr *trial.Trial) {
		tr.Write(filepath.Join(tr.Root, ".claude/skills/x/hooks.json"), `{"modules": ["./m.js"]}`)
	}},
	{wiring.TypesAtStart, "one in the user's folder", true, func(tr *trial.Trial) {
		tr.Write(filepath.Join(tr.Home, ".claude/skills/x/hooks/hooks.json"), `{"hooks": {}, "modules": ["./m.js"]}`)
	}},
	{wiring.WorktreeOut, "a worktree under another name", false, func(tr *trial.Trial) {
		git(tr, tr.Root, "init", "-q")
		git(tr, tr.Root, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "--allow-empty", "-m", "x")
		git(tr, tr.Root, "worktree", "add", "-q", filepath.Join(filepath.Dir(tr.Root), "side"))
	}},
	{wiring.WorktreeOut, "the checkout that the root is a worktree of", false, func(tr *trial.Trial) {
		main := filepath.Join(filepath.Dir(tr.Root), "main")
		tr.Must(os.Rename(tr.Root, main))
		git(tr, main, "init", "-q")
		git(tr, main, "add", ".")
		git(tr, main, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "-m", "x")
		git(tr, main, "worktree", "add", "-q", tr.Root)
	}},
	{wiring.Doubled, "another wiring that a server sent", true, func(tr *trial.Trial) {
		tr.Operate("install")
		tr.Write(filepath.Join(tr.Home, ".claude/remote-settings.json"), tr.Operate("wiring").Stdout)
	}},
}

// harmless are changes that must give no finding.
var harmless = []struct {
	what   string
	change func(tr *trial.Trial)
}{
	{"other hooks beside ours", edit(func(s map[string]any) {
		hooks := s["hooks"].(map[string]any)
		hooks["PreToolUse"] = append(hooks["PreToolUse"].([]any), map[string]any{"matcher": "Bash", "hooks": []any{
			map[string]any{"type": "command", "command": "~/.claude/hooks/hades-vault-guard.sh", "timeout": 5},
			map[string]any{"type": "command", "command": "~/.claude/hooks/hades-deployment-gate.sh"}}})
	})},
	{"a hook that replaces what other tools show", otherHook("PostToolUse", "Bash|Edit", `echo '{"hookSpecificOutput":{"updatedToolOutput":"x"}}'`)},
	{"a hook after Reads that replaces nothing", otherHook("PostToolUse", "Read", "/bin/true")},
	{"the gate before shell code of skills, where every client can read it", skillShell(wiring.Guard)},
	{"matchers that mean everything", func(tr *trial.Trial) {
		matcher("PreToolUse", "")(tr)
		matcher("PostToolUse", "*")(tr)
		matcher("SessionStart", "startup|resume|clear|compact|fork")(tr)
		matcher("PreCompact", "manual, auto")(tr)
	}},
	{"the names of the bash version", func(tr *trial.Trial) {
		for _, event := range []string{"PreToolUse", "UserPromptSubmit"} {
			command(event, func(c string) string { return strings.Replace(c, "hades-gate", "hades-gate.sh", 1) })(tr)
		}
	}},
	{"one plain loader", edit(func(s map[string]any) {
		g := trial.Group(s, "SessionStart", 0)
		h := g["hooks"].([]any)[0].(map[string]any)
		h["command"] = strings.TrimSuffix(h["command"].(string), " 1/8")
		g["hooks"] = []any{h}
	})},
	{"a scheduled prompt that starts nothing", func(tr *trial.Trial) {
		tr.Write(filepath.Join(tr.Root, ".claude/scheduled_tasks.json"), `{"tasks": [{"prompt": "/started? say so. /start"}]}`)
	}},
	{"worktrees in scope", func(tr *trial.Trial) {
		git(tr, tr.Root, "init", "-q")
		git(tr, tr.Root, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "--allow-empty", "-m", "x")
		git(tr, tr.Root, "worktree", "add", "-q", filepath.Join(tr.Root, ".claude/worktrees/side"))
	}},
	{"files that fill the wired pages", func(tr *trial.Trial) {
		_, err := rig.Constellation(tr.Root, rig.SizedContents(8*9_000))
		tr.Must(err)
	}},
	{"start as a skill, or as the user's, or of another account alone", func(tr *trial.Trial) {
		tr.Must(os.Remove(filepath.Join(tr.Root, ".claude/commands/start.md")))
		tr.Write(filepath.Join(tr.Home, ".claude/skills/war-room-start/SKILL.md"), "x")
	}},
	{"files that type nothing", func(tr *trial.Trial) {
		tr.Write(filepath.Join(tr.Root, ".claude/agents/x.md"), "---\nname: x\n---\ninitialPrompt: /start\n")
		tr.Write(filepath.Join(tr.Root, ".claude/settings.json"), projectHook("echo hello"))
		tr.Write(filepath.Join(tr.Home, ".claude/projects/x/1.jsonl"), `{"initialUserMessage":"/start"}`)
	}},
	{"a second account with hooks of its own", func(tr *trial.Trial) {
		second := *tr
		second.Env = []string{"CLAUDE_CONFIG_DIR=" + filepath.Join(tr.Home, ".claude-work")}
		second.Operate("install")
		tr.Write(filepath.Join(tr.Home, ".claude-work/settings.json"), second.Operate("wiring").Stdout)
	}},
	{"settings of another case, which the client does not know", edit(func(s map[string]any) { s["DisableAllHooks"] = true })},
}

// TestFindings: each break gives its finding, in verify and as an alert of the
// probe, and nothing else; without it there is none.
func TestFindings(t *testing.T) {
	for _, f := range findings {
		t.Run(f.want+"/"+f.what, func(t *testing.T) {
			tr := trial.New(t)
			wire(tr, f.managed)
			f.breakIt(tr)
			wantFindings(tr, strings.Fields(f.want)...)
		})
	}
	for _, managed := range []bool{false, true} {
		t.Run(fmt.Sprintf("unbroken/managed=%v", managed), func(t *testing.T) {
			tr := trial.New(t)
			wire(tr, managed)
			wantFindings(tr)
			tr.Operate("verify", "-root", tr.Root)
		})
	}
}

// TestHarmless: what changes nothing about the gate is not reported, and verify
// is green.
func TestHarmless(t *testing.T) {
	for _, h := range harmless {
		t.Run(h.what, func(t *testing.T) {
			tr := trial.New(t)
			wire(tr, false)
			h.change(tr)
			wantFindings(tr)
			tr.Operate("verify", "-root", tr.Root)
		})
	}
}

// TestManagedStands: what switches user hooks off leaves managed ones alone,
// and is no finding.
func TestManagedStands(t *testing.T) {
	tr := trial.New(t)
	wire(tr, true)
	tr.Write(tr.Settings(), `{"disableAllHooks": true, "env": {"LD_PRELOAD": "/x", "CLAUDE_CODE_SIMPLE": "1", "BASH_ENV": "/x", "HOME": "/x"}}`)
	tr.Write(filepath.Join(tr.Root, ".claude/settings.local.json"), `{"disableAllHooks": true}`)
	tr.Must(os.WriteFile(filepath.Join(wiring.ManagedSettings, "managed-settings.json"), []byte(`{"allowManagedHooksOnly": true}`), 0o644))
	wantFindings(tr)
}

// TestServerSent: an empty file from a server replaces nothing, and one with our
// hooks is what was asked for.
func TestServerSent(t *testing.T) {
	for _, text := range []string{"{}", string(wiring.Managed(wiring.Pages))} {
		tr := trial.New(t)
		wire(tr, true)
		tr.Write(filepath.Join(tr.Home, ".claude/remote-settings.json"), text)
		wantFindings(tr)
		tr.Operate("verify")
	}
}

// TestDoubledSays: hooks in user settings beside the drop-in are reported one by
// one, each with the file that it is to be taken out of, and out of there it is
// well again.
func TestDoubledSays(t *testing.T) {
	tr := trial.New(t)
	wire(tr, true)
	tr.Operate("install")
	tr.Write(tr.Settings(), tr.Operate("wiring").Stdout)
	res := tr.Run(tr.Bin("operate"), "verify")
	for _, what := range []string{"SessionStart page 1/8", "SessionStart page 8/8", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact"} {
		want := fmt.Sprintf("%s in %s and again in %s; take it out of the latter", what, wiring.DropIn(), tr.Settings())
		if !strings.Contains(res.Stdout, want) {
			t.Errorf("no %q in\n%s", want, res.Stdout)
		}
	}
	if got := trial.Marked(res.Stdout, "FAIL"); res.Code != 1 || len(got) != len(wiring.UserWires(wiring.Machine{}, wiring.Pages)) {
		t.Errorf("exit %d, failed: %v", res.Code, got)
	}
	tr.Write(tr.Settings(), "{}")
	tr.Operate("verify")
}

// TestDoubledCloses is why: after a compaction the last loader of one set voids
// what the other set has just completed, and earns its own page alone. The gate is
// closed, never open.
func TestDoubledCloses(t *testing.T) {
	tr := trial.New(t)
	_, err := rig.Constellation(tr.Root, rig.SizedContents(15_000))
	tr.Must(err)
	s := rig.Session{ID: "one", Cwd: tr.Root}
	run := func(want int, program string, payload []byte, args ...string) {
		t.Helper()
		if res := tr.Play(rig.Command{Path: tr.Bin(program), Args: args, Stdin: payload}); res.Code != want {
			t.Errorf("%s %v: exit %d, not %d: %s", program, args, res.Code, want, res.Stderr)
		}
	}
	for _, pages := range [][]string{{"1/2", "2/2"}, {"1/2", "1/2", "2/2", "2/2"}} {
		run(0, "hades-gate", s.Prompt("/start"))
		run(0, "hades-gate", s.PreCompact("auto"))
		for _, page := range pages {
			run(0, "hades-session-load", s.SessionStart("compact"), page)
		}
		closed := 0
		if len(pages) > 2 {
			closed = 2
		}
		run(closed, "hades-gate", s.Bash())
	}
}

// TestManagedOnlyHolds: where only managed hooks run, hooks of others type nothing.
func TestManagedOnlyHolds(t *testing.T) {
	tr := trial.New(t)
	wire(tr, true)
	managedOnly(tr)
	tr.Write(filepath.Join(tr.Root, ".claude/settings.json"), projectHook(`echo '{"initialUserMessage":"/start"}'`))
	tr.Write(filepath.Join(tr.Root, ".claude/skills/x/hooks.json"), `{"modules": ["./m.js"]}`)
	wantFindings(tr)
}

func managedOnly(tr *trial.Trial) {
	tr.Must(os.WriteFile(filepath.Join(wiring.ManagedSettings, "managed-settings.json"), []byte(`{"allowManagedHooksOnly": true}`), 0o644))
}

// projectHook is settings with one SessionStart hook.
func projectHook(command string) string {
	return fmt.Sprintf(`{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": %q}]}]}}`, command)
}

// TestProjectCode: verify notes each piece of code that files of the root make the
// client run, and stays green.
func TestProjectCode(t *testing.T) {
	tr := trial.New(t)
	wire(tr, false)
	if out := tr.Operate("verify", "-root", tr.Root).Stdout; strings.Contains(out, "make the client run") {
		t.Error(out)
	}
	tr.Write(filepath.Join(tr.Root, ".claude/settings.json"), `{"apiKeyHelper": "one.sh", "statusLine": {"type": "command", "command": "two.sh"},
		"awsAuthRefresh": "three.sh", "awsCredentialExport": "four.sh", "fileSuggestion": {"type": "command", "command": "five.sh"},
		"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "six.sh"}]}]}}`)
	tr.Write(filepath.Join(tr.Root, ".mcp.json"), `{"mcpServers": {"a": {"command": "seven.sh"}, "b": {"url": "x", "headersHelper": "eight.sh"}}}`)
	tr.Write(filepath.Join(tr.Root, ".claude/commands/c.md"), "Look: !`nine.sh`\n")
	tr.Write(filepath.Join(tr.Root, ".claude/skills/s/SKILL.md"), "---\nname: s\nhooks:\n  Stop: x\n---\n")
	tr.Write(filepath.Join(tr.Root, ".claude/skills/p/.claude-plugin/plugin.json"), "{}")
	out := tr.Operate("verify", "-root", tr.Root).Stdout
	for _, want := range []string{"apiKeyHelper: one.sh", "statusLine: two.sh", "awsAuthRefresh: three.sh", "awsCredentialExport: four.sh", "fileSuggestion: five.sh",
		"hook on Stop: six.sh", "server a: seven.sh", "server b: eight.sh", "commands/c.md: shell code in the page: !`nine.sh`", "skills/s/SKILL.md: hooks in its head", "plugin.json: part of a plugin"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func wire(tr *trial.Trial, managed bool) {
	tr.Helper()
	if !managed {
		tr.Wire()
		return
	}
	tr.NeedManaged()
	if res := tr.RunAsRoot(tr.Bin("operate"), "install-managed"); res.Code != 0 {
		tr.Fatalf("install-managed: exit %d\n%s%s", res.Code, res.Stdout, res.Stderr)
	}
}

// wantFindings runs verify and the probe and wants these findings of both.
func wantFindings(tr *trial.Trial, want ...string) {
	tr.Helper()
	verify := tr.Run(tr.Bin("operate"), "verify", "-root", tr.Root)
	probe := tr.Run(tr.Bin("moirai-hades-integrity"), "-root", tr.Root)
	failed, alerts := trial.Marked(verify.Stdout, "FAIL"), trial.Marked(probe.Stdout, "ALERT")
	for program, names := range map[string][]string{"verify": failed, "the probe": alerts} {
		names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !strings.HasPrefix(n, "wiring_") })
		if !slices.Equal(slices.Compact(names), want) {
			tr.Errorf("%s found %v, not %v\n%s%s", program, names, want, probe.Stdout, probe.Stderr)
		}
	}
	if verify.Code != min(1, len(failed)) || probe.Code != min(1, len(alerts)) {
		tr.Errorf("verify exits %d with %v, the probe %d with %v", verify.Code, failed, probe.Code, alerts)
	}
}

func edit(change func(map[string]any)) func(*trial.Trial) {
	return func(tr *trial.Trial) { tr.EditJSON(tr.Settings(), change) }
}

// otherHook wires a hook that is not ours.
func otherHook(event, matcher, command string) func(*trial.Trial) {
	return edit(func(s map[string]any) {
		hooks := s["hooks"].(map[string]any)
		hooks[event] = append(hooks[event].([]any), map[string]any{"matcher": matcher, "hooks": []any{
			map[string]any{"type": "command", "command": command}}})
	})
}

// skillShell wires the gate in user settings on the event that make wiring prints apart.
func skillShell(rest string) func(*trial.Trial) {
	return edit(func(s map[string]any) {
		s["hooks"].(map[string]any)[wiring.PreSkillShell] = []any{map[string]any{"matcher": "*", "hooks": []any{
			map[string]any{"type": "command", "command": d15Gate + rest}}}}
	})
}

func env(name, value string) func(*trial.Trial) {
	return edit(func(s map[string]any) { s["env"] = map[string]any{name: value} })
}

func key(event, name string, value any) func(*trial.Trial) {
	return edit(func(s map[string]any) { trial.Hook(s, event, 0)[name] = value })
}

func matcher(event, m string) func(*trial.Trial) {
	return edit(func(s map[string]any) { trial.Group(s, event, 0)["matcher"] = m })
}

func command(event string, change func(string) string) func(*trial.Trial) {
	return edit(func(s map[string]any) {
		h := trial.Hook(s, event, 0)
		before := h["command"].(string)
		h["command"] = change(before)
		if h["command"] == before {
			panic(fmt.Sprintf("%s: nothing was changed in %s", event, before))
		}
	})
}

func git(tr *trial.Trial, dir string, args ...string) {
	tr.Helper()
	path, err := exec.LookPath("git")
	tr.Must(err)
	if res := tr.Play(rig.Command{Path: path, Args: append([]string{"-C", dir}, args...)}); res.Code != 0 {
		tr.Fatalf("git %v: %s", args, res.Stderr)
	}
}
