package main

import (
	"fmt"
	"strings"

	"moirai/stresstest/realclient"
)

// Rows about the programs that start the client for a person: the Agent SDK, an ACP adapter, an IDE.
var entryRows = []Row{
	{Name: "SDK: block, rules, /start", Play: sdkStart, Since: realclient.Pinned, Why: notTried, Driver: agentSDK},
	{Name: "SDK: options against user settings and against the managed drop-in", Play: sdkOptions, Since: realclient.Pinned, Why: notTried, Driver: agentSDK, Alone: true},
	{Name: "SDK: canUseTool, its hooks and allowedTools say yes", Play: sdkAllows, Since: realclient.Pinned, Why: notTried, Driver: agentSDK},
	{Name: "SDK: a tool of its own with an exempt name", Play: sdkNames, Since: realclient.Pinned, Why: notTried, Driver: agentSDK},
	{Name: "ACP adapter: block, rules, /start", Play: acpStart, Since: realclient.Pinned, Why: notTried, Driver: acpAdapter},
}

const notTried = "the drivers are of the newest client"

// started plays what each entry point must give: a block, the rules in the request, the opening by /start.
func (r *Run) started(w *World, id func() string, prompt func(text string, steps ...Step) *Turn) {
	t := prompt("go", w.Bash("before"), w.Write("before2"))
	r.Check("the rules are in the first request, byte for byte", delivered(t.Requests[0]) == r.contents(), banners(t.Requests[0]))
	r.Check("both calls are blocked", len(t.Results) == 2 && blocked(t.Results[0], id()) && blocked(t.Results[1], id()) && !w.Ran("before") && !w.Ran("before2"), t.Results)
	t = prompt("please /start", w.Bash("please"))
	r.Check("/start in the middle of a prompt opens nothing", len(t.Results) == 1 && blocked(t.Results[0], id()) && !w.Ran("please") && w.Markers(id()) == loaded, t.Results)
	t = prompt("/start", w.Bash("after"), w.Write("after2"))
	r.Check("/start opens", w.Ran("after") && w.Ran("after2") && strings.HasSuffix(w.Token(id()), " START_ACK UserPromptSubmit main\n"), t.Results, w.Token(id()))
}

// playStarted is started in a session that takes prompts as the client does.
func (r *Run) playStarted(w *World, s *Session) {
	r.started(w, func() string { return s.ID }, func(text string, steps ...Step) *Turn { return s.Prompt(text, steps...) })
}

func sdkStart(r *Run) {
	w := r.World("w")
	w.UserSettings(r.Wiring())
	r.playStarted(w, w.StartSDK(w.Root, `{}`))
}

func sdkOptions(r *Run) {
	wirings := []struct {
		name string
		wire func(w *World)
	}{
		{"user settings", func(w *World) { w.UserSettings(r.Wiring()) }},
		{"managed", func(w *World) { w.ManagedSettings(r.ManagedWiring()) }},
	}
	options := []struct {
		text  string
		opens bool // against user settings
	}{
		{`{ settingSources: ["user", "project", "local"] }`, false},
		{`{ settingSources: [] }`, true},
		{`{ settingSources: ["project"] }`, true},
		{`{ settingSources: ["local"] }`, true},
		{`{ managedSettings: { disableAllHooks: true } }`, true},
		{`{ managedSettings: { allowManagedHooksOnly: true } }`, true},
		{`{ managedSettings: { strictPluginOnlyCustomization: ["hooks"] } }`, true},
	}
	type outcome struct {
		ran, started bool
		turn         *Turn
	}
	var worlds []*World
	for i := range len(wirings) * len(options) {
		worlds = append(worlds, r.World(fmt.Sprint(i)))
	}
	seen := make([]outcome, len(worlds))
	r.atOnce(len(worlds), func(i int) {
		w, x := worlds[i], options[i%len(options)]
		defer w.close()
		wirings[i/len(options)].wire(w)
		s := w.StartSDK(w.Root, x.text)
		t := s.Prompt("go", Step{w.Write("x")[0], w.bashCall("y")})
		ran := w.Ran("x") || w.Ran("y")
		s.Prompt("/start", w.Write("z"))
		seen[i] = outcome{ran, w.Ran("z"), t}
	})
	for i, o := range seen {
		x, wiring := options[i%len(options)], wirings[i/len(options)].name
		if wiring == "user settings" && x.opens {
			r.Check("LIMIT: "+wiring+", "+x.text+": a tool RUNS, never started", o.ran, o.turn.Results)
			continue
		}
		safe := len(o.turn.Results) == 2
		for _, y := range o.turn.Results {
			safe = safe && y.IsError
		}
		r.Check(wiring+", "+x.text+": nothing runs, and /start opens", !o.ran && safe && o.started, o.turn.Results)
	}
}

