package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// Rows about calls: who makes them, how many at once, how big.
var callRows = []Row{
	{Name: "the model opens with the Skill tool", Play: skillStart, Since: skillTool, Why: "no Skill tool"},
	{Name: "a skill or command that holds shell code: it runs before /start, a known limit", Play: shellInSkill, Since: skillTool, Why: "no Skill tool"},
	{Name: "shell code of skills and commands, with the gate on its event", Play: gatedShell, Since: "2.1.332", Why: "no event before it"},
	{Name: "subagents", Play: subagents, Since: "2.1.118", Why: "payloads have no agent_id"},
	{Name: "eight calls in one message", Play: eightCalls},
	{Name: "a Write of 3 MB", Play: bigWrite},
	{Name: "every tool that the client offers is gated", Play: everyTool},
	{Name: "another hook that allows", Play: otherAllows},
	{Name: "another hook that shows another text than a Read has: a known limit", Play: otherShows, Since: "2.1.332", Why: "not measured"},
	{Name: "a server that runs the client's own tools, started by a gated session", Play: ownServer, Since: "2.1.118", Why: "not measured"},
}

// skillTool is the first measured version with a Skill tool.
const skillTool = "2.0.76"

func skill(name string) Step { return Step{{Name: "Skill", Input: map[string]any{"skill": name}}} }

func skillStart(r *Run) {
	w := r.World("w")
	w.UserSettings(r.Wiring())
	s := w.Start(w.Root)
	t := s.Prompt("go", w.Bash("before"), skill("start"), w.Bash("after"))
	r.Check("blocked before", blocked(t.Results[0], s.ID) && !w.Ran("before"))
	r.Check("Skill start passes and is recorded as such", !t.Results[1].IsError &&
		strings.HasSuffix(w.Token(s.ID), " START_ACK Skill main\n"), t.Results[1].Text, w.Token(s.ID))
	r.Check("the next call in the same turn runs", w.Ran("after"), t.Results[2].Text)

	s = w.Start(w.Root)
	t = s.Prompt("go", skill("/start"), w.Bash("slash"))
	r.Check(`Skill "/start" is not start: it records nothing (D10)`, w.Markers(s.ID) == loaded && !w.Ran("slash"),
		t.Results[0].Text, w.Markers(s.ID))
}

// codedCommand is a skill or command that holds shell code.
func (w *World) codedCommand(effect string) string {
	return "---\nname: " + effect + "\ndescription: holds shell code\nallowed-tools: Bash\n---\nSaid: !`echo ran > " + w.effects + "/" + effect + "`\n"
}

// shellInSkill shows a limit of user settings and old clients, not a promise: Skill is exempt, and the
// client runs the shell code of a skill or command while it loads it, with no PreToolUse of its own.
func shellInSkill(r *Run) {
	w := r.World("w")
	w.UserSettings(r.Wiring())
	w.write(w.Root+"/.claude/skills/of-skill/SKILL.md", w.codedCommand("of-skill"))
	w.write(w.Root+"/.claude/commands/of-command.md", w.codedCommand("of-command"))
	s := w.Start(w.Root)
	t := s.Prompt("go", skill("of-skill"), w.Bash("call"))
	r.Check("LIMIT: shell code in a skill that the model calls RUNS, never started", w.Ran("of-skill") && w.Markers(s.ID) == loaded, t.Results[0].Text, w.Token(s.ID))
	r.Check("a tool call after it is blocked all the same", blocked(t.Results[1], s.ID) && !w.Ran("call"))
	s.Prompt("/of-command", w.Bash("call"))
	r.Check("LIMIT: so does that of a command that the operator types", w.Ran("of-command") && w.Markers(s.ID) == loaded)
	r.Check("and a tool call after it is blocked", !w.Ran("call"))
}

