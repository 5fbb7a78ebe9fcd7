package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"moirai/stresstest/realclient"
)

// Rows about the client alone, with hooks of one line of shell.
var factRows = []Row{
	{Name: "contract: how a PreToolUse hook ends, and whether the tool runs", Play: endingFacts},
	{Name: "contract: the same, wired as COMMAND || exit 2", Play: orExitFacts, Matrix: true},
	{Name: "contract: the same, with the guard of D15", Play: guardFacts},
	{Name: "contract: exec form", Play: execFacts, Matrix: true},
	{Name: "contract: another hook that allows", Play: allowFacts},
	{Name: "contract: SessionStart stdout", Play: startFacts},
	{Name: "contract: events and payloads", Play: payloadFacts},
	{Name: "contract: sources and session ids", Play: sourceFacts},
	{Name: "contract: compaction", Play: compactFacts},
	{Name: "contract: every event of the newest client", Play: eventFacts, Since: realclient.Pinned, Why: "other events"},
	{Name: "contract: settings", Play: settingsFacts},
}

// script writes a program that the wired command of a fact runs.
func (w *World) script(name, body string) string {
	path := filepath.Join(w.Home, name)
	w.run.must(os.RemoveAll(path))
	w.run.must(os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755))
	return path
}

// endings are the ways in which the program at path can end.
var endings = []struct {
	name string
	make func(w *World, path string)
}{
	{"exit 2", func(w *World, path string) { w.script("hook", "cat >/dev/null; echo the reason >&2; exit 2") }},
	{"exit 2 without reading stdin", func(w *World, path string) { w.script("hook", "exit 2") }},
	{"exit 1", func(w *World, path string) { w.script("hook", "cat >/dev/null; exit 1") }},
	{"command not found", func(w *World, path string) { os.Remove(path) }},
	{"a dangling link", func(w *World, path string) { os.Remove(path); os.Symlink("nothing", path) }},
	{"not executable", func(w *World, path string) { w.script("hook", "exit 2"); os.Chmod(path, 0o644) }},
	{"killed by a signal", func(w *World, path string) { w.script("hook", "kill -9 $$") }},
	{"the hook's timeout elapses", func(w *World, path string) { w.script("hook", "exec sleep 6") }},
}

// measureEndings plays one call for each ending with the hook wired as given.
func measureEndings(r *Run, hook map[string]any, dir func(*World) string, relied map[string][]string) {
	w := r.World("w")
	hook["timeout"] = 1
	w.UserSettings(Settings{}.Add("PreToolUse", entry("", hook)))
	w.script("hook", "exit 0")
	s := w.Start(dir(w))
	for i, x := range endings {
		x.make(w, filepath.Join(w.Home, "hook"))
		effect := fmt.Sprint("e", i)
		t := s.Prompt("go", w.Bash(effect))
		r.Fact(x.name, runs(w, effect), relied[x.name]...)
		if x.name == "exit 2" && len(t.Results) > 0 {
			r.Fact("what the model sees after exit 2 begins with", yes(strings.Contains(t.Results[0].Text, "PreToolUse:Bash hook error: [") && strings.Contains(t.Results[0].Text, "the reason"),
				"PreToolUse:Bash hook error: [COMMAND]: STDERR", "something else"))
		}
	}
}

func runs(w *World, effect string) string { return yes(w.Ran(effect), "runs", "blocked") }

func yes(ok bool, a, b string) string {
	if ok {
		return a
	}
	return b
}

func root(w *World) string { return w.Root }

func endingFacts(r *Run) {
	measureEndings(r, command(`"$HOME"/hook`), root, map[string][]string{"exit 2": {"blocked"}, "exit 2 without reading stdin": {"blocked"}})
}

func orExitFacts(r *Run) {
	measureEndings(r, command(`"$HOME"/hook || exit 2`), root, nil)
}

func guardFacts(r *Run) {
	relied := map[string][]string{}
	for _, x := range endings[:7] {
		relied[x.name] = []string{"blocked"}
	}
	measureEndings(r, command(`"$HOME"/hook`+r.guard()), root, relied)
}

// guard is what operate wiring puts behind the gate.
func (r *Run) guard() string {
	for _, l := range strings.Split(string(r.wired.User), "\n") {
		if _, g, ok := strings.Cut(l, "hades-gate ||"); ok {
			var s string
			r.must(json.Unmarshal([]byte(`"`+strings.TrimSuffix(g, `"`)+`"`), &s))
			return " ||" + s
		}
	}
	return ""
}

