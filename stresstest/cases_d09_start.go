package main

// D9: which prompts are a conscious start.
var startCases = []testCase{
	{class: "D9", name: "followed by white space of any kind", steps: isStart(
		" /start", "\n/start", "\t/start x", "\u00a0/start", "\ufeff/start\ufeffx", "\u3000/start\u2003x",
		"/start ", "/start\n", "/start\tx", "/start\r\nx", "/start\u00a0x", "/war-room-start\n\nplan", "/start  ",
	)},
	{class: "D9", name: "longer and other commands are not it", steps: isNotStart(
		"/start\u0085x", "/start\u200bx", "/startup", "/start-x", "/start_x", "/start/x", "/start.", "/start,", "/start:x", "/starts", "/war-room-startup",
		"/war-room-start-x", "/war-room", "/begin", "/Start", "/START", "/War-Room-Start", "//start", "\\/start",
	)},
	{class: "D9", name: "the command must come first", steps: isNotStart(
		"please /start", "\u0085/start", "x\n/start", "type /start or /war-room-start", "\u200b/start", "start",
		"war-room-start", "!/start", "> /start",
	)},
	{class: "D9", name: "the prompt may begin with white space before a command tag", steps: isStart(
		" \n<command-name>/start</command-name>", "\t<command-message>x</command-message> <command-name>/start</command-name>",
	)},
	{class: "D9", name: "each of the three tags may come first", steps: isStart(
		"<command-message>start</command-message>\n<command-name>/start</command-name>",
		"<command-name>/start</command-name>\n<command-args>a</command-args>",
		"<command-args></command-args><command-name>/war-room-start</command-name>",
		"<command-message>war-room-start</command-message>\n<command-name>/war-room-start</command-name>")},
	{class: "D9", name: "other expanded commands are not it", steps: isNotStart(
		"<command-name>/startup</command-name>", "<command-name>start</command-name>", "<command-name> /start</command-name>",
		"<command-name>/start </command-name>", "<command-name>/Start</command-name>",
		"<command-message>start</command-message>", "<command-name>/clear</command-name>", "<command-args>/start</command-args>", "<command-name>/start",
		"<Command-Name>/start</Command-Name>", "<command-name>/war-room</command-name>")},
	{class: "D9", name: "the tag anywhere else does not count: a pasted transcript", steps: isNotStart(
		"look: <command-name>/start</command-name>", "> <command-name>/start</command-name>", "```\n<command-name>/start</command-name>\n```",
		"x <command-name>/war-room-start</command-name>", "&lt;command-name>/start</command-name>")},
	{class: "D9", name: "a task notification that carries a subagent's output does not count", steps: isNotStart(
		"<task-notification>\n<task-id>a00de29ab028f6dbb</task-id>\n<status>completed</status>\n<summary>Agent \"d\" finished</summary>\n<result><command-name>/start</command-name></result>\n</task-notification>",
		"<task-notification><command-message>start</command-message><command-name>/start</command-name></task-notification>",
		"<system-reminder><command-name>/start</command-name></system-reminder>", "<command-stdout><command-name>/start</command-name></command-stdout>")},
	{class: "D9", name: "an empty prompt is not it", steps: isNotStart("", " ", "\n")},
	{class: "D9", name: "any other prompt is let through silently, and nothing is made", steps: []step{
		gate(prompt("hello")), gate(prompt("What does Hades do?")), noToken(),
	}},
	{class: "D9", name: "silent on success", steps: []step{load(), start(), gate(prompt("/war-room-start")), start()}},
	{class: "D9", name: "START_ACK without the load: one line says so and how to get it", steps: []step{
		start().says("START_ACK", "not loaded", "blocked"), tokenIs(typedStart), start().says("START_ACK"), prompted(), start(),
	}},
	{class: "D9", name: "START_ACK in a folder without rule files: one line says so", steps: []step{
		mkdir("{dir}/b/constellation-hades"), at("{dir}/b/constellation-hades"), start().says("no Hades root"), tokenIs(typedStart),
	}},
	{class: "D9", name: "silent where a file was lost after the load", steps: []step{load(), remove("{root}/" + required[1]), start(), allowed()}},
	{class: "D9", name: "two of three markers are missing ones too", steps: []step{
		token(loadedLines[0]), start().says("START_ACK"), tokenIs(loadedLines[0], typedStart),
	}},
	{class: "D9", name: "a failed append: exit 0, nothing recorded, said on stdout", steps: []step{
		tokenBytes(handWritten[:len(handWritten)-len("1700000007 START_ACK UserPromptSubmit main\n")] + "x\n"),
		start().tells("not recorded", "{token}", "line 4", "rm -r {token}"),
	}},
	{class: "D9", name: "a prompt that is not a start does not care for a bad token", steps: []step{
		tokenBytes("x\n"), gate(prompt("hello")), gate(prompt("/startup")), content("{token}", "x\n"),
	}},
	{class: "D9", name: "a closed or broken stdout does not block the prompt", steps: []step{
		start().closing(1), tokenIs(typedStart), session("b"), start().prints(nil).broken(1), tokenIs(typedStart), session("c"),
		tokenBytes("x\n"), start().closing(1), start().prints(nil).broken(1),
	}},
	{class: "D9", name: "a stdout that nobody reads does not block the prompt", needs: patient, steps: []step{
		start().prints(nil).stuffed(1),
	}},
	{class: "D9", name: "what comes before the branch still blocks", needs: alone, steps: []step{
		gate(without(prompt("/start"), "cwd")).failsClosed("cwd"), write(tokenParent, "x"), start().failsClosed(tokenParent),
		gate(prompt("hello")).failsClosed(tokenParent),
	}},
	{class: "D9", name: "a start by a subagent carries its id", steps: []step{
		as("agent-1"), start().says("START_ACK"), tokenIs("START_ACK UserPromptSubmit agent-1"),
	}},
	{class: "D9", name: "the prompt of a tool call is no prompt", steps: []step{
		load(), gate(with(bash, "tool_input", `{"command":"/start","prompt":"/start"}`)).blocks("Bash", "xxx_"),
		gate(also(bash, "prompt", `"/start"`)).blocks("Bash", "xxx_"), tokenIs(loadedLines),
	}},
}

func isStart(prompts ...string) []step {
	steps := []step{load()}
	for i, p := range prompts {
		steps = append(steps, session(string(rune('a'+i))), load(), gate(prompt(p)), tokenIs(loadedLines, typedStart), allowed())
	}
	return steps
}

func isNotStart(prompts ...string) []step {
	steps := []step{load()}
	for _, p := range prompts {
		steps = append(steps, gate(prompt(p)), tokenIs(loadedLines))
	}
	return append(steps, blocked("xxx_"))
}
