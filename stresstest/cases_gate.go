package main

// The seventeen gate classes of §5.1.
var gateCases = []testCase{
	{class: "gate/Happy path", name: "4 markers set, Bash allowed", steps: []step{
		load(), start(), allowed(), tokenIs(loadedLines, typedStart),
	}},
	{class: "gate/Happy path", name: "every gated tool allowed", steps: []step{
		load(), start(), gate(tool("Write")), gate(tool("Edit")), gate(tool("WebFetch")), gate(tool("mcp__vault__get")),
		gate(subagent), gate(read("/etc/passwd")), gate(tool("Glob")), gate(tool("SlashCommand")),
		tokenIs(loadedLines, typedStart),
	}},
	{class: "gate/Happy path", name: "from a sub-folder and from a worktree", steps: []step{
		load(), start(), mkdir("{root}/.claude/worktrees/one"), at("{root}/.claude/worktrees/one"), allowed(), at("{root}/docs"), allowed(),
	}},
	{class: "gate/Happy path", name: "an allowed call writes nothing", steps: []step{
		tokenBytes(handWritten), allowed(), content("{token}", handWritten),
	}},

	{class: "gate/Partial state", name: "3/4 (no START_ACK): Bash blocked, 3 [x] and 1 [ ]", steps: []step{
		load(), blocked("xxx_"), tokenIs(loadedLines),
	}},
	{class: "gate/Partial state", name: "no token at all", steps: []step{blocked("____", "no token"), noToken()}},
	{class: "gate/Partial state", name: "START_ACK alone", steps: []step{
		start().says("START_ACK"), blocked("___x"), tokenIs(typedStart),
	}},
	{class: "gate/Partial state", name: "COMMANDMENTS_ACK missing", steps: []step{
		token(loadedLines[1], loadedLines[2], typedStart), blocked("_xxx", "{root}/"+required[0]),
	}},
	{class: "gate/Partial state", name: "SCOPE_ACK missing", steps: []step{
		token(loadedLines[0], loadedLines[2], typedStart), blocked("x_xx", "{root}/"+required[1]),
	}},
	{class: "gate/Partial state", name: "CONTEXT_ACK missing", steps: []step{
		token(loadedLines[0], loadedLines[1], typedStart), blocked("xx_x", "{root}/"+required[2]),
	}},
	{class: "gate/Partial state", name: "one marker of four", steps: []step{
		token(loadedLines[1]), blocked("_x__"),
	}},
	{class: "gate/Partial state", name: "the same marker four times is one marker", steps: []step{
		token(loadedLines[1], loadedLines[1], loadedLines[1], loadedLines[1]), blocked("_x__"),
	}},
	{class: "gate/Partial state", name: "every gated tool is blocked", steps: []step{
		load(), blockedTool("Write"), blockedTool("Edit"), blockedTool("MultiEdit"), blockedTool("NotebookEdit"), blockedTool("WebFetch"),
		blockedTool("WebSearch"), blockedTool("Glob"), blockedTool("Grep"), blockedTool("LS"), blockedTool("Task"), blockedTool("Agent"),
		blockedTool("SlashCommand"), blockedTool("TodoWrite"), blockedTool("ExitPlanMode"), blockedTool("BashOutput"), blockedTool("KillShell"),
		blockedTool("mcp__vault__get"), blockedTool("AToolOfTomorrow"), tokenIs(loadedLines),
	}},
	{class: "gate/Partial state", name: "a blocked call writes nothing", steps: []step{blocked("____"), noToken()}},

	{class: "gate//start UserPromptSubmit", name: "prompt /start: START_ACK written, exit 0, silent", steps: []step{
		load(), start(), tokenIs(loadedLines, typedStart), allowed(),
	}},
	{class: "gate//start UserPromptSubmit", name: "/start with words after it", steps: []step{
		load(), gate(prompt("/start the day with care")), tokenIs(loadedLines, typedStart),
	}},
	{class: "gate//war-room-start UserPromptSubmit", name: "prompt /war-room-start: START_ACK written, exit 0, silent", steps: []step{
		load(), gate(prompt("/war-room-start")), tokenIs(loadedLines, typedStart), allowed(),
	}},
	{class: "gate//war-room-start UserPromptSubmit", name: "/war-room-start with words after it", steps: []step{
		load(), gate(prompt("/war-room-start now")), tokenIs(loadedLines, typedStart),
	}},
	{class: "gate/Expanded slash command", name: "<command-name>/start</command-name>: START_ACK", steps: []step{
		load(), gate(prompt("<command-name>/start</command-name>")), tokenIs(loadedLines, typedStart),
	}},
	{class: "gate/Expanded slash command", name: "<command-name>/war-room-start</command-name>: START_ACK", steps: []step{
		load(), gate(prompt("<command-name>/war-room-start</command-name>")), tokenIs(loadedLines, typedStart),
	}},
	{class: "gate/Expanded slash command", name: "as the client expands it, message first", steps: []step{
		load(),
		gate(prompt("<command-message>start is running…</command-message>\n<command-name>/start</command-name>\n<command-args></command-args>")),
		tokenIs(loadedLines, typedStart),
	}},
	{class: "gate/Skill start backup path", name: "PreToolUse Skill start: START_ACK", steps: []step{
		load(), gate(skill("start")), tokenIs(loadedLines, skillStart), allowed(),
	}},
	{class: "gate/Skill war-room-start backup", name: "PreToolUse Skill war-room-start: START_ACK", steps: []step{
		load(), gate(skill("war-room-start")), tokenIs(loadedLines, skillStart), allowed(),
	}},

	{class: "gate/Scope check", name: "cwd outside Hades: Bash allowed, silent, nothing written", steps: []step{
		mkdir("{dir}/elsewhere"), at("{dir}/elsewhere"), gate(bash), noToken(),
	}},
	{class: "gate/Scope check", name: "/start outside Hades records nothing", steps: []step{
		at("{dir}"), start(), gate(skill("start")), noToken(),
	}},
	{class: "gate/Scope check", name: "a Read shown outside Hades records nothing", steps: []step{
		at("{dir}"), gate(shown(0)), noToken(),
	}},
	{class: "gate/Scope check", name: "out of scope not even the directory is made", needs: alone, steps: []step{
		at("{dir}"), gate(bash), start(), gate(compact("auto")), absent(tokenParent),
	}},
	{class: "gate/Scope check", name: "a broken token directory is no matter out of scope", needs: alone, steps: []step{
		write(tokenParent, "a file"), at("{dir}"), gate(bash), start(), gate(compact("auto")),
	}},

	{class: "gate/Malformed input", name: "empty stdin: exit 2", steps: []step{gate(raw("")).failsClosed("stdin", "it ends after 0 bytes")}},
	{class: "gate/Malformed input", name: "white space only", steps: []step{gate(raw(" \n\t ")).failsClosed("stdin", "it ends after 4 bytes")}},
	{class: "gate/Malformed input", name: "cut short", steps: []step{gate(raw(`{"session_id":"{session}","cwd":"{root}`)).failsClosed("stdin")}},
	{class: "gate/Malformed input", name: "no JSON", steps: []step{gate(raw("start")).failsClosed("stdin")}},
	{class: "gate/Malformed input", name: "empty stdin to the loader: exit 2", steps: []step{loader(raw("")).failsClosed("stdin"), unmarked()}},
	{class: "gate/Malformed input", name: "cut short to the loader", steps: []step{loader(raw(`{"cwd":`)).failsClosed("stdin"), unmarked()}},

	{class: "gate/Exempt tool", name: "Skill (not start) always allowed, records nothing", steps: []step{
		gate(skill("brainstorm")), gate(skill("start-x")), noToken(),
	}},
	{class: "gate/Exempt tool", name: "Skill allowed with markers missing", steps: []step{
		load(), gate(skill("brainstorm")), tokenIs(loadedLines),
	}},
	{class: "gate/Exempt Read", name: "MEMORY.md allowed without marker", steps: []step{
		gate(read("/home/operator/.claude/MEMORY.md")), gate(read("{root}/MEMORY.md")), noToken(),
	}},
	{class: "gate/Exempt Read", name: "CLAUDE.md allowed without marker", steps: []step{
		gate(read("{root}/CLAUDE.md")), gate(read("/home/operator/.claude/CLAUDE.md")), noToken(),
	}},
	{class: "gate/Exempt Read", name: "any path with /memory/ allowed without marker", steps: []step{
		gate(read("/home/operator/.claude/projects/x/memory/notes.md")), noToken(),
	}},
	{class: "gate/Exempt Task tool", name: "TaskCreate allowed pre-markers", steps: []step{gate(tool("TaskCreate")), noToken()}},
	{class: "gate/Exempt Task tool", name: "TaskUpdate allowed pre-markers", steps: []step{gate(tool("TaskUpdate")), noToken()}},
	{class: "gate/Exempt Task tool", name: "TaskGet allowed pre-markers", steps: []step{gate(tool("TaskGet")), noToken()}},
	{class: "gate/Exempt Task tool", name: "TaskList allowed pre-markers", steps: []step{gate(tool("TaskList")), noToken()}},
	{class: "gate/Exempt Task tool", name: "TaskStop allowed pre-markers", steps: []step{gate(tool("TaskStop")), noToken()}},
	{class: "gate/Exempt Task tool", name: "TaskOutput allowed pre-markers", steps: []step{gate(tool("TaskOutput")), noToken()}},

	{class: "gate/Cross-session isolation", name: "session A's token does not unlock session B", steps: []step{
		load(), start(), allowed(), session("-B"), blocked("____", "no token"), noToken(),
	}},
	{class: "gate/Cross-session isolation", name: "nor a session whose id begins with A's", steps: []step{
		load(), start(), session("0"), blocked("____"), session("."), blocked("____"),
	}},
	{class: "gate/Cross-session isolation", name: "B's compaction does not void A", steps: []step{
		load(), start(), session("-B"), load(), gate(compact("auto")), session(""), allowed(), tokenIs(loadedLines, typedStart),
	}},
	{class: "gate/Cross-session isolation", name: "session ids differ in case", steps: []step{
		fixture(func(s *scene) error { s.id += "-Case"; s.session.ID = s.id; return nil }), load(), start(),
		fixture(func(s *scene) error { s.session.ID = s.id[:len(s.id)-4] + "cASE"; return nil }),
		differentCase{},
	}},

	{class: "gate/Missing session_id", name: "PreToolUse: exit 2", steps: []step{gate(without(bash, "session_id")).failsClosed("session_id")}},
	{class: "gate/Missing session_id", name: "UserPromptSubmit: exit 2", steps: []step{
		gate(without(prompt("/start"), "session_id")).failsClosed("session_id"),
	}},
	{class: "gate/Missing session_id", name: "an exempt tool too", steps: []step{
		gate(without(tool("TaskList"), "session_id")).failsClosed("session_id"),
	}},
	{class: "gate/Missing session_id", name: "the loader: exit 2, no output", steps: []step{
		loader(without(startup, "session_id")).failsClosed("session_id"),
	}},

	{class: "gate/Unwritable token dir", name: "PreToolUse: exit 2", needs: alone | modeBits, steps: []step{
		token(lines(loadedLines, typedStart)...), chmod(tokenDir, 0o500), gate(bash).failsClosed(tokenDir+" ", "chmod 700 "+tokenDir),
	}},
	{class: "gate/Unwritable token dir", name: "UserPromptSubmit: exit 2", needs: alone | modeBits, steps: []step{
		makeTokenDir(), chmod(tokenDir, 0o500), start().failsClosed(tokenDir+" ", "chmod 700 "+tokenDir),
		gate(prompt("hello")).failsClosed(tokenDir),
	}},
	{class: "gate/Unwritable token dir", name: "exempt tools: exit 2", needs: alone | modeBits, steps: []step{
		makeTokenDir(), chmod(tokenDir, 0o500), gate(tool("TaskList")).failsClosed(tokenDir), gate(skill("start")).failsClosed(tokenDir),
	}},
	{class: "gate/Unwritable token dir", name: "repaired by the command in the message", needs: alone | modeBits, steps: []step{
		load(), start(), chmod(tokenDir, 0o500), gate(bash).failsClosed("chmod 700 " + tokenDir), chmod(tokenDir, 0o700), allowed(),
	}},

	{class: "gate/Idempotent marker", name: "/start typed twice: still one START_ACK", steps: []step{
		load(), start(), start(), tokenIs(loadedLines, typedStart),
	}},
	{class: "gate/Idempotent marker", name: "/start, /war-room-start and both Skills: still one START_ACK", steps: []step{
		load(), gate(prompt("/war-room-start")), start(), gate(skill("start")), gate(skill("war-room-start")), tokenIs(loadedLines, typedStart),
	}},
	{class: "gate/Idempotent marker", name: "Skill start twice, the second by a subagent", steps: []step{
		load(), gate(skill("start")), as("agent-2"), gate(skill("start")), tokenIs(loadedLines, skillStart),
	}},

	{class: "gate/Stress concurrency", name: "10 parallel PreToolUse, open: all allowed", needs: crowd, steps: []step{
		load(), start(), times(10, allowed()), tokenIs(loadedLines, typedStart),
	}},
	{class: "gate/Stress concurrency", name: "10 parallel PreToolUse, closed: all blocked", needs: crowd, steps: []step{
		load(), times(10, blocked("xxx_")), tokenIs(loadedLines),
	}},
	{class: "gate/Stress concurrency", name: "10 parallel /start: one START_ACK", needs: crowd, steps: []step{
		load(), times(10, start()), tokenIs(loadedLines, typedStart),
	}},
	{class: "gate/Stress concurrency", name: "10 parallel PreToolUse, no token directory", needs: alone, steps: []step{
		times(10, blocked("____")), noToken(),
	}},
}

// handWritten is a whole token with times of its own.
const handWritten = `1700000000 COMMANDMENTS_ACK SessionStart main {root}/docs/book-of-hades/COMMANDMENTS.md
1700000000 SCOPE_ACK SessionStart main {root}/context/scope.md
1700000000 CONTEXT_ACK SessionStart main {root}/CONTEXT.md
1700000007 START_ACK UserPromptSubmit main
`

func blockedTool(name string) call { return gate(tool(name)).blocks(name, "xxx_") }

// differentCase: a session whose id differs in case alone is another session,
// except where the file system of /tmp ignores case; a UUID is never spelled in
// two cases by the client.
type differentCase struct{}

func (differentCase) do(s *scene) error {
	if sameFile(s.token(), tokenDir+"/session-"+s.id) {
		return allowed().do(s)
	}
	return blocked("____").do(s)
}