// gatedShell plays the same with the gate on PreSkillShellCommand. The start's own code comes after
// UserPromptSubmit has recorded the start: it runs if the session is loaded.
func gatedShell(r *Run) {
	for _, x := range []struct {
		name string
		wire func(w *World)
	}{
		{"managed", func(w *World) { w.ManagedSettings(r.ManagedWiring()) }},
		{"user settings, with the entry that make wiring prints apart", func(w *World) {
			w.UserSettings(r.Wiring().Add("PreSkillShellCommand", entry("*", command(`"$HOME"/.claude/hooks/moirai/hades-gate`+r.guard()))))
		}},
	} {
		if x.name == "managed" && !r.private {
			continue
		}
		w := r.World(fmt.Sprint(len(r.worlds)))
		x.wire(w)
		for _, name := range []string{"of-command", "started", "start", "missing"} {
			w.write(w.Root+"/.claude/commands/"+name+".md", w.codedCommand(name))
			w.write(w.Outside+"/.claude/commands/"+name+".md", w.codedCommand(name+"-elsewhere"))
		}
		w.write(w.Root+"/.claude/skills/of-skill/SKILL.md", w.codedCommand("of-skill"))
		s := w.Start(w.Root)
		t := s.Prompt("go", skill("of-skill"))
		r.Check(x.name+": shell code in a skill that the model calls does not run, never started", !w.Ran("of-skill"), t.Results)
		t = s.Prompt("/of-command")
		r.Check(x.name+": nor does that of a command that the operator types, and the model is told why", !w.Ran("of-command") && strings.Contains(t.Requests[0].Text(), "blocked by hook"), after(t.Requests[0].Text(), "[not run"))
		s.Prompt("/start")
		r.Check(x.name+": the start is recorded before its own code is asked for, so that runs", w.Ran("start") && strings.HasSuffix(w.Token(s.ID), " START_ACK UserPromptSubmit main\n"), w.Token(s.ID))
		s.Prompt("/started")
		r.Check(x.name+": after it the code of commands runs", w.Ran("started"))

		s = w.Start(w.Outside)
		s.Prompt("/of-command")
		r.Check(x.name+": elsewhere it runs", w.Ran("of-command-elsewhere"))

		r.must(os.Rename(w.Root+"/CONTEXT.md", w.Root+"/gone"))
		r.must(os.Remove(w.effects + "/start"))
		s = w.Start(w.Root)
		s.Prompt("/start")
		r.Check(x.name+": not loaded, the code of /start does not run", !w.Ran("start") && w.Markers(s.ID) == "START_ACK", w.Token(s.ID))
		w.close()
	}
	w := r.World("missing")
	w.UserSettings(r.Wiring().Add("PreSkillShellCommand", entry("*", command(`"$HOME"/.claude/hooks/moirai/hades-gate`+r.guard()))))
	w.write(w.Root+"/.claude/commands/missing.md", w.codedCommand("missing"))
	s := w.Start(w.Root)
	s.Prompt("go")
	r.must(os.Remove(w.hooks() + "/hades-gate"))
	s.Prompt("/missing")
	r.Check("the gate is missing: the guard blocks here too", !w.Ran("missing"))
}

// forkedSkill is a skill that runs as a subagent, which is how a subagent can
// exist before /start: Skill is exempt, Agent is not.
const forkedSkill = "---\nname: forked\ndescription: runs in a fork\ncontext: fork\n---\n" + agentPrefix + "forked\n"

func subagents(r *Run) {
	w := r.World("w")
	w.UserSettings(r.Wiring())
	w.write(w.Root+"/.claude/skills/forked/SKILL.md", forkedSkill)
	s := w.Start(w.Root)
	agent := func(key string) Step {
		return Step{{Name: s.agentTool(), Input: map[string]any{"description": "x", "prompt": agentPrefix + key, "subagent_type": "general-purpose", "run_in_background": false}}}
	}
	t := s.Prompt("go", agent("none"))
	r.Check("starting a subagent is blocked before /start", len(t.Results) == 1 && blocked(t.Results[0], s.ID), t.Results[0].Text)
	s.Model.ScriptAgent("forked", w.Bash("fork-before"))
	t = s.Prompt("fork", skill("forked"))
	sub := ofAgent(t, "forked")
	r.Check("a subagent that a skill forks is blocked too", len(sub) == 1 && blocked(sub[0], s.ID) && !w.Ran("fork-before"), sub)
	s.Prompt("/start", agent("after"))
	s.Model.ScriptAgent("after2", w.Bash("agent-after"), Step{w.Read("CONTEXT.md")})
	t = s.Prompt("again", agent("after2"))
	sub = ofAgent(t, "after2")
	r.Check("a subagent's calls pass after /start", len(sub) == 2 && w.Ran("agent-after"), sub)

	s = w.Start(w.Root)
	s.Model.ScriptAgent("forked", skill("start"), w.Bash("fork-start"))
	s.Prompt("fork", skill("forked"))
	r.Check("a subagent that calls Skill start is recorded with its own id", regexp.MustCompile(` START_ACK Skill [A-Za-z0-9._-]+\n$`).MatchString(w.Token(s.ID)) &&
		!strings.HasSuffix(w.Token(s.ID), " main\n"), w.Token(s.ID))

	r.must(os.Remove(w.hooks() + "/hades-session-load"))
	s = w.Start(w.Root)
	s.Model.ScriptAgent("forked", w.ReadRequired())
	t = s.Prompt("fork", skill("forked"))
	sub = ofAgent(t, "forked")
	r.Check("required Reads by a subagent pass and mark nothing (D11)", len(sub) == 3 && !sub[0].IsError && w.Token(s.ID) == "",
		sub, "token: "+w.Token(s.ID))
}

