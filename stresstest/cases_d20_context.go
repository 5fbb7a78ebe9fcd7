package main

import "moirai/stresstest/rig"

// D20: a token speaks of one context of the main agent, and the client changes
// contexts under one session_id.
var contextCases = []testCase{
	// A used id, a new context.
	{class: "D20", name: "an empty context ends the load and the start before it", steps: []step{
		load(), start(), allowed(), load(), blocked("xxx_"), start(), allowed(),
		wholeTokenIs(newRun("1/1"), loadedLines, typedStart, newRun("1/1"), loadedLines, typedStart),
	}},
	{class: "D20", name: "whatever its source says but resume, fork and compact", steps: eachBegins("startup", "clear", "", "Resume", "Compact", "other")},
	{class: "D20", name: "an empty context whose load fails: closed, though all four markers stood", steps: []step{
		load(), start(), allowed(), rename("{root}/CONTEXT.md", "{root}/C.md"), loader(startup).failsClosed("CONTEXT.md"),
		rename("{root}/C.md", "{root}/CONTEXT.md"), blocked("____", "the context is new"),
	}},
	{class: "D20", name: "an empty context that begins elsewhere ends them too", steps: []step{
		load(), start(), at("{dir}"), loader(startup), loader(startup, "2/4"), at("{root}"), blocked("____", "the context is new"),
	}},
	{class: "D20", name: "elsewhere, without a token: nothing written", steps: []step{at("{dir}"), loader(startup), loader(sessionStart("resume")), noToken()}},
	{class: "D20", name: "in another constellation", steps: []step{
		load(), start(), constellation("{dir}/b/constellation-hades", rig.SmallContents()), load(), at("{dir}/constellation-hades"), blocked("____"),
	}},
	{class: "D20", name: "a load that is killed before its record leaves nothing open", needs: linux, steps: []step{
		holding(rig.SizedContents(35_000)), page(1, 4, 4), page(2, 4, 4), page(3, 4, 4), page(4, 4, 4), start(), allowed(),
		page(1, 4, 4), killedPage{2, 4}, page(3, 4, 4), page(4, 4, 4), blocked("____", "missing: 2."), start().says("START_ACK"), blocked("___x"),
	}},
	{class: "D20", name: "a loader that waits in its context and ends in the next one earns nothing there", needs: linux, steps: []step{
		holding(rig.SizedContents(15_000)), stale(1, 2, 2), page(1, 2, 2), blocked("____", "missing: 2."), page(2, 2, 2), start(), allowed(),
	}},

	// The loaders of one start come in any order.
	{class: "D20", name: "the loaders of two starts, one after the other, in every order", steps: []step{twoStarts{pages: 3, wired: 4}}},
	{class: "D20", name: "idle loaders first and last", steps: []step{
		page4(4), page4(1), page4(2), page4(3), start(), allowed(), page4(3), blocked("____"), page4(2), page4(4), page4(1), blocked("xxx_"),
	}},
	{class: "D20", name: "a first run of another K after the start is of another context", steps: []step{
		page4(1), start(), allowed(), page4(2), blocked("____"),
	}},
	{class: "D20", name: "another wiring with the same N is of the same start", steps: []step{
		link("{dir}/other", "{hooks}/hades-session-load"), holding(rig.SizedContents(15_000)),
		page(1, 2, 2), page(1, 2, 2).by("{dir}/other"), page(2, 2, 2).by("{dir}/other"), page(2, 2, 2), start(), allowed(),
	}},
	{class: "D20", name: "one that fails ends what its sisters earned", steps: []step{
		holding(rig.SizedContents(15_000)), page(1, 2, 2), loader(startup, "2/2").closing(1).failsClosed("deliver"), blocked("____", "the context is new"),
	}},

	// Compaction: the same, without the start.
	{class: "D20", name: "four pages twice at once after a compaction, by two wirings: open", needs: crowd, steps: []step{
		link("{dir}/other", "{hooks}/hades-session-load"), holding(rig.SizedContents(35_000)),
		page(1, 4, 4), page(2, 4, 4), page(3, 4, 4), page(4, 4, 4), start(), gate(compact("auto")), doubledPages(sessionStart("compact")), allowed(),
	}},

	// A resume.
	{class: "D20", name: "a resume ends what Reads earned, in scope and elsewhere", steps: []step{
		gate(shown(0)), gate(shown(1)), gate(shown(2)), start(), allowed(), loader(sessionStart("resume"), "2/2"), blocked("___x", "resumed"),
		gate(shown(0)), gate(shown(1)), gate(shown(2)), allowed(), at("{dir}"), loader(sessionStart("resume"), "1/2"), at("{root}"), blocked("___x", "resumed"),
	}},
	{class: "D20", name: "a resume ends what a prompt or a compaction had brought", steps: []step{
		start().says("START_ACK"), prompted(), allowed(), loader(sessionStart("resume"), "2/2"), blocked("___x", "resumed"),
		load(), start(), gate(compact("auto")), compacted(), allowed(), at("{dir}"), loader(sessionStart("resume")), at("{root}"), blocked("___x", "resumed"),
	}},
	{class: "D20", name: "a fork under the same id is a resume", steps: []step{
		load(), start(), gate(shown(0)), loader(sessionStart("fork"), "2/2"), allowed(), tokenIs(loadedLines, typedStart),
	}},

	// What cannot be written.
	{class: "D20", name: "a disk too full to say that a context begins: the token goes", needs: alone | mount, steps: []step{
		makeTokenDir(), small(tokenDir, 4096), tokenOfSize(4080, lines(loadedLines, typedStart)), allowed(),
		loader(startup).failsClosed("{token}", "df"), noToken(), blocked("____"),
	}},
	{class: "D20", name: "a token that is full: what ends all in it puts it aside", steps: []step{
		tokenOfSize(1<<20, lines(loadedLines, typedStart)), allowed(), loader(startup).prints(nil).refuses(), blocked("____"), load(), start(), allowed(),
		tokenOfSize(1<<20, lines(loadedLines, typedStart)), gate(compact("auto")), noToken(), blocked("____", "no token"), start().says("START_ACK"), prompted(), allowed(),
		remove("{tokens}/.session-{session}"),
	}},
	{class: "D20", name: "a token that is full: a prompt says the way out, and it works", steps: []step{
		tokenOfSize(1<<20, []string{typedStart}), loader(prompt("go on")).tells("not recorded", "/compact"), sizeOf("{token}", 1<<20), gate(compact("auto")),
		prompted(), start(), allowed(), remove("{tokens}/.session-{session}"),
	}},
}

