package main

import (
	"strings"

	"moirai/stresstest/rig"
)

// D12: what passes without markers, exactly.
var exemptCases = []testCase{
	{class: "D12", name: "tool names are exact and case-sensitive", steps: gatedTools(
		"taskcreate", "TASKCREATE", "TaskCreate ", " TaskCreate", "TaskCreateX", "Task", "TaskDelete", "Tasklist", "TaskOutputs",
		"mcp__x__TaskList", "Task_List", "TaskOutput\u0000",
	)},
	{class: "D12", name: "every tool that the newest client knows is gated, but for the golden list", steps: knownTools()},
	{class: "D12", name: "an empty tool name is gated", steps: []step{gate(with(bash, "tool_name", `""`)).blocks(`""`, "____")}},
	{class: "D12", name: "CLAUDE.md and MEMORY.md in any folder", steps: exemptReads(
		"/CLAUDE.md", "/x/CLAUDE.md", "/x/y z/MEMORY.md", "{root}/sub/CLAUDE.md", "/home/operator/.claude/CLAUDE.md", "/x/./CLAUDE.md",
		"/x/y/../CLAUDE.md", "/x/CLAUDE.md/", "//x//MEMORY.md",
	)},
	{class: "D12", name: "the names alone, as older clients pass them", steps: exemptReads("CLAUDE.md", "MEMORY.md")},
	{class: "D12", name: "names are exact and case-sensitive", steps: gatedReads(
		"/x/claude.md", "/x/Claude.md", "/x/CLAUDE.MD", "/x/memory.md", "/x/CLAUDE.md.bak", "/x/MYCLAUDE.md", "/x/CLAUDE", "/x/AGENTS.md",
		"/x/CLAUDE.md/x", "claude.md", "memory.md",
	)},
	{class: "D12", name: "any path with /memory/", steps: exemptReads(
		"/home/operator/.claude/projects/x/memory/a.md", "/memory/a", "/x/memory/y/z", "/x//memory//a", "/x/./memory/./a",
		"/x/y/../memory/a", "/x/memory/a/../b",
	)},
	{class: "D12", name: "/memory/ is exact: case, whole name, something after it", steps: gatedReads(
		"/x/Memory/a", "/x/MEMORY/a", "/x/mymemory/a", "/x/memory2/a", "/x/memory", "/x/memory/", "/x/memory/.", "/x/memory/a/..",
		"/x/memories/a", "/x/memory.md",
	)},
	{class: "D12", name: "a .. cannot borrow the exemption", steps: gatedReads(
		"/x/memory/../../etc/passwd", "/x/memory/../a", "/memory/../etc/passwd", "/x/CLAUDE.md/../passwd", "/x/memory/a/../../b",
		"/x/CLAUDE.md/..",
	)},
	{class: "D12", name: "relative paths and ~ are gated", steps: gatedReads(
		"./CLAUDE.md", "sub/CLAUDE.md", "~/CLAUDE.md", "~/.claude/CLAUDE.md", "../CLAUDE.md", "memory/a", "./memory/a", "x/memory/a",
		"$HOME/CLAUDE.md", "file:///x/CLAUDE.md", "MEMORY.md/x",
	)},
	{class: "D12", name: "a blank at either end is gated", steps: gatedReads(
		" /x/CLAUDE.md", "/x/CLAUDE.md ", "\t/x/CLAUDE.md", "/x/CLAUDE.md\n", " CLAUDE.md", "CLAUDE.md ", "MEMORY.md\n", "/x/memory/a ",
		"\u00a0/x/CLAUDE.md", "/x/memory/a\u3000", "/x/memory/a\ufeff",
	)},
	{class: "D12", name: "a control character is gated", steps: gatedReads(
		"/x/memory/a\nb", "/x\x01/CLAUDE.md", "/x/memory/\x1b", "/x/\u0085/CLAUDE.md",
	)},
	{class: "D12", name: "what each process has its own of is gated", needs: linux, steps: append(gatedReads(
		"/proc/self/cwd/CLAUDE.md", "/proc/self/cwd/memory/a", "/proc/thread-self/cwd/memory/a", "/dev/fd/3/memory/a", "/x/../proc/self/cwd/CLAUDE.md"),
		mkdir("{dir}/memory"), link("{dir}/memory/own", "/proc/self/cwd"), write("{root}/key", "x"),
		gate(read("{dir}/memory/own/key")).in("{root}").blocks("Read", "____"),
		mkdir("{root}/memory"), link("{dir}/own", "/proc/self/cwd"), gate(read("{dir}/own/memory/key")).in("{root}").blocks("Read", "____"),
		link("{dir}/top", "/"), gate(read("{dir}/top/proc/self/cwd/memory/key")).in("{root}").blocks("Read", "____"),
		gate(read("{dir}/proc/../top/proc/self/cwd/memory/key")).in("{root}").blocks("Read", "____"),
	)},
	{class: "D12", name: "a plain folder of the name proc or dev is each process's own no more than another", needs: linux, steps: []step{
		write("{dir}/dev/x/CLAUDE.md", "x"), write("{dir}/proc/memory/a", "x"), gate(read("{dir}/dev/x/CLAUDE.md")), gate(read("{dir}/proc/memory/a")), noToken(),
	}},
	{class: "D12", name: "more links than a kernel follows are gated", steps: append([]step{
		write("{dir}/key", "x"), mkdir("{dir}/memory"), link("{dir}/memory/d", "."), link("{dir}/memory/s", "../key"), link("{dir}/memory/CLAUDE.md", "CLAUDE.md"),
		gate(read("{dir}/memory" + strings.Repeat("/d", 40) + "/a")),
	}, gatedReads("{dir}/memory/s", throughLinks(39), throughLinks(40), throughLinks(254), throughLinks(255), throughLinks(300), "{dir}/memory/CLAUDE.md")...)},
	{class: "D12", name: "a path longer than a kernel takes is gated", steps: gatedReads(
		"/x/memory/"+strings.Repeat("a/", 2043)+"b", "/x"+strings.Repeat("/", 1<<20)+"/memory/a",
	)},
	{class: "D12", name: "no file_path is gated", steps: []step{
		gate(with(read("x"), "tool_input", "{}")).blocks("Read", "____"), gate(without(read("x"), "tool_input")).blocks("Read", "____"),
		gate(read("")).blocks("Read", "____"),
	}},
	{class: "D12", name: "a whole session may still read anything", steps: []step{
		load(), start(), gate(read("/etc/passwd")), gate(read(" /x/CLAUDE.md")), gate(read("")), gate(with(read("x"), "tool_input", "{}")),
	}},

	// Links.
	{class: "D12", name: "CLAUDE.md -> AGENTS.md under the root is fine", steps: []step{
		write("{root}/AGENTS.md", "x"), link("{root}/CLAUDE.md", "AGENTS.md"), gate(read("{root}/CLAUDE.md")), gate(read("CLAUDE.md")), noToken(),
	}},
	{class: "D12", name: "CLAUDE.md -> a secret is gated", steps: []step{
		write("{dir}/.ssh/id_rsa", "x"), link("{root}/CLAUDE.md", "{dir}/.ssh/id_rsa"),
		gate(read("{root}/CLAUDE.md")).blocks("Read", "____"), gate(read("CLAUDE.md")).blocks("Read", "____"),
		link("{root}/MEMORY.md", "../.ssh/id_rsa"), gate(read("{root}/MEMORY.md")).blocks("Read", "____"),
		gate(read("MEMORY.md")).blocks("Read", "____"),
	}},
	{class: "D12", name: "CLAUDE.md in cwd is judged by cwd", steps: []step{
		write("{dir}/secret", "x"), mkdir("{root}/sub"), link("{root}/sub/CLAUDE.md", "{dir}/secret"), gate(read("CLAUDE.md")),
		at("{root}/sub"), gate(read("CLAUDE.md")).blocks("Read", "____"),
	}},
	{class: "D12", name: "a chain that ends in a secret is gated", steps: []step{
		write("{dir}/secret", "x"), link("{root}/CLAUDE.md", "MEMORY.md"), link("{root}/MEMORY.md", "third"),
		link("{root}/third", "{dir}/secret"), gate(read("{root}/CLAUDE.md")).blocks("Read", "____"),
	}},
	{class: "D12", name: "a link to what is exempt itself is fine", steps: []step{
		write("{dir}/shared/CLAUDE.md", "x"), link("{root}/CLAUDE.md", "{dir}/shared/CLAUDE.md"), gate(read("{root}/CLAUDE.md")),
		write("{dir}/memory/notes", "x"), link("{root}/MEMORY.md", "{dir}/memory/notes"), gate(read("{root}/MEMORY.md")), noToken(),
	}},
	{class: "D12", name: "a memory folder that is a link out is gated", steps: []step{
		write("{dir}/private/key", "x"), link("{root}/memory", "{dir}/private"), gate(read("{root}/memory/key")).blocks("Read", "____"),
		mkdir("{dir}/m/memory"), link("{dir}/m/memory/out", "{dir}/private"), gate(read("{dir}/m/memory/out/key")).blocks("Read", "____"),
	}},
	{class: "D12", name: "a memory folder that is a link to one under the root is fine", steps: []step{
		mkdir("{dir}/m"), write("{root}/notes/a", "x"), link("{dir}/m/memory", "{root}/notes"), gate(read("{dir}/m/memory/a")), noToken(),
	}},
	{class: "D12", name: "the root's own folder is not under the root of another name that begins like it", steps: []step{
		mkdir("{dir}/m"), write("{dir}/constellation-hades-secret/a", "x"), link("{dir}/m/CLAUDE.md", "{dir}/constellation-hades-secret/a"),
		gate(read("{dir}/m/CLAUDE.md")).blocks("Read", "____"),
	}},
	{class: "D12", name: "a link above leaves an exempt file exempt", steps: []step{
		mkdir("{dir}/real"), write("{dir}/real/CLAUDE.md", "x"), link("{dir}/alias", "real"), gate(read("{dir}/alias/CLAUDE.md")), noToken(),
	}},
	{class: "D12", name: "a .. after a link: what the kernel opens must be exempt too", steps: []step{
		mkdir("{dir}/a/memory"), write("{dir}/secret/key", "x"), mkdir("{dir}/secret/sub"), link("{dir}/a/memory/hop", "{dir}/secret/sub"),
		gate(read("{dir}/a/memory/hop/../key")).blocks("Read", "____"),
	}},
	{class: "D12", name: "a .. after a link: what a client opens that takes it out first must be exempt too", steps: []step{
		write("{dir}/key", "x"), mkdir("{root}/sub"), mkdir("{dir}/a"), link("{dir}/a/hop", "{root}/sub"), link("{dir}/a/CLAUDE.md", "../key"),
		gate(read("{dir}/a/hop/../CLAUDE.md")).blocks("Read", "____"),
	}},
	{class: "D12", name: "a dangling link out is gated, one that does not exist is exempt", steps: []step{
		link("{root}/CLAUDE.md", "{dir}/later"), gate(read("{root}/CLAUDE.md")).blocks("Read", "____"), gate(read("{root}/MEMORY.md")), noToken(),
	}},
	{class: "D12", name: "a loop does not pass as something else", steps: []step{
		mkdir("{dir}/l"), link("{dir}/l/CLAUDE.md", "b"), link("{dir}/l/b", "c"), link("{dir}/l/c", "CLAUDE.md"),
		gate(read("{dir}/l/b")).blocks("Read", "____"),
	}},
	{class: "D12", name: "exempt calls do not look at the token", steps: []step{
		tokenBytes("x\n"), gate(tool("TaskList")), gate(read("/x/CLAUDE.md")), gate(skill("other")),
	}},
}

func exemptReads(paths ...string) []step {
	var steps []step
	for _, p := range paths {
		steps = append(steps, gate(read(p)))
	}
	return append(steps, noToken())
}

func gatedReads(paths ...string) []step {
	var steps []step
	for _, p := range paths {
		steps = append(steps, gate(read(p)).blocks("Read", "____"))
	}
	return append(steps, noToken())
}

// throughLinks goes through n links that lead nowhere else, and one that leaves.
func throughLinks(n int) string { return "{dir}/memory" + strings.Repeat("/d", n) + "/s" }

// knownTools: each name passes or is blocked as the golden list has it.
func knownTools() []step {
	var steps []step
	for _, name := range rig.Tools() {
		call := gate(tool(name))
		if !passesUnstarted(name) {
			call = call.blocks(name, "____")
		}
		steps = append(steps, call)
	}
	return append(steps, noToken())
}

// gatedTools: each name is blocked, and quoted in the message if it is not plain.
func gatedTools(names ...string) []step {
	var steps []step
	for _, n := range names {
		steps = append(steps, gate(tool(n)).blocks(quoted(n), "____"))
	}
	return append(steps, noToken())
}
