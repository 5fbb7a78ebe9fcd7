package main

import (
	"os"
	"slices"
	"strings"
)

// An event is one that the newest client knows. Stops plays what the event announces in
// a world where its hook ends with 2, and tells whether that happened all the same.
type event struct {
	name  string
	about string // what it announces, if that runs or brings in something
	stops func(w *World) (happened bool)

	relied bool // the product stands on it
}

// refusing is a settings file with one hook, which ends with 2.
func refusing(event string) Settings {
	return Settings{}.Add(event, entry("", command("cat >/dev/null; echo refused >&2; exit 2")))
}

// events are all of the pinned client, in the order of its own list.
var events = []event{
	{"PreToolUse", "a call of the model", func(w *World) bool {
		w.Start(w.Root).Prompt("go", w.Bash("x"))
		return w.Ran("x")
	}, true},
	{name: "PostToolUse"}, {name: "PostToolUseFailure"}, {name: "PostToolBatch"}, {name: "Notification"},
	{"UserPromptSubmit", "a prompt", func(w *World) bool {
		return len(w.Start(w.Root).Prompt("a prompt").Requests) > 0
	}, true},
	{"UserPromptExpansion", "the text of a typed command", func(w *World) bool {
		return w.broughtIn("/other", "Say other.")
	}, false},
	{"SessionStart", "the session", func(w *World) bool {
		w.Start(w.Root).Prompt("go", w.Bash("x"))
		return w.Ran("x")
	}, false},
	{name: "SessionEnd"}, {name: "Stop"}, {name: "StopFailure"}, {name: "SubagentStart"}, {name: "SubagentStop"},
	{"PreCompact", "a compaction", func(w *World) bool {
		s := w.Start(w.Root)
		s.talk()
		return summaries(s.Prompt("/compact")) > 0
	}, true},
	{name: "PostCompact"}, {name: "PreModelSwitch"}, {name: "PostModelSwitch"}, {name: "PermissionRequest"}, {name: "PermissionDenied"},
	{name: "Setup"}, {name: "TeammateIdle"}, {name: "TaskCreated"}, {name: "TaskCompleted"}, {name: "Elicitation"}, {name: "ElicitationResult"},
	{name: "ConfigChange"}, {name: "WorktreeCreate"}, {name: "WorktreeRemove"},
	{"InstructionsLoaded", "a memory file", func(w *World) bool {
		w.write(w.Root+"/CLAUDE.md", "BROUGHT-BY-MEMORY\n")
		return w.broughtIn("go", "BROUGHT-BY-MEMORY")
	}, false},
	{"CwdChanged", "a cd", func(w *World) bool {
		w.Start(w.Dir).Prompt("go", w.Cd(w.Root), Step{{Name: "Bash", Input: map[string]any{"command": "pwd > " + w.effects + "/pwd", "description": "x"}}})
		b, _ := os.ReadFile(w.effects + "/pwd")
		return strings.TrimSpace(string(b)) == w.Root
	}, false},
	{name: "FileChanged"}, {name: "DirectoryAdded"},
	{"MessageDisplay", "what the model says", func(w *World) bool {
		return w.Start(w.Root).Prompt("go").Final == "done"
	}, false},
	{"PreSkillShellCommand", "shell code of a skill or typed command", func(w *World) bool {
		w.write(w.Root+"/.claude/commands/coded.md", "---\nallowed-tools: Bash\n---\nSaid: !`echo ran > "+w.effects+"/coded`\n")
		w.Start(w.Root).Prompt("/coded")
		return w.Ran("coded")
	}, true},
}

// broughtIn tells whether a text is in the request that a prompt leads to.
func (w *World) broughtIn(prompt, text string) bool {
	t := w.Start(w.Root).Prompt(prompt)
	return len(t.Requests) > 0 && strings.Contains(t.Requests[0].Text(), text)
}

func eventFacts(r *Run) {
	w := r.World("story")
	log := w.Dir + "/log"
	s := Settings{}
	for _, e := range events {
		s = s.Add(e.name, entry("", record(log)))
	}
	w.UserSettings(s)
	w.eventStory(s)
	all := recorded(log)
	firstCall := slices.IndexFunc(all, func(p payload) bool { return p.Event == "PreToolUse" })
	for _, e := range events {
		value := firing(all, firstCall, e.name)
		var relied []string
		if e.stops != nil {
			w := r.World(e.name)
			w.UserSettings(refusing(e.name))
			fires := value
			value += "; exit 2: " + e.about + yes(e.stops(w), " all the same", " does not come")
			if e.relied {
				relied = []string{fires + "; exit 2: " + e.about + " does not come"}
			}
			w.close()
		}
		r.Fact(e.name, value, relied...)
	}
	// A file that a prompt names comes without any event of its own.
	w = r.World("at")
	log = w.Dir + "/log"
	w.UserSettings(everyEvent(log))
	w.write(w.Root+"/named.txt", "NAMED-BY-THE-PROMPT\n")
	came := w.broughtIn("look at @named.txt", "NAMED-BY-THE-PROMPT")
	asked := slices.ContainsFunc(recorded(log), func(p payload) bool { return p.Event == "PreToolUse" })
	r.Fact("a file that the prompt names with @", yes(came, "comes", "does not come")+yes(asked, ", PreToolUse fires", ", no PreToolUse fires"))
}

// firing tells how often an event fired, and whether before the first call.
func firing(all []payload, firstCall int, name string) string {
	n, before := 0, 0
	for i, p := range all {
		if p.Event != name {
			continue
		}
		n++
		if i < firstCall {
			before++
		}
	}
	switch {
	case n == 0:
		return "not in this story"
	case before > 0:
		return "fires, before the first call too"
	}
	return "fires"
}

// eventStory is a session that does a little of everything.
func (w *World) eventStory(settings Settings) {
	w.write(w.Root+"/CLAUDE.md", "rules\n")
	w.write(w.Root+"/.claude/commands/coded.md", "---\nallowed-tools: Bash\n---\nSaid: !`true`\n")
	s := w.Start(w.Root)
	s.Prompt("/coded")
	s.Model.ScriptAgent("x", Step{{Name: "Bash", Input: map[string]any{"command": "true", "description": "x"}}})
	s.Prompt("go", w.Bash("a"), Step{w.Read("nothing-there.md")}, w.Cd(w.Outside), w.Cd(w.Root),
		Step{{Name: s.agentTool(), Input: map[string]any{"description": "x", "prompt": agentPrefix + "x", "subagent_type": "general-purpose", "run_in_background": false}}})
	s.Prompt("/model claude-sonnet-5-5")
	s.Prompt("/add-dir " + w.Outside)
	w.UserSettings(settings.Add("PostToolUse", entry("", command("true"))))
	s.talk()
	s.Prompt("/compact")
	s.End(turnLimit)
}