// D21: only the main agent's events speak of the main agent's context.
var agentCases = []testCase{
	{class: "D21", name: "a subagent's compaction voids nothing, and its load earns nothing", steps: []step{
		load(), start(), as("a7fc51fefd85ff99e"), gate(compact("auto")), loader(sessionStart("compact")), as(""), allowed(), tokenIs(loadedLines, typedStart),
		gate(compact("auto")), blocked("___x"), as("a7fc51fefd85ff99e"), loader(sessionStart("compact")), as(""), blocked("___x", "compaction"),
	}},
	{class: "D21", name: "no event of a subagent begins or resumes a context", steps: []step{
		load(), start(), as("a7fc51fefd85ff99e"), loader(startup), loader(sessionStart("resume")), loader(prompt("go on")), as(""), allowed(),
		at("{dir}"), as("a7fc51fefd85ff99e"), loader(startup), gate(compact("auto")), as(""), at("{root}"), allowed(), wholeTokenIs(newRun("1/1"), loadedLines, typedStart),
	}},
	{class: "D21", name: "an agent_id that cannot be read voids as the main agent's", steps: []step{
		load(), start(), gate(with(compact("auto"), "agent_id", "7")), blocked("___x", "compaction"),
		session("b"), load(), start(), gate(with(compact("auto"), "agent_id", `"../x"`)), blocked("___x", "compaction"),
	}},
	{class: "D21", name: "an agent_id that cannot be read earns nothing", steps: []step{
		load(), start(), gate(compact("auto")), loader(with(sessionStart("compact"), "agent_id", "7")).failsClosed("agent_id"), blocked("___x"),
	}},
}