func ofAgent(t *Turn, key string) []Result {
	var out []Result
	for _, x := range t.Results {
		if x.Agent == key {
			out = append(out, x)
		}
	}
	return out
}

// agentTool is the name of the tool that starts a subagent.
func (s *Session) agentTool() string {
	if s.run.client.Since("2.1.118") {
		return "Agent"
	}
	return "Task"
}

func eightCalls(r *Run) {
	w := r.World("w")
	w.UserSettings(r.Wiring())
	for i := range 8 { // a second Read of a file may be answered in short
		w.write(fmt.Sprint(w.Outside, "/note", i), "a gated note\n")
	}
	s := w.Start(w.Root)
	eight := func(name string) (s Step) { // the client runs the hooks of Reads at once, and of calls that write in turn
		for i := range 8 {
			s = append(s, w.Read(fmt.Sprint(w.Outside, "/note", i)), w.bashCall(fmt.Sprint(name, i)))
		}
		return s
	}
	ran := func(name string, t *Turn) (bash, read int) {
		for i := range 8 {
			if w.Ran(fmt.Sprint(name, i)) {
				bash++
			}
		}
		for _, x := range t.Results {
			if strings.Contains(x.Text, "a gated note") {
				read++
			}
		}
		return bash, read
	}
	t := s.Prompt("go", eight("before"))
	n := 0
	for _, x := range t.Results {
		if blocked(x, s.ID) {
			n++
		}
	}
	bash, read := ran("before", t)
	r.Check("before /start all of eight Bash and eight Read calls are blocked", n == 16 && bash == 0 && read == 0, fmt.Sprintf("%d blocked, %d Bash ran, %d files shown", n, bash, read))
	t = s.Prompt("/start", eight("after"))
	bash, read = ran("after", t)
	r.Check("after it all run", bash == 8 && read == 8, fmt.Sprintf("%d Bash ran, %d files shown", bash, read))
	r.Check("the token file is what one call would leave", w.Markers(s.ID) == loaded+" START_ACK", w.Token(s.ID))
}

func bigWrite(r *Run) {
	w := r.World("w")
	w.UserSettings(r.Wiring())
	s := w.Start(w.Root)
	big := strings.Repeat("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcd\n", 3<<20/63)
	write := func(name string) Step {
		return Step{{Name: "Write", Input: map[string]any{"file_path": w.effects + "/" + name, "content": big}}}
	}
	t := s.Prompt("go", write("before"))
	r.Check("blocked before /start", blocked(t.Results[0], s.ID) && !w.Ran("before"), t.Results[0].Text)
	t = s.Prompt("/start", write("after"))
	got, _ := os.ReadFile(w.effects + "/after")
	r.Check("written whole after it", string(got) == big, fmt.Sprintf("%d bytes of %d", len(got), len(big)), t.Results[0].Text)
}