func execFacts(r *Run) {
	w := r.World("probe")
	log := w.Dir + "/log"
	w.script("hook", "cat >/dev/null; echo $# $1 >> "+log)
	w.UserSettings(Settings{}.Add("SessionStart", entry("", map[string]any{"type": "command", "command": w.Home + "/hook", "args": []string{"1/2"}})))
	w.Start(w.Root).Prompt("go")
	b, _ := os.ReadFile(log)
	have := string(b) == "1 1/2\n"
	r.Fact("exec form (args)", yes(have, "yes", "args are ignored"))
	w.close()
	if have {
		measureEndings(r, map[string]any{"type": "command", "command": filepath.Join(r.dir, "w/home/hook"), "args": []string{}}, root,
			map[string][]string{"exit 2": {"blocked"}, "exit 2 without reading stdin": {"blocked"}})
	}
}

// allowFacts wires a hook that blocks and one that answers allow, in both orders of their ends.
func allowFacts(r *Run) {
	for _, first := range []string{"block", "allow"} {
		w := r.World(first)
		done := w.Dir + "/done"
		end := map[string]string{"block": "echo the reason >&2; exit 2", "allow": allowAnswer}
		then := map[string]string{"block": "allow", "allow": "block"}[first]
		w.UserSettings(Settings{}.Add("PreToolUse", entry("", command("cat >/dev/null; touch "+done+"; "+end[first]))).
			Add("PreToolUse", entry("", command("cat >/dev/null; while [ ! -e "+done+" ]; do sleep 0.1; done; sleep 0.5; "+end[then]))))
		w.Start(w.Root).Prompt("go", w.Bash("a"))
		r.FactSince(firmBlock, allowWins, "exit 2 and allow, "+first+" ends first", runs(w, "a"), "blocked")
		w.close()
	}
}

// allowAnswer is a hook's answer that lets the call through without a question.
const allowAnswer = `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"x"}}'`

// firmBlock is the first measured version in which no other hook undoes a block.
const (
	firmBlock = "2.1.118"
	allowWins = "the answer of another hook that allows can beat exit 2"
)

// ownFork is the first measured version in which the SessionStart of a fork is told the id of the fork.
const (
	ownFork    = "2.1.332"
	forkedLate = "SessionStart is told the parent's id, so the load is not recorded for the fork"
)

// startFacts wires many SessionStart commands at once: each has its own budget.
func startFacts(r *Run) {
	w := r.World("w")
	outputs := []struct{ name, text string }{
		{"10,000 ASCII characters", strings.Repeat("a", 10_000)},
		{"10,001 ASCII characters", strings.Repeat("b", 10_001)},
		{"10,000 times é (20,000 bytes)", strings.Repeat("é", 10_000)},
		{"10,001 times é", strings.Repeat("è", 10_001)},
		{"10,000 times 漢 (30,000 bytes)", strings.Repeat("漢", 10_000)},
		{"5,000 times 🔑 (10,000 UTF-16 units)", strings.Repeat("🔑", 5_000)},
		{"5,001 times 🔑", strings.Repeat("🗝\U0001F512"[0:4], 1) + strings.Repeat("🔒", 5_000)},
	}
	s := Settings{}
	var hooks []map[string]any
	slow := command("sleep 1; echo SLOWEST-OF-ALL")
	hooks = append(hooks, slow)
	for i, o := range outputs {
		file := fmt.Sprintf("%s/out%d", w.Home, i)
		w.write(file, o.text)
		hooks = append(hooks, command("cat "+file))
	}
	twice := command("echo TWICE-WIRED")
	hooks = append(hooks, twice, twice, command("echo STDOUT-OF-EXIT-2; echo STDERR-OF-EXIT-2 >&2; exit 2"), command(`echo '{"note":"STARTS-WITH-A-BRACE"}'`))
	for i := range 4 {
		hooks = append(hooks, command(fmt.Sprintf("echo EXTRA-%d", i)))
	}
	w.UserSettings(s.Add("SessionStart", entry("", hooks...)))
	t := w.Start(w.Root).Prompt("go")
	text := t.Requests[0].Text()
	for _, o := range outputs {
		relied := []string{"whole", "cut"}
		if !strings.Contains(o.name, "1 ") && !strings.Contains(o.name, ",001") {
			relied = []string{"whole"}
		}
		r.Fact("output of "+o.name, yes(strings.Contains(text, o.text), "whole", "cut"), relied...)
	}
	extra := 0
	for i := range 4 {
		extra += strings.Count(text, fmt.Sprintf("EXTRA-%d", i))
	}
	r.Fact(fmt.Sprintf("%d commands at one event", len(hooks)), yes(extra == 4, "all run", "some do not"), "all run")
	r.Fact("two identical commands", fmt.Sprintf("run %d times", strings.Count(text, "TWICE-WIRED")))
	r.Fact("the first request waits for the slowest", yes(strings.Contains(text, "SLOWEST-OF-ALL"), "yes", "no"), "yes")
	r.Fact("order in the context", yes(strings.Index(text, "SLOWEST-OF-ALL") > strings.Index(text, "EXTRA-3"), "of completion", "of wiring"))
	r.Fact("exit 2: stdout in the context", yes(strings.Contains(text, "STDOUT-OF-EXIT-2"), "yes", "no"), "no")
	r.Fact("exit 2: stderr in the context", yes(strings.Contains(text, "STDERR-OF-EXIT-2"), "yes", "no"))
	r.Fact("stdout that starts with {", yes(strings.Contains(text, "STARTS-WITH-A-BRACE"), "injected", "taken as JSON, not injected"))
}

