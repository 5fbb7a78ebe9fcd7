package main

import "moirai/stresstest/rig"

// D5: what a record is, and which records count.
var recordCases = []testCase{
	{class: "D5", name: "a last line without its newline counts, and a writer adds the newline first", steps: []step{
		tokenBytes("1700000000 START_ACK UserPromptSubmit main"), prompted(),
		tokenIs("1700000000 START_ACK UserPromptSubmit main", promptedLines), allowed(),
	}},
	{class: "D5", name: "a reader takes a last line without its newline", steps: []step{
		tokenBytes(handWritten[:len(handWritten)-1]), allowed(), content("{token}", handWritten[:len(handWritten)-1]),
	}},
	{class: "D5", name: "a writer with nothing to add adds no newline either", steps: []step{
		tokenBytes(handWritten[:len(handWritten)-1]), start(), content("{token}", handWritten[:len(handWritten)-1]),
	}},
	{class: "D5", name: "a torn last line is corrupt", steps: []step{
		tokenBytes(handWritten + "17000"), gate(bash).failsClosed("{token}", "line 5"),
		tokenBytes(handWritten + "1700000009 START_ACK Skill"), gate(bash).failsClosed("line 5"),
		tokenBytes(handWritten + "1700000009 START_ACK  main"), gate(bash).failsClosed("line 5"),
		tokenBytes(handWritten + "1700000009 START_ACK"), gate(bash).failsClosed("line 5"),
		tokenBytes(handWritten + "1700000009 START_ACK Skill "), gate(bash).failsClosed("line 5"),
	}},
	{class: "D5", name: "a path may hold blanks", steps: []step{
		constellation("{dir}/two words  and three /constellation-hades", rig.SmallContents()), load(), start(), allowed(),
		tokenIs(loadedLines, typedStart),
	}},
	{class: "D5", name: "a path may end in a blank", steps: []step{
		constellation("{dir}/b/constellation-hades/x ", rig.SmallContents()), load(), start(), allowed(), tokenIs(loadedLines, typedStart),
	}},
	{class: "D5", name: "a path of letters beyond ASCII", steps: []step{
		constellation("{dir}/Ünï £ ¿ ☃ 😀/constellation-hades", rig.SmallContents()), load(), start(), allowed(), tokenIs(loadedLines, typedStart),
	}},
	{class: "D5", name: "a well-formed record with an unknown marker is ignored", steps: []step{
		token(lines(loadedLines, "FUTURE_ACK SessionStart main", "PAGE_X_OF_Y SessionStart main z", "start_ack UserPromptSubmit main",
			"START_ACKS UserPromptSubmit main")...),
		blocked("xxx_"),
		start(), allowed(),
	}},
	{class: "D5", name: "a marker name must be exact", steps: []step{
		token(lines(loadedLines, "START_ACK_ UserPromptSubmit main", "XSTART_ACK UserPromptSubmit main", "Start_Ack UserPromptSubmit main")...),
		blocked("xxx_"),
	}},
	{class: "D5", name: "an unknown tool or agent does not matter", steps: []step{
		token(lines(loadedLines, "START_ACK SomethingElse agent-7")...), allowed(),
	}},
	{class: "D5", name: "four fields and five", steps: []step{
		token(lines(loadedLines, "START_ACK UserPromptSubmit main ")...), allowed(),
		token(lines(loadedLines, "START_ACK UserPromptSubmit main some/path with blanks")...), allowed(),
	}},
	{class: "D5", name: "an empty line", steps: corrupt("\n", 5)},
	{class: "D5", name: "a line of blanks", steps: corrupt("   \n", 5)},
	{class: "D5", name: "words", steps: corrupt("hello world\n", 5)},
	{class: "D5", name: "no time", steps: corrupt("START_ACK UserPromptSubmit main\n", 5)},
	{class: "D5", name: "a time that is no number", steps: corrupt("17e8 START_ACK UserPromptSubmit main\n", 5)},
	{class: "D5", name: "a time of 18 digits is one, of 20 is none", steps: []step{
		tokenBytes(handWritten + "999999999999999999 START_ACK Skill main\n"), allowed(),
		tokenBytes(handWritten + "99999999999999999999 START_ACK Skill main\n"), gate(bash).failsClosed("line 5"),
	}},
	{class: "D5", name: "a negative time", steps: corrupt("-1 START_ACK UserPromptSubmit main\n", 5)},
	{class: "D5", name: "a time with a point", steps: corrupt("1700000000.5 START_ACK UserPromptSubmit main\n", 5)},
	{class: "D5", name: "three fields", steps: corrupt("1700000000 START_ACK UserPromptSubmit\n", 5)},
	{class: "D5", name: "two blanks between fields", steps: corrupt("1700000000  START_ACK UserPromptSubmit main\n", 5)},
	{class: "D5", name: "a blank ahead", steps: corrupt(" 1700000000 START_ACK UserPromptSubmit main\n", 5)},
	{class: "D5", name: "tabs between fields", steps: corrupt("1700000000\tSTART_ACK\tUserPromptSubmit\tmain\n", 5)},
	{class: "D5", name: "a tab in the path", steps: corrupt("1700000000 SCOPE_ACK SessionStart main /a\tb\n", 5)},
	{class: "D5", name: "CRLF", steps: corrupt("1700000000 START_ACK UserPromptSubmit main\r\n", 5)},
	{class: "D5", name: "a NUL", steps: corrupt("1700000000 START_ACK UserPromptSubmit main \x00\n", 5)},
	{class: "D5", name: "a DEL", steps: corrupt("1700000000 START_ACK UserPromptSubmit main \x7f\n", 5)},
	{class: "D5", name: "U+0085", steps: corrupt("1700000000 START_ACK UserPromptSubmit main \u0085\n", 5)},
	{class: "D5", name: "a corrupt first line", steps: []step{
		tokenBytes("x\n" + handWritten), gate(bash).failsClosed("{token}", "line 1"),
	}},
	{class: "D5", name: "a corrupt line in the middle", steps: []step{
		tokenBytes(handWritten + "x\n" + handWritten), gate(bash).failsClosed("line 5"),
	}},
	{class: "D5", name: "a corrupt token cannot be written to", steps: []step{
		tokenBytes(handWritten + "x\n"), loader(prompt("go on")).tells("not recorded", "line 5"), gate(skill("start")).failsClosed("line 5"),
		start().tells("not recorded", "line 5"),
		gate(compact("auto")).failsClosed("line 5"), gate(shown(0)), content("{token}", handWritten+"x\n"),
	}},
	{class: "D5", name: "a corrupt token of a context that has ended is put aside", steps: []step{
		tokenBytes(handWritten + "x\n"), loader(startup).prints(nil).failsClosed("line 5"), noToken(), blocked("____"), load(), start(), allowed(),
		content("{tokens}/.session-{session}", handWritten+"x\n"), remove("{tokens}/.session-{session}"),
	}},
	{class: "D5", name: "the way out of a corrupt token works", steps: []step{
		tokenBytes(handWritten + "x\n"), gate(bash).failsClosed("rm -r {token}"), remove("{token}"), load(), start(), allowed(),
	}},
	{class: "D5", name: "an empty token is corrupt", needs: patient, steps: []step{
		tokenBytes(""), gate(bash).failsClosed("{token}", "empty"),
	}},
	{class: "D5", name: "newline in cwd cannot forge START_ACK", steps: []step{
		load(), gate(with(bash, "cwd", `"{root}/x\n1700000000 START_ACK UserPromptSubmit main"`)).failsClosed("cwd"), tokenIs(loadedLines),
		loader(with(startup, "cwd", `"{root}/x\n1700000000 START_ACK UserPromptSubmit main"`)).failsClosed("cwd"), tokenIs(loadedLines),
	}},
	{class: "D5", name: "newline in a directory name cannot forge START_ACK", steps: []step{
		constellation("{dir}/b/constellation-hades/x\n1700000000 START_ACK UserPromptSubmit main/y", rig.SmallContents()),
		link("{dir}/sym", "{root}"), at("{dir}/sym"),
		loader(startup).prints(nil).failsClosed(`\n`, "rename"), unmarked(), gate(shown(2)), unmarked(),
		blocked("____", `x\n1700000000 START_ACK`), start().says("START_ACK"), tokenIs(failedNew, typedStart), blocked("___x"),
	}},
	{class: "D5", name: "a directory name with another control character fails closed", steps: []step{
		constellation("{dir}/b/constellation-hades/x\x1b[31m", rig.SmallContents()), link("{dir}/sym", "{root}"), at("{dir}/sym"),
		loader(startup).prints(nil).failsClosed(`\x1b`, "rename"), unmarked(), blocked("____", `x\x1b[31m`),
	}},
	{class: "D5", name: "agent_id cannot forge a record", steps: []step{
		load(), gate(also(skill("start"), "agent_id", `"main\n1700000000 START_ACK"`)).failsClosed("agent_id"),
		gate(also(bash, "agent_id", `"main x"`)).failsClosed("agent_id"), tokenIs(loadedLines),
	}},
	{class: "D5", name: "a session loaded in one constellation does not open another", steps: []step{
		load(), start(), allowed(), constellation("{dir}/b/constellation-hades", rig.SmallContents()),
		blocked("___x", "another root", "{dir}/constellation-hades", "{dir}/b/constellation-hades"),
		prompted(), allowed(), at("{dir}/constellation-hades"), allowed(),
	}},
	{class: "D5", name: "the path must be that very file", steps: []step{
		token(lines("COMMANDMENTS_ACK SessionStart main {root}/CONTEXT.md", loadedLines[1], loadedLines[2], typedStart)...), blocked("_xxx"),
		token(lines(loadedLines[0], "SCOPE_ACK SessionStart main {root}/context/Scope.md", loadedLines[2], typedStart)...), blocked("x_xx"),
		token(lines(loadedLines[0], loadedLines[1], "CONTEXT_ACK SessionStart main CONTEXT.md", typedStart)...), blocked("xx_x"),
		token(lines(loadedLines[0], loadedLines[1], "CONTEXT_ACK SessionStart main {root}/CONTEXT.md ", typedStart)...), blocked("xx_x"),
		token(lines(loadedLines[0], loadedLines[1], "CONTEXT_ACK SessionStart main", typedStart)...), blocked("xx_x"),
		token(lines(loadedLines[0], loadedLines[1], "CONTEXT_ACK SessionStart main {root}/sub/CONTEXT.md", typedStart)...), blocked("xx_x"),
		token(lines(loadedLines[0], loadedLines[1], "CONTEXT_ACK SessionStart main {dir}/CONTEXT.md", typedStart)...), blocked("xx_x"),
	}},
	{class: "D5", name: "START_ACK is bound to no path", steps: []step{
		start().says("START_ACK"), constellation("{dir}/b/constellation-hades", rig.SmallContents()), prompted(), allowed(),
		tokenIs(typedStart, promptedLines),
	}},
}

// corrupt: these bytes after a whole token make it corrupt, and the message
// names the line.
func corrupt(tail string, line int) []step {
	return []step{
		tokenBytes(handWritten), allowed(), tokenBytes(handWritten + tail),
		gate(bash).failsClosed("{token}", lineNumber(line)), gate(tool("TaskList")), content("{token}", handWritten+tail),
	}
}

func lineNumber(n int) string { return "line " + string(rune('0'+n)) }