// D24: what a rewind can cut away counts at its own prompt alone.
var promptCases = []testCase{
	{class: "D24", name: "a load at the root of the context counts at every prompt", steps: []step{
		load(), start(), allowed(), promptID("p2"), allowed(), loader(prompt("go on")), allowed(), wholeTokenIs(newRun("1/1"), loadedLines, typedStart),
	}},
	{class: "D24", name: "Reads count until the next prompt", steps: []step{
		gate(shown(0)), gate(shown(1)), gate(shown(2)), start(), allowed(), promptID("p2"), blocked("___x", "earlier prompt"),
		gate(shown(0)), gate(shown(1)), gate(shown(2)), allowed(),
	}},
	{class: "D24", name: "a load after a compaction counts until the next prompt, which brings the rules again", steps: []step{
		load(), start(), gate(compact("auto")), compacted(), allowed(), promptID("p2"), blocked("___x", "earlier prompt"), prompted(), allowed(),
		promptID("p3"), blocked("___x", "earlier prompt"), prompted(), allowed(),
	}},
	{class: "D24", name: "a prompt in the same turn brings them once", steps: []step{
		start().says("START_ACK"), prompted(), loader(prompt("<task-notification>x</task-notification>")), allowed(), tokenIs(typedStart, promptedLines),
	}},
	{class: "D24", name: "pages of one prompt do not complete those of another", steps: []step{
		holding(rig.SizedContents(15_000)), start().says("START_ACK"), promptPage(1, 2, 2), promptID("p2"), promptPage(2, 2, 2), blocked("___x", "missing: 1."),
		promptPage(1, 2, 2), allowed(),
	}},
	{class: "D24", name: "without prompt_id each prompt brings them, and the next one ends them", steps: []step{
		client("2.1.118"), start().says("START_ACK"), prompted(), allowed(), rename("{root}/CONTEXT.md", "{root}/C.md"),
		loader(prompt("go on")).tells("CONTEXT.md"), rename("{root}/C.md", "{root}/CONTEXT.md"), blocked("___x"), prompted(), prompted(), allowed(),
	}},
	{class: "D24", name: "without prompt_id, pages at once", needs: crowd, steps: []step{
		client("2.1.118"), holding(rig.SizedContents(35_000)), start().says("START_ACK"), together{promptPage(1, 4, 4), promptPage(2, 4, 4), promptPage(3, 4, 4), promptPage(4, 4, 4)}, allowed(),
	}},
	{class: "D24", name: "a call with a prompt_id sees nothing of a record without one, nor the other way round", steps: []step{
		start().says("START_ACK"), resumed(), blocked("___x", "earlier prompt"), session("b"), start().says("START_ACK"), prompted(), allowed(),
		gate(without(bash, "prompt_id")).blocks("Bash", "___x", "earlier prompt"), gate(with(bash, "prompt_id", "null")).blocks("Bash", "___x"),
		gate(with(bash, "prompt_id", `""`)).blocks("Bash", "___x"),
	}},
	{class: "D24", name: "prompt_id doubled, of another type or no id: closed", steps: []step{
		load(), start(), gate(with(bash, "prompt_id", "7")).failsClosed("prompt_id"), gate(also(bash, "prompt_id", `"x"`)).failsClosed("prompt_id"),
		gate(with(bash, "prompt_id", `"a b"`)).failsClosed("prompt_id"), allowed(),
	}},
	{class: "D24", name: "a subagent's call asks only that they were delivered", steps: []step{
		start().says("START_ACK"), prompted(), promptID("p2"), blocked("___x"), as("a7fc51fefd85ff99e"), allowed(), as(""),
		gate(compact("auto")), as("a7fc51fefd85ff99e"), blocked("___x", "compaction"),
	}},
	{class: "D24", name: "a load with a prompt never blocks it", steps: []step{
		remove("{root}/CONTEXT.md"), loader(prompt("go on")).tells("not recorded", "CONTEXT.md"), loader(prompt("go on"), "2/4"), loader(prompt("go on"), "x").tells("usage"),
		loader(prompt("go on")).stream(1, "/dev/full").prints(nil), unmarked(),
	}},
	{class: "D24", name: "a prompt elsewhere brings nothing", steps: []step{load(), start(), gate(compact("auto")), at("{dir}"), loader(prompt("go on")), tokenIs(loadedLines, typedStart, voidLine)}},
	{class: "D24", name: "a resume alone is no load: the prompt after it brings the rules", steps: []step{
		prompted(), start(), allowed(), promptID(""), loader(sessionStart("resume")).prints(theWholeBlock), promptID("next"),
		blocked("___x", "at an earlier prompt", "The resume alone does not"), prompted(), allowed(),
	}},
	{class: "D24", name: "a session that entered by cd is given the rules with its next prompt", steps: []step{
		at("{dir}"), loader(startup), loader(prompt("go on")), noToken(), at("{root}"), blocked("____", "no token"), start().says("START_ACK"), prompted(), allowed(),
	}},
}

// Calls that a name alone must not let through.
var servedCases = []testCase{
	{class: "D12", name: "a tool of an MCP server is gated and earns nothing, whatever its name", steps: []step{
		gate(also(tool("TaskCreate"), "mcp_server", `{"name":"x"}`)).blocks("TaskCreate", "____"), gate(also(skill("start"), "mcp_server", `"x"`)).blocks("Skill", "____"),
		gate(also(read("/x/CLAUDE.md"), "mcp_server", "null")).blocks("Read", "____"), gate(also(read("{root}/CONTEXT.md"), "mcp_server", `{}`)).blocks("Read", "____"),
		gate(also(shown(0), "mcp_server", `{}`)), unmarked(), load(), start(), gate(also(tool("TaskCreate"), "mcp_server", `{"name":"x"}`)),
	}},
	{class: "D12", name: "shell code of a skill or a typed command is a gated call, whatever tool it names", steps: []step{
		gate(shellCode(bash)).blocks("Bash", "____"), gate(shellCode(skill("start"))).blocks("Skill", "____"), gate(shellCode(tool("TaskList"))).blocks("TaskList", "____"),
		gate(shellCode(read("/x/CLAUDE.md"))).blocks("Read", "____"), unmarked(), load(), start(), gate(shellCode(bash)),
	}},
	{class: "D11", name: "CONTEXT.md that is a link to scope.md: each counts by its own path", steps: []step{
		remove("{root}/CONTEXT.md"), link("{root}/CONTEXT.md", "context/scope.md"), sameContents(2, 1),
		gate(shown(2)), blocked("__x_"), gate(shown(1)), gate(shown(0)), start(), allowed(),
	}},
}

func shellCode(p payload) payload { return with(p, "hook_event_name", `"PreSkillShellCommand"`) }

// sameContents: the i-th required file now holds what the j-th does.
func sameContents(i, j int) step {
	return fixture(func(s *scene) error { s.files[i] = s.files[j]; return nil })
}