// everyEvent records the payloads of all events that every version knows. A settings
// file with an event that the client does not know is dropped whole by old versions.
func everyEvent(file string) Settings {
	s := Settings{}
	for _, e := range []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "SessionEnd"} {
		s = s.Add(e, entry("", record(file)))
	}
	return s
}

func payloadFacts(r *Run) {
	w := r.World("w")
	log := w.Dir + "/log"
	w.UserSettings(everyEvent(log).Add("PreToolUse", entry("Bash", command(`if grep -q LONG-STDERR; then head -c 60000 /dev/zero | tr '\0' x >&2; exit 2; fi`))))
	w.write(w.Root+"/.claude/skills/forked/SKILL.md", forkedSkill)
	w.write(w.Root+"/.claude/skills/hidden/SKILL.md", "---\nname: hidden\ndescription: x\ndisable-model-invocation: true\n---\nx\n")
	w.write(w.Root+"/CLAUDE.md", "rules\n")
	w.write(w.Root+"/lf.txt", "one\ntwo\n")
	w.write(w.Root+"/crlf.txt", "\ufeffone\r\ntwo\r\n")
	w.write(w.Root+"/big.txt", strings.Repeat("a line of some words\n", 8_000)) // 168 KB
	s := w.Start(w.Root)
	seen := 0
	// fresh returns the payloads since the last call.
	fresh := func() []payload {
		all := recorded(log)
		new := all[seen:]
		seen = len(all)
		return new
	}
	find := func(list []payload, event, tool string) payload {
		for _, p := range list {
			if p.Event == event && (tool == "" || p.Tool == tool) {
				return p
			}
		}
		return payload{}
	}
	s.Prompt("/start")
	r.Fact("/start typed: prompt of UserPromptSubmit", find(fresh(), "UserPromptSubmit", "").Prompt, "/start")
	s.Prompt("/start a b")
	r.Fact("/start a b typed", find(fresh(), "UserPromptSubmit", "").Prompt, "/start a b")
	s.Prompt("/startup")
	r.Fact("/startup typed (no such command)", yes(find(fresh(), "UserPromptSubmit", "").Prompt == "/startup", "fires, as /startup", "does not fire"), "fires, as /startup", "does not fire")

	t := s.Prompt("go", Step{w.Read("lf.txt"), w.Read("crlf.txt")}, Step{{Name: "Read", Input: map[string]any{"file_path": "CLAUDE.md"}}}, Step{w.Read("big.txt")})
	var paths []string
	files := map[string]struct {
		Content                         string
		StartLine, NumLines, TotalLines int
	}{}
	for _, p := range fresh() {
		var in struct {
			Path string `json:"file_path"`
		}
		json.Unmarshal(p.Input, &in)
		if p.Event == "PreToolUse" {
			paths = append(paths, in.Path)
		}
		var out struct {
			File struct {
				Content                         string
				StartLine, NumLines, TotalLines int
			}
		}
		if json.Unmarshal(p.Response, &out) == nil && p.Event == "PostToolUse" {
			files[filepath.Base(in.Path)] = out.File
		}
	}
	lf, crlf := files["lf.txt"], files["crlf.txt"]
	r.Fact("PostToolUse for Read: content of a file with LF", yes(lf.Content == "one\ntwo\n" && lf.StartLine == 1, "as in the file", fmt.Sprintf("%q", lf.Content)), "as in the file")
	r.Fact("the same: numLines and totalLines of two lines", fmt.Sprintf("%d and %d", lf.NumLines, lf.TotalLines), "3 and 3", "2 and 2")
	r.Fact("content of a file with a byte order mark and CRLF", fmt.Sprintf("%q", crlf.Content), `"one\ntwo\n"`, `"\ufeffone\ntwo\n"`)
	r.Fact("file_path of a Read of CLAUDE.md", yes(slices.Contains(paths, w.Root+"/CLAUDE.md"), "absolute", yes(slices.Contains(paths, "CLAUDE.md"), "as the model wrote it", "something else")), "absolute", "as the model wrote it")
	big := t.Results[len(t.Results)-1]
	view := files["big.txt"]
	r.Fact("a Read of 168 KB", yes(big.IsError, "an error", yes(view.NumLines == view.TotalLines && view.TotalLines > 0, "whole", "a part")))

	t = s.Prompt("go", Step{{Name: "Bash", Input: map[string]any{"command": "echo LONG-STDERR", "description": "x"}}})
	fresh()
	r.Fact("60,000 characters on stderr with exit 2: the model sees", yes(len(t.Results[0].Text) > 60_000, "all", fmt.Sprintf("about %d,000", (len(t.Results[0].Text)+5000)/10000*10)))

	s.Prompt("go", Step{{Name: "Bash", Input: map[string]any{"command": "cd docs", "description": "x"}}}, Step{{Name: "Bash", Input: map[string]any{"command": "pwd", "description": "x"}}},
		w.Cd(w.Root))
	var cwds []string
	for _, p := range fresh() {
		if p.Event == "PreToolUse" {
			cwds = append(cwds, strings.TrimPrefix(p.Cwd, w.Root))
		}
	}
	r.must(os.Symlink(w.Root+"/docs", w.Outside+"/link"))
	s.Prompt("go", w.Cd(w.Outside+"/link"), w.Cd(w.Root))
	last := payload{}
	for _, p := range fresh() {
		if p.Event == "PreToolUse" {
			last = p
		}
	}
	r.Fact("cwd of the call after cd through a link", yes(last.Cwd == w.Root+"/docs", "resolved", yes(last.Cwd == w.Outside+"/link", "as it was given", "does not follow")))
	r.Fact("cwd of the call after cd docs", yes(len(cwds) > 1 && cwds[1] == "/docs", "follows", "does not follow"), "follows", "does not follow")
	r.Fact("session_id", yes(len(s.ID) == 36 && strings.Count(s.ID, "-") == 4, "a UUID", "something else"), "a UUID")

	big3 := strings.Repeat("x", 3<<20)
	s.Prompt("go", Step{{Name: "Write", Input: map[string]any{"file_path": w.effects + "/big", "content": big3}}})
	r.Fact("a Write of 3 MB arrives on stdin", yes(len(find(fresh(), "PreToolUse", "Write").Raw) > 3<<20, "whole, as one line of JSON", "cut"), "whole, as one line of JSON")

	s.Model.ScriptAgent("x", Step{{Name: "Bash", Input: map[string]any{"command": "true", "description": "x"}}})
	s.Prompt("go", Step{{Name: s.agentTool(), Input: map[string]any{"description": "x", "prompt": agentPrefix + "x", "subagent_type": "general-purpose", "run_in_background": false}}})
	new := fresh()
	parent, child := find(new, "PreToolUse", s.agentTool()), find(new, "PreToolUse", "Bash")
	r.Fact("the tool that starts a subagent", parent.Tool)
	r.Fact("a subagent's call: session_id", yes(child.Session == s.ID, "its parent's", "its own"), "its parent's")
	r.Fact("a subagent's call: agent_id", yes(child.AgentID != "", "yes", "absent"))
	r.Fact("a main agent's call: agent_id", yes(parent.AgentID == "", "absent", "yes"), "absent")

	if r.client.Since("2.0.76") {
		s.Prompt("go", skill("start"))
		r.Fact("Skill start: tool_input", string(find(fresh(), "PreToolUse", "Skill").Input), `{"skill":"start"}`)
		t = s.Prompt("go", skill("/start"))
		r.Fact("Skill /start: tool_input, and the skill", string(find(fresh(), "PreToolUse", "Skill").Input)+yes(t.Results[0].IsError, ", fails", ", is launched"))
		s.Prompt("go", skill("nothing-of-that-name"), skill("hidden"))
		r.Fact("Skill that does not exist or is not for the model", yes(find(fresh(), "PreToolUse", "Skill").Event == "", "fires no hook", "fires"))
	}
	r.parallel(w, s)
	r.queued(w, s, log, fresh)
}

