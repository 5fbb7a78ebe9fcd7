package main

// D10: which Skill calls are one.
var skillCases = []testCase{
	{class: "D10", name: "exactly start and war-room-start", steps: []step{
		load(), gate(skill("start")), tokenIs(loadedLines, skillStart), session("b"), gate(skill("war-room-start")), tokenIs(skillStart),
	}},
	{class: "D10", name: "with args", steps: []step{
		load(), gate(with(skill("x"), "tool_input", `{"args":"now","skill":"start"}`)), tokenIs(loadedLines, skillStart),
	}},
	{class: "D10", name: "every other Skill call passes and records nothing", steps: otherSkills(
		"/start", "Start", "START", " start", "start ", "start\n", "startup", "start-x", "plugin:start", "war-room", "/war-room-start",
		"War-Room-Start", "",
	)},
	{class: "D10", name: "a Skill without a name passes and records nothing", steps: []step{
		load(), gate(with(skill("x"), "tool_input", "{}")), gate(without(skill("x"), "tool_input")),
		gate(with(skill("x"), "tool_input", `{"name":"start"}`)), gate(with(skill("x"), "tool_input", `{"command":"start"}`)),
		tokenIs(loadedLines),
	}},
	{class: "D10", name: "the tool must be Skill, exactly", steps: []step{
		load(), gate(with(skill("start"), "tool_name", `"skill"`)).blocks("skill", "xxx_"),
		gate(with(skill("start"), "tool_name", `"SKILL"`)).blocks("SKILL", "xxx_"),
		gate(with(skill("start"), "tool_name", `"SlashCommand"`)).blocks("SlashCommand", "xxx_"), tokenIs(loadedLines),
	}},
	{class: "D10", name: "a failed append blocks the call", steps: []step{
		tokenBytes("x\n"), gate(skill("start")).failsClosed("{token}", "line 1"), gate(skill("other")),
	}},
	{class: "D10", name: "PostToolUse of the Skill records nothing", steps: []step{
		load(), gate(with(skill("start"), "hook_event_name", `"PostToolUse"`)), tokenIs(loadedLines),
	}},
	{class: "D10", name: "without the load it passes silently and the next call says what is missing", steps: []step{
		gate(skill("start")), tokenIs(skillStart), blocked("___x"),
	}},
}

func otherSkills(names ...string) []step {
	steps := []step{load()}
	for _, n := range names {
		steps = append(steps, gate(skill(n)), tokenIs(loadedLines))
	}
	return append(steps, blocked("xxx_"))
}