// sdkAllows lets each thing of the SDK that can say yes say it.
func sdkAllows(r *Run) {
	yes := `{ permissionMode: "default", allowedTools: ["Bash", "Write"],
	canUseTool: async (name, input) => { say({ asked: name }); return { behavior: "allow", updatedInput: input }; },
	hooks: Object.fromEntries(["PreToolUse", "PermissionRequest", "PermissionDenied", "PostToolUseFailure"].map((event) => [event, [{ hooks: [async () => {
		say({ hooked: event });
		return { decision: "approve", continue: true, hookSpecificOutput: event == "PreToolUse" ? { hookEventName: event, permissionDecision: "allow" } : { hookEventName: event, decision: { behavior: "allow" } } };
	}] }]])) }`
	w := r.World("w")
	w.UserSettings(r.Wiring())
	s := w.StartSDK(w.Root, yes)
	r.playStarted(w, s)
	r.Check("the SDK's hook was asked beside ours", strings.Contains(strings.Join(s.Out, "\n"), `{"hooked":"PreToolUse"}`), s.Out)
	w.close()

	w = r.World("asked")
	w.UserSettings(r.Wiring())
	s = w.StartSDK(w.Root, strings.Replace(yes, `allowedTools: ["Bash", "Write"],`, "", 1))
	r.playStarted(w, s)
	w.close()
}

// sdkNames gives tools of the SDK's own server names that are exempt, and the model calls them.
func sdkNames(r *Run) {
	names := []string{"TaskCreate", "Skill", "Read"}
	input := map[string]any{"subject": "x", "skill": "start"}
	for _, x := range []struct {
		name string
		env  string
		set  func(w *World)
	}{
		{"the variable in the environment", "1", func(*World) {}},
		{"the variable in a project's env", "0", project("settings.json", `{"env":{"CLAUDE_AGENT_SDK_MCP_NO_PREFIX":"1"}}`)},
	} {
		w := r.World(fmt.Sprint(len(r.worlds)))
		x.set(w)
		seen := w.Dir + "/payloads"
		w.UserSettings(r.Wiring().Add("PreToolUse", entry("", record(seen))))
		s := w.StartSDK(w.Root, fmt.Sprintf(`{
	tools: ["Bash", "Write"], env: { ...process.env, CLAUDE_AGENT_SDK_MCP_NO_PREFIX: %q },
	mcpServers: { own: createSdkMcpServer({ name: "own", version: "1", alwaysLoad: true, tools: ["TaskCreate", "Skill", "Read"].map((name) => tool(name, "Does it.",
		{ subject: z.string().optional(), skill: z.string().optional(), file_path: z.string().optional() }, async () => {
			writeFileSync(%q + "/" + name, "ran");
			return { content: [{ type: "text", text: "done" }] };
		})) }) } }`, x.env, w.effects))
		t := s.Prompt("go", Step{{Name: "TaskCreate", Input: input}, {Name: "Skill", Input: input}, {Name: "Read", Input: w.Read("CONTEXT.md").Input}}, w.Bash("after"))
		all := len(t.Results) == len(names)+1
		for i, y := range t.Results {
			all = all && blocked(y, s.ID)
			if i < len(names) {
				all = all && !w.Ran(names[i])
			}
		}
		r.Check(x.name+": all are blocked and none runs, Bash neither", all && !w.Ran("after"), t.Results)
		r.Check(x.name+": they earn nothing", w.Markers(s.ID) == loaded, w.Token(s.ID))
		marked := 0
		for _, p := range recorded(seen) {
			if strings.Contains(p.Raw, `"mcp_server":{"name":"own","source":"sdk"}`) {
				marked++
			}
		}
		r.Check(x.name+": their payloads name the server, and that of Bash does not", marked == len(names), recorded(seen))
		s.Prompt("/start", Step{{Name: "TaskCreate", Input: input}})
		r.Check(x.name+": after /start they run", w.Ran("TaskCreate"))
		w.close()
	}
}

func acpStart(r *Run) {
	w := r.World("w")
	w.UserSettings(r.Wiring())
	a := w.StartACP(w.Root)
	r.started(w, func() string { return a.ID }, a.Prompt)
	r.Check("the editor was asked, and said yes", a.agreed > 0, a.Out)
}