// parallel measures whether the hooks of eight calls in one message run at once: each
// leaves its mark and waits until there are eight, or for three seconds.
func (r *Run) parallel(w *World, s *Session) {
	marks := w.Dir + "/marks"
	w.UserSettings(Settings{}.Add("PreToolUse", entry("Bash|Read", command("touch "+marks+"/$$; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do [ $(ls "+marks+" | wc -l) -ge 8 ] && exit 0; sleep 0.2; done; echo alone >> "+w.Dir+"/alone"))))
	s2 := w.Start(w.Outside)
	for _, kind := range []string{"Read", "Bash that writes"} {
		r.must(os.RemoveAll(marks))
		r.must(os.Mkdir(marks, 0o755))
		os.Remove(w.Dir + "/alone")
		var eight Step
		for i := range 8 {
			if kind == "Read" {
				eight = append(eight, w.Read("lf.txt"))
			} else {
				eight = append(eight, w.bashCall(fmt.Sprint("p", i)))
			}
		}
		s2.Prompt("go", eight)
		_, err := os.Stat(w.Dir + "/alone")
		r.Fact("hooks of eight calls of "+kind+" in one message", yes(os.IsNotExist(err), "run at once", "run one after the other"))
	}
}

// queued measures when a prompt that is typed in the middle of a turn reaches UserPromptSubmit.
func (r *Run) queued(w *World, s *Session, log string, fresh func() []payload) {
	w.UserSettings(everyEvent(log))
	s2 := w.Start(w.Root)
	fresh()
	held := w.Dir + "/held"
	begun := w.Dir + "/begun"
	for _, f := range []string{held, begun} {
		r.must(syscall.Mkfifo(f, 0o600))
	}
	s2.Model.Script(Step{{Name: "Bash", Input: map[string]any{"command": "echo > " + begun + "; cat " + held, "description": "x"}}}, w.Bash("q1"), w.Bash("q2"))
	before := len(s2.Model.Requests())
	r.must(s2.Send("first"))
	_, err := os.ReadFile(begun) // the turn is running
	r.must(err)
	r.must(s2.Send("/start"))
	r.must(os.WriteFile(held, nil, 0o600))
	_, err = s2.await(before, turnLimit)
	r.must(err)
	var order []string
	for _, p := range fresh() {
		if p.Event == "UserPromptSubmit" || p.Event == "PreToolUse" {
			order = append(order, p.Event+strings.TrimPrefix(" "+p.Prompt, " first"))
		}
	}
	at := slices.Index(order, "UserPromptSubmit /start")
	r.Fact("/start typed while a turn runs: UserPromptSubmit fires", yes(at < 0 || at == len(order)-1, "when the turn has ended", "in the middle of it"))
}