// inputs are arguments that a tool accepts, so that nothing but the gate refuses
// the call. A tool that is not here is called without, which fails the row: somebody must look.
func (w *World) inputs() map[string]map[string]any {
	type in = map[string]any
	file, note, book := w.effects+"/x", w.Root+"/CLAUDE.md", w.Root+"/memory/x.ipynb"
	cron := in{"cron": "* * * * *", "prompt": "x", "durable": true}
	question := in{"question": "x?", "header": "x", "multiSelect": false, "options": []in{{"label": "a", "description": "a"}, {"label": "b", "description": "b"}}}
	return map[string]in{
		"AskUserQuestion": {"questions": []in{question}},
		"Bash":            {"command": "echo > " + file, "description": "x"},
		"CronCreate":      cron,
		"CronList":        {},
		"Edit":            {"file_path": note, "old_string": "a", "new_string": "b"},
		"EnterPlanMode":   {},
		"EnterWorktree":   {"name": "x"},
		"ExitPlanMode":    {"plan": "x"},
		"Glob":            {"pattern": "*"},
		"Grep":            {"pattern": "x"},
		"ListAgents":      {},
		"LSP":             {"operation": "hover", "filePath": note, "line": 1, "character": 1},
		"Monitor":         {"description": "x", "command": "echo > " + file},
		"MultiEdit":       {"file_path": note, "edits": []in{{"old_string": "a", "new_string": "b"}}},
		"NotebookEdit":    {"notebook_path": book, "cell_id": "c", "new_source": "x"},
		"Read":            {"file_path": w.Root + "/.claude/commands/start.md"},
		"ReportFindings":  {"findings": []in{}},
		"ScheduleWakeup":  {"delaySeconds": 60, "reason": "x", "prompt": "x"},
		"SendMessage":     {"to": "x", "message": "x", "summary": "x"},
		"SlashCommand":    {"command": "/start"},
		"Task":            {"description": "x", "prompt": agentPrefix + "x", "subagent_type": "general-purpose"},
		"TodoWrite":       {"todos": []in{{"content": "x", "status": "pending", "activeForm": "x"}}},
		"ToolSearch":      {"query": "select:CronCreate", "max_results": 1},
		"WebFetch":        {"url": "http://127.0.0.1:1/", "prompt": "x"},
		"WebSearch":       {"query": "xx"},
		"Workflow":        {"script": "export const meta = { name: 'x', description: 'x', phases: [] }\n"},
		"Write":           {"file_path": file, "content": "x"},
	}
}

// refusedFirst are tools that need something which cannot exist before /start (a job,
// a background shell, a worktree, a plan), and that the client therefore refuses before it asks the gate.
var refusedFirst = []string{"BashOutput", "CronDelete", "ExitPlanMode", "ExitWorktree", "KillShell"}

// exempt are the tools that pass without markers (§4.3).
var exempt = []string{"Skill", "TaskCreate", "TaskUpdate", "TaskGet", "TaskList", "TaskStop", "TaskOutput"}

func everyTool(r *Run) {
	w := r.World("w")
	w.UserSettings(r.Wiring())
	s := w.Start(w.Root)
	w.write(w.Root+"/CLAUDE.md", "a\n")
	w.write(w.Root+"/memory/x.ipynb", `{"cells":[{"cell_type":"code","id":"c","metadata":{},"source":"a","outputs":[],"execution_count":null}],"metadata":{"language_info":{"name":"python"}},"nbformat":4,"nbformat_minor":5}`)
	s.Prompt("hello", Step{w.Read("CLAUDE.md"), w.Read("memory/x.ipynb")}) // exempt; what was not read is not edited
	tools := s.offered()
	var all Step
	for _, x := range tools {
		name := x
		if x == "Task" {
			name = s.agentTool() // the list has the older name
		}
		in := w.inputs()[x]
		switch x {
		case "ExitWorktree":
			in = map[string]any{"action": "keep"}
		case "CronDelete":
			in = map[string]any{"id": "x"}
		}
		if !slices.Contains(exempt, x) {
			all = append(all, Call{Name: name, Input: in})
		}
	}
	t := s.Prompt("call", all)
	r.Check("each call has its result", len(t.Results) == len(all), fmt.Sprintf("%d tools offered, %d exempt, %d called, %d results", len(tools), len(tools)-len(all), len(all), len(t.Results)))
	var gated, first []string
	for _, x := range t.Results {
		if blocked(x, s.ID) {
			gated = append(gated, x.Name)
			continue
		}
		first = append(first, x.Name)
		r.Check("not blocked by us, but refused by the client before it asks: "+x.Name, x.IsError && slices.Contains(refusedFirst, x.Name), x.Text)
	}
	r.Check("every other one is blocked", len(gated) == len(all)-len(first) && len(gated) >= 10, strings.Join(gated, " "))
	r.Check("nothing ran", !w.Ran("x"))
}

