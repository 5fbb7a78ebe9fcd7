package main

import "moirai/stresstest/rig"

// The five known unknowns of §9.
var unknownCases = []testCase{
	// 1. Symlinked start directories of every kind. A session that starts in
	// one is gated if what it leads to is in scope, and by that root.
	{class: "§9.1 symlinks", name: "link to the root", steps: lines9("{dir}/sym", link("{dir}/sym", "{root}"))},
	{class: "§9.1 symlinks", name: "link to a sub-folder", steps: lines9("{dir}/sym", link("{dir}/sym", "{root}/docs/book-of-hades"))},
	{class: "§9.1 symlinks", name: "link above the root", steps: lines9("{dir}/sym/constellation-hades", link("{dir}/sym", "{dir}"))},
	{class: "§9.1 symlinks", name: "chain of five links", steps: lines9("{dir}/s1",
		link("{dir}/s1", "{dir}/s2"), link("{dir}/s2", "{dir}/s3"), link("{dir}/s3", "{dir}/s4"), link("{dir}/s4", "{dir}/s5"), link("{dir}/s5", "{root}"))},
	{class: "§9.1 symlinks", name: "relative link", steps: lines9("{dir}/a/sym", mkdir("{dir}/a"), link("{dir}/a/sym", "../constellation-hades"))},
	{class: "§9.1 symlinks", name: "relative link through a link and ..", steps: lines9("{dir}/a/sym",
		mkdir("{dir}/a"), mkdir("{dir}/b/c"), link("{dir}/a/hop", "../b/c"), link("{dir}/a/sym", "hop/../../constellation-hades"))},
	{class: "§9.1 symlinks", name: "a .. after a link goes up from where it leads", steps: lines9("{dir}/hop/../constellation-hades",
		link("{dir}/hop", "{root}/docs"), rename("{root}", "{dir}/x"), mkdir("{dir}/y"),
		fixture(func(s *scene) error { return s.settle(s.dir+"/y/constellation-hades", rig.SmallContents()) }),
		remove("{dir}/hop"), mkdir("{dir}/y/z"), link("{dir}/hop", "{dir}/y/z"))},
	{class: "§9.1 symlinks", name: "link with another name in a constellation of another spelling", steps: []step{
		constellation("{dir}/b/CONSTELLATION-HADES", rig.SmallContents()),
		link("{dir}/sym", "{root}"), at("{dir}/sym"), load(), start(), allowed(), tokenIs(loadedLines, typedStart),
	}},
	{class: "§9.1 symlinks", name: "loop of two: judged by its name, closed", steps: []step{
		mkdir("{dir}/l"), link("{dir}/l/constellation-hades", "{dir}/l/other"), link("{dir}/l/other", "{dir}/l/constellation-hades"),
		at("{dir}/l/constellation-hades"), loader(startup).failsClosed("{dir}/l/constellation-hades"), blocked("____", "no Hades root"), unmarked(),
	}},
	{class: "§9.1 symlinks", name: "loop of three: judged by its name, closed", steps: []step{
		mkdir("{dir}/l"), link("{dir}/l/constellation-hades", "b"), link("{dir}/l/b", "c"), link("{dir}/l/c", "constellation-hades"),
		at("{dir}/l/constellation-hades"), loader(startup).failsClosed("{dir}/l/constellation-hades"), blocked("____", "no Hades root"), unmarked(),
	}},
	{class: "§9.1 symlinks", name: "link to itself: judged by its name, closed", steps: []step{
		mkdir("{dir}/l"), link("{dir}/l/constellation-hades", "constellation-hades"),
		at("{dir}/l/constellation-hades"), loader(startup).failsClosed("{dir}/l/constellation-hades"), blocked("____", "no Hades root"),
	}},
	{class: "§9.1 symlinks", name: "loop without the name is out of scope", steps: []step{
		link("{dir}/a", "{dir}/b"), link("{dir}/b", "{dir}/a"), at("{dir}/a"), loader(startup), gate(bash), noToken(),
	}},
	{class: "§9.1 symlinks", name: "dangling link that bears the name: closed", steps: []step{
		mkdir("{dir}/l"), link("{dir}/l/constellation-hades", "{dir}/gone"),
		at("{dir}/l/constellation-hades"), loader(startup).failsClosed("constellation-hades"), blocked("____", "no Hades root"), unmarked(),
	}},
	{class: "§9.1 symlinks", name: "dangling link to a root that is gone: closed", steps: []step{
		link("{dir}/sym", "{root}"), rename("{root}", "{dir}/moved"),
		at("{dir}/sym"), loader(startup).failsClosed("{dir}/constellation-hades"), blocked("____", "no Hades root"), unmarked(),
	}},
	{class: "§9.1 symlinks", name: "dangling link without the name is out of scope", steps: []step{
		link("{dir}/sym", "{dir}/gone"), at("{dir}/sym"), loader(startup), gate(bash), noToken(),
	}},
	{class: "§9.1 symlinks", name: "link inside the root that leads out is out of scope", steps: []step{
		mkdir("{dir}/elsewhere"), link("{root}/out", "{dir}/elsewhere"), at("{root}/out"), loader(startup), gate(bash), noToken(),
	}},
	{class: "§9.1 symlinks", name: "link inside the root to another constellation is judged by that one", steps: []step{
		load(), start(),
		fixture(func(s *scene) error {
			first := s.root
			if err := s.settle(s.dir+"/b/constellation-hades", rig.SmallContents()); err != nil {
				return err
			}
			return link(first+"/other", s.root).do(s)
		}),
		at("{dir}/constellation-hades/other"), blocked("___x", "another root", "{dir}/constellation-hades"),
	}},
	{class: "§9.1 symlinks", name: "link named constellation-hades to a folder of another name", steps: []step{
		rename("{root}", "{dir}/hades-2"), link("{dir}/constellation-hades", "hades-2"),
		fixture(func(s *scene) error { s.root = s.dir + "/hades-2"; return nil }),
		at("{dir}/constellation-hades"), load(), start(), allowed(), tokenIs(loadedLines, typedStart),
		at("{dir}/hades-2"), allowed(), at("{dir}/hades-2/docs"), allowed(),
	}},
	{class: "§9.1 symlinks", name: "the required files are links: read, recorded by the path under the root", steps: []step{
		rename("{root}/context/scope.md", "{dir}/elsewhere.md"), link("{root}/context/scope.md", "{dir}/elsewhere.md"),
		load(), start(), allowed(), tokenIs(loadedLines, typedStart),
	}},
	{class: "§9.1 symlinks", name: "the folder of a required file is a link", steps: []step{
		rename("{root}/docs", "{dir}/docs"), link("{root}/docs", "../docs"), load(), start(), allowed(), tokenIs(loadedLines, typedStart),
	}},
	{class: "§9.1 symlinks", name: "/tmp itself a link, as on macOS", needs: alone | mount, steps: []step{
		macTmp{},
	}},

	// 2. Hook order. The client may run hooks in any order: no order of honest
	// calls may open what another order would not.
	{class: "§9.2 hook order", name: "/start before the load that its prompt brings", steps: []step{
		start().says("START_ACK"), prompted(), allowed(), tokenIs(typedStart, promptedLines),
	}},
	{class: "§9.2 hook order", name: "/start before the load of an empty context: it has ended", steps: []step{
		start().says("START_ACK"), load(), blocked("xxx_"), start(), allowed(), tokenIs(typedStart, loadedLines, typedStart),
	}},
	{class: "§9.2 hook order", name: "gate, load, gate, start, gate", steps: []step{
		blocked("____"), load(), blocked("xxx_"), start(), allowed(),
	}},
	{class: "§9.2 hook order", name: "PostToolUse of a Read before its PreToolUse", steps: []step{
		gate(shown(2)), gate(read("{root}/CONTEXT.md")), tokenIs(readLine(2)),
	}},
	{class: "§9.2 hook order", name: "compaction before anything else", steps: []step{
		gate(compact("manual")), noToken(), load(), start(), allowed(),
	}},
	{class: "§9.2 hook order", name: "markers in any order in the file", steps: []step{
		token(typedStart, loadedLines[2], loadedLines[0], loadedLines[1]), allowed(),
	}},

	// 3. Subagents share the session of their parent.
	{class: "§9.3 subagents", name: "blocked before, allowed after", steps: []step{
		as("a7fc51fefd85ff99e"), blocked("____"), as(""), load(), start(), as("a7fc51fefd85ff99e"), allowed(),
	}},
	{class: "§9.3 subagents", name: "starting one is itself gated", steps: []step{
		load(), gate(subagent).blocks("Agent", "xxx_"), client("2.0.76"), gate(subagent).blocks("Task", "xxx_"),
	}},
	{class: "§9.3 subagents", name: "Skill start by a subagent counts, with its id", steps: []step{
		load(), as("a7fc51fefd85ff99e"), gate(skill("start")), tokenIs(loadedLines, "START_ACK Skill a7fc51fefd85ff99e"), as(""), allowed(),
	}},
	{class: "§9.3 subagents", name: "a required Read by a subagent passes and marks nothing", steps: []step{
		as("a7fc51fefd85ff99e"), gate(read("{root}/CONTEXT.md")), gate(shown(2)), noToken(),
	}},
	{class: "§9.3 subagents", name: "without agent_id, as older clients send, it is the parent", steps: []step{
		client("2.1.50"), as("a7fc51fefd85ff99e"), load(), gate(skill("start")), tokenIs(loadedLines, skillStart),
	}},

	// 4. Parallel fan-out.
	{class: "§9.4 parallel calls", name: "10 Bash calls at once in the first second of a session", needs: crowd, steps: []step{
		load(), times(10, blocked("xxx_")), start(), times(10, allowed()), tokenIs(loadedLines, typedStart),
	}},
	{class: "§9.4 parallel calls", name: "10 different calls at once", needs: crowd, steps: []step{
		load(), together{
			blocked("xxx_"), blockedTool("Write"), blockedTool("Edit"), gate(tool("TaskList")), gate(skill("other")),
			gate(read("{root}/CLAUDE.md")), gate(read("{root}/CONTEXT.md")), gate(subagent).blocks("Agent", "xxx_"), blockedTool("Glob"),
			blockedTool("WebFetch"),
		}, tokenIs(loadedLines),
	}},
	{class: "§9.4 parallel calls", name: "three required Reads shown at once", needs: crowd, steps: []step{
		start().says("START_ACK"), together{gate(shown(0)), gate(shown(1)), gate(shown(2))}, allowed(),
	}},

	// 5. A file whose name ends like a required one.
	{class: "§9.5 namesakes", name: "CONTEXT.md in a sub-folder is an ordinary gated Read", steps: []step{
		write("{root}/sub/CONTEXT.md", "x\n"), load(), gate(read("{root}/sub/CONTEXT.md")).blocks("Read", "xxx_"),
	}},
	{class: "§9.5 namesakes", name: "a namesake shown marks nothing", steps: []step{
		write("{root}/sub/CONTEXT.md", rig.SmallContents()[2]),
		gate(func(s *scene) []byte { return s.session.PostRead(s.root+"/sub/CONTEXT.md", s.files[2]) }), noToken(),
	}},
	{class: "§9.5 namesakes", name: "scope.md in the root", steps: []step{
		write("{root}/scope.md", "x\n"), gate(read("{root}/scope.md")).blocks("Read", "____"),
	}},
	{class: "§9.5 namesakes", name: "COMMANDMENTS.md of a whole path inside a sub-folder", steps: []step{
		write("{root}/old/"+required[0], "x\n"), gate(read("{root}/old/"+required[0])).blocks("Read", "____"),
	}},
	{class: "§9.5 namesakes", name: "a name with the required one at its end", steps: []step{
		write("{root}/MY-CONTEXT.md", "x\n"), gate(read("{root}/MY-CONTEXT.md")).blocks("Read", "____"),
	}},
	{class: "§9.5 namesakes", name: "the same file of another constellation", steps: []step{
		fixture(func(s *scene) error { _, err := rig.Constellation(s.dir+"/b/constellation-hades", s.files); return err }),
		gate(read("{dir}/b/constellation-hades/CONTEXT.md")).blocks("Read", "____"),
		gate(func(s *scene) []byte {
			return s.session.PostRead(s.dir+"/b/constellation-hades/CONTEXT.md", s.files[2])
		}), noToken(),
	}},
}

// lines9 are the steps of a session that starts at cwd and is gated by {root}.
func lines9(cwd string, prepare ...step) []step {
	return append(prepare, at(cwd), blocked("____"), load(), blocked("xxx_"), start(), allowed(), tokenIs(loadedLines, typedStart))
}

// readLine is the record that a Read of the i-th required file earns.
func readLine(i int) string { return rig.Markers[i] + " Read main@{prompt} {root}/" + required[i] }