func sourceFacts(r *Run) {
	w := r.World("w")
	log := w.Dir + "/log"
	w.UserSettings(everyEvent(log))
	link := w.Dir + "/link"
	r.must(os.Symlink(w.Root, link))
	s := w.Start(link)
	s.Prompt("one")
	first := s.ID
	source := func() string {
		var last payload
		for _, p := range recorded(log) {
			if p.Event == "SessionStart" {
				last = p
			}
		}
		return last.Source + ", " + yes(last.Session == first, "the same id", "a new id")
	}
	r.Fact("a symlinked start directory arrives", yes(recorded(log)[0].Cwd == w.Root, "resolved", "as it was given"))
	if r.client.Since("2.1.118") {
		s.Prompt("/clear")
		s.Prompt("two")
		r.Fact("/clear", source(), "clear, a new id")
	}
	r.must(s.End(turnLimit))
	s = w.Start(w.Root, "--resume", first)
	s.Prompt("on")
	r.Fact("--resume", source(), "resume, the same id", "startup, a new id", "resume, a new id")
	r.must(s.End(turnLimit))
	s = w.Start(w.Root, "--resume", first, "--fork-session")
	s.Prompt("on")
	r.Fact("--fork-session: id of its calls", yes(s.ID == first, "its parent's", "a new id"), "a new id")
	r.FactSince(ownFork, forkedLate, "--fork-session: what SessionStart is told", source(), "fork, a new id", "resume, a new id", "startup, a new id")
}