// offered lists the tools that the client says it has.
func (s *Session) offered() []string {
	for _, l := range s.Out {
		var m struct {
			Subtype string
			Tools   []string
		}
		if json.Unmarshal([]byte(l), &m) == nil && m.Subtype == "init" {
			return m.Tools
		}
	}
	return nil
}

// Another hook that allows the call must not beat ours, whichever ends first.
func otherAllows(r *Run) {
	w := r.World("w")
	s := r.Wiring()
	hooks := s["hooks"].(map[string]any)
	quick, slow := entry("", command("cat >/dev/null; "+allowAnswer)), entry("", command("cat >/dev/null; sleep 1; "+allowAnswer))
	hooks["PreToolUse"] = append(append([]any{quick}, hooks["PreToolUse"].([]any)...), slow)
	w.UserSettings(s)
	c := w.Start(w.Root)
	t := c.Prompt("go", w.Bash("a"))
	r.CheckSince(firmBlock, allowWins, "a hook before ours and one after it say allow: Bash is blocked all the same", blocked(t.Results[0], c.ID) && !w.Ran("a"), t.Results)
	c.Prompt("/start", w.Bash("b"))
	r.Check("/start opens", w.Ran("b"))
}

// otherShows shows a limit: what the model is shown of a Read is the last word of
// another PostToolUse hook, and our own is told of the file alone.
func otherShows(r *Run) {
	w := r.World("w")
	w.UserSettings(r.Wiring().Add("PostToolUse", entry("Read", command(`cat >/dev/null; echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"type":"text","file":{"filePath":"/x","content":"A STUB","numLines":1,"startLine":1,"totalLines":1}}}}'`))))
	r.must(os.Remove(w.hooks() + "/hades-session-load"))
	s := w.Start(w.Root)
	t := s.Prompt("/start", w.ReadRequired(), w.Bash("after"))
	stubs := 0
	for _, x := range t.Results {
		if strings.Contains(x.Text, "A STUB") && !strings.Contains(x.Text, "Commandments") {
			stubs++
		}
	}
	r.Check("LIMIT: the model is shown the stub, the three markers stand and the tool RUNS", stubs == 3 && w.Ran("after"), t.Results, w.Token(s.ID))
	found := w.operate("verify")
	r.Check("verify reports the hook", strings.Contains(found, "FAIL wiring_rewrites"), after(found, "wiring_rewrites"))
}

// ownServer lets the project start the client as a server, which asks no hook for what
// it runs. What the session asks of it is a call of the session's.
func ownServer(r *Run) {
	w := r.World("w")
	s := r.Wiring()
	s["enableAllProjectMcpServers"] = true
	w.UserSettings(s)
	cmd := r.client.Command("mcp", "serve")
	w.write(w.Root+"/.mcp.json", Settings{"mcpServers": map[string]any{"own": map[string]any{"command": cmd.Path, "args": cmd.Args[1:]}}}.JSON())
	session := w.Start(w.Root)
	call := func(effect string) Step {
		return Step{{Name: "mcp__own__Write", Input: w.Write(effect)[0].Input}, {Name: "mcp__own__Bash", Input: w.bashCall(effect + "2").Input}}
	}
	t := session.Prompt("go", call("before"))
	for range 20 { // the client may still be connecting
		if !strings.Contains(t.Results[0].Text, "No such tool") {
			break
		}
		t = session.Prompt("go", call("before"))
	}
	r.Check("its tools are offered, and both calls are blocked", len(t.Results) == 2 && blocked(t.Results[0], session.ID) && blocked(t.Results[1], session.ID) && !w.Ran("before") && !w.Ran("before2"), t.Results)
	t = session.Prompt("/start", call("after"))
	r.Check("after /start they run", w.Ran("after") || w.Ran("after2"), t.Results)
}