func compactFacts(r *Run) {
	w := r.World("w")
	log := w.Dir + "/log"
	refuse := w.Dir + "/refuse"
	w.UserSettings(everyEvent(log).Add("SessionStart", entry("", command("echo INJECTED-AT-START"))).Add("PreCompact", entry("", command("cat > /dev/null; [ ! -e "+refuse+" ] || { echo refused on purpose >&2; exit 2; }"))))
	s := w.Start(w.Root)
	s.talk()
	first := s.ID
	w.write(refuse, "")
	t := s.Prompt("/compact")
	r.FactSince(refusable, compactsAnyway, "exit 2 on PreCompact: the client compacts", yes(summaries(t) == 0, "no", "yes"), "no")
	r.Fact("and shows stderr", yes(strings.Contains(strings.Join(t.Lines, "\n"), "refused on purpose"), "yes", "no"))
	r.must(os.Remove(refuse))
	seen := len(recorded(log))
	t = s.Prompt("/compact")
	var order []string
	for _, p := range recorded(log)[seen:] {
		order = append(order, strings.TrimSpace(p.Event+" "+p.Source+p.Trigger))
	}
	if summaries(t) == 0 {
		r.Note("the client says: %s", t.Final)
	}
	r.Fact("events of /compact", strings.Join(order, ", "), "UserPromptSubmit, PreCompact manual, SessionStart compact", "PreCompact manual, SessionStart compact")
	t = s.Prompt("on")
	r.Fact("session_id after it", yes(s.ID == first, "the same", "a new one"), "the same")
	r.FactSince(injects, injectsNot, "what SessionStart injects, in the request after it", fmt.Sprintf("%d times", strings.Count(t.Requests[0].Text(), "INJECTED-AT-START")), "1 times")
}

func settingsFacts(r *Run) {
	w := r.World("live")
	w.UserSettings(Settings{})
	s := w.Start(w.Root)
	s.Prompt("go")
	w.UserSettings(Settings{}.Add("PreToolUse", entry("", command("exit 2"))))
	r.Fact("a hook added to user settings while a session runs", r.takesEffect(w, s))
	w.close()
	if r.private {
		for _, x := range []struct{ name, file string }{{"managed-settings.json", "managed-settings.json"}, {"a drop-in in managed-settings.d", "managed-settings.d/50-x.json"}} {
			w := r.World(filepath.Base(x.file))
			w.write(filepath.Join(w.Managed, x.file), Settings{}.Add("PreToolUse", entry("", command("exit 2"))).JSON())
			s := w.Start(w.Root)
			s.Prompt("go", w.Bash("m"))
			r.Fact("hooks in "+x.name, yes(w.Ran("m"), "are not read", "are run"))
			w.close()
		}
	}
	w = r.World("unknown")
	w.UserSettings(Settings{}.Add("PreToolUse", entry("", command("exit 2"))).Add("EventOfTheFuture", entry("", command("true"))))
	s = w.Start(w.Root)
	s.Prompt("go", w.Bash("u"))
	r.Fact("a settings file with an event that the client does not know", yes(w.Ran("u"), "is dropped whole: no hook runs", "is read"))
}

// takesEffect plays calls until one is blocked.
func (r *Run) takesEffect(w *World, s *Session) string {
	began := time.Now()
	for i := 0; time.Since(began) < turnLimit; i++ {
		if t := s.Prompt("go", w.Bash(fmt.Sprint("live", i))); t.Results[0].IsError {
			r.Note("after %.1f s", time.Since(began).Seconds())
			return "takes effect"
		}
	}
	return "does not"
}
