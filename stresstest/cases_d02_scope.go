package main

import "moirai/stresstest/rig"

// D2: which sessions are gated, and by which root.
var scopeCases = []testCase{
	{class: "D2", name: "the name without regard to case", steps: []step{
		constellation("{dir}/a/Constellation-Hades", rig.SmallContents()), load(), start(), allowed(), tokenIs(loadedLines, typedStart),
		session("b"), constellation("{dir}/b/CONSTELLATION-HADES", rig.SmallContents()), blocked("____"), load(), tokenIs(loadedLines),
	}},
	{class: "D2", name: "the name in letters that fold to it", steps: []step{
		constellation("{dir}/a/con\u017ftellation-hade\u017f", rig.SmallContents()), blocked("____"),
	}},
	{class: "D2", name: "another spelling that the file system takes for the name", needs: mount, steps: []step{
		mkdir("{dir}/a/HADES"), mkdir("{dir}/a/constellation-hades"), bound("{root}", "{dir}/a/constellation-hades"),
		bound("{root}", "{dir}/a/HADES"),
		fixture(func(s *scene) error { s.root = s.dir + "/a/HADES"; return nil }),
		at("{dir}/a/HADES/docs"), load(), start(), allowed(), tokenIs(loadedLines, typedStart),
	}},
	{class: "D2", name: "names that only look like it are outside", steps: []step{
		outside("constellation-hades-old"), outside("my-constellation-hades"), outside("constellation_hades"),
		outside("constellation-hade"), outside("constellation-hadess"),
		outside("constellation-hades "), outside("constellation"), outside("hades"), outside("constellation-atlas"),
		outside("constellation-hades.bak"),
	}},
	{class: "D2", name: "a trailing slash, doubled slashes, dots", steps: []step{
		load(), start(), at("{root}/"), allowed(), at("{root}//docs///"), allowed(), at("{root}/./docs/../docs"), allowed(), session("b"),
		at("{dir}//constellation-hades/."), blocked("____"), at("{dir}/elsewhere/../constellation-hades"), blocked("____"),
		at("{root}/docs/.."), blocked("____"),
	}},
	{class: "D2", name: ".. that leads out is outside", steps: []step{
		at("{root}/.."), gate(bash), loader(startup), at("{root}/docs/../.."), gate(bash), noToken(),
	}},
	{class: "D2", name: "/ and its like are outside", steps: []step{
		at("/"), gate(bash), loader(startup), at("//"), gate(bash), at("/.."), gate(bash), noToken(),
	}},

	// The root.
	{class: "D2", name: "checkout within a folder of the name (constellation-hades/constellation-hades)", steps: []step{
		constellation("{dir}/b/constellation-hades/constellation-hades", rig.SmallContents()), load(), start(), allowed(),
		tokenIs(loadedLines, typedStart),
	}},
	{class: "D2", name: "worktree managers (constellation-hades/BRANCH)", steps: []step{
		constellation("{dir}/b/constellation-hades/feature-x", rig.SmallContents()), load(), start(), allowed(), tokenIs(loadedLines, typedStart),
		at("{root}/docs"), allowed(), at("{dir}/b/constellation-hades"), blocked("___x"),
	}},
	{class: "D2", name: "a copy deep below, reached from deeper still", steps: []step{
		constellation("{dir}/b/constellation-hades/x/y/z", rig.SmallContents()), at("{root}/docs/book-of-hades"), load(), start(),
		allowed(), tokenIs(loadedLines, typedStart),
	}},
	{class: "D2", name: "the first whole directory from outside wins over a copy within it", steps: []step{
		fixture(func(s *scene) error {
			_, err := rig.Constellation(s.root+"/weak/constellation-hades", rig.Contents{"weak\n", "weak\n", "weak\n"})
			return err
		}),
		at("{root}/weak/constellation-hades"), load(), start(), allowed(), tokenIs(loadedLines, typedStart),
	}},
	{class: "D2", name: "an incomplete outer one gives way to a whole inner one", steps: []step{
		remove("{root}/context/scope.md"),
		fixture(func(s *scene) error { return s.settle(s.root+"/inner", rig.SmallContents()) }),
		load(), start(), allowed(), tokenIs(loadedLines, typedStart),
	}},
	{class: "D2", name: "of many directories that were tried ten are listed, the outermost first", steps: []step{
		mkdir("{dir}/many/constellation-hades/1/2/3/4/5/6/7/8/9/10/11"), at("{dir}/many/constellation-hades/1/2/3/4/5/6/7/8/9/10/11"),
		gate(bash).blocks("Bash", "____", "tried: {dir}/many/constellation-hades {dir}", "/1/2/3/4/5/6/7/8/9\nWay out"),
	}},
	{class: "D2", name: "a required file that is a directory does not make a root", steps: []step{
		remove("{root}/CONTEXT.md"), mkdir("{root}/CONTEXT.md"),
		fixture(func(s *scene) error { return s.settle(s.root+"/inner", rig.SmallContents()) }),
		load(), tokenIs(loadedLines),
	}},
	{class: "D2", name: "a required file that is a link makes a root", steps: []step{
		rename("{root}/CONTEXT.md", "{dir}/c.md"), link("{root}/CONTEXT.md", "{dir}/c.md"),
		fixture(func(s *scene) error {
			_, err := rig.Constellation(s.root+"/inner", rig.Contents{"weak\n", "weak\n", "weak\n"})
			return err
		}),
		at("{root}/inner"), load(), tokenIs(loadedLines),
	}},
	{class: "D2", name: "no whole directory: the outermost is the root, and what was tried is listed", steps: []step{
		constellation("{dir}/b/constellation-hades/x/constellation-hades/y", rig.Contents{"a\n", "b\n", ""}),
		loader(startup).failsClosed("{dir}/b/constellation-hades/docs/book-of-hades/COMMANDMENTS.md", "tried",
			"{dir}/b/constellation-hades", "{dir}/b/constellation-hades/x", "{dir}/b/constellation-hades/x/constellation-hades",
			"{dir}/b/constellation-hades/x/constellation-hades/y"),
		blocked("____", "no Hades root", "{dir}/b/constellation-hades/x/constellation-hades/y"), unmarked(),
	}},
	{class: "D2", name: "the files of a directory above the name do not count", steps: []step{
		constellation("{dir}/b", rig.SmallContents()), mkdir("{dir}/b/constellation-hades/x"), at("{dir}/b/constellation-hades/x"),
		loader(startup).failsClosed("{dir}/b/constellation-hades/CONTEXT.md"), blocked("____", "no Hades root"),
	}},
	{class: "D2", name: "the files of a directory below cwd do not count", steps: []step{
		mkdir("{dir}/b/constellation-hades"), constellation("{dir}/b/constellation-hades/main", rig.SmallContents()),
		at("{dir}/b/constellation-hades"),
		loader(startup).failsClosed("{dir}/b/constellation-hades/CONTEXT.md"), blocked("____", "no Hades root"),
	}},

	// A cwd that cannot be resolved.
	{class: "D2", name: "cwd deleted under the session: judged as far as it exists", steps: []step{
		load(), start(), at("{root}/gone/deeper"), allowed(), session("b"), blocked("____"), load(), tokenIs(loadedLines),
	}},
	{class: "D2", name: "the whole root deleted: what was loaded stands, a new session is closed", steps: []step{
		load(), start(), remove("{root}"), allowed(), loader(startup).failsClosed("{root}"), session("b"),
		loader(startup).failsClosed("{root}"), blocked("____", "no Hades root"),
	}},
	{class: "D2", name: "a deleted directory that bore the name: closed", steps: []step{
		at("{dir}/b/constellation-hades/x"), blocked("____", "no Hades root"), loader(startup).failsClosed("{dir}/b/constellation-hades"),
	}},
	{class: "D2", name: "what is gone is taken lexically, .. included", steps: []step{
		at("{dir}/gone/../constellation-hades"), blocked("____"), at("{root}/gone/../.."), gate(bash),
	}},
	{class: "D2", name: "a link, then what is gone", steps: []step{
		link("{dir}/sym", "{root}"), load(), start(), at("{dir}/sym/gone"), allowed(), session("b"), blocked("____"),
	}},
	{class: "D2", name: "what is gone below a link of the name that leads elsewhere: judged by its name, closed", steps: []step{
		mkdir("{dir}/plain"), mkdir("{dir}/l"), link("{dir}/l/constellation-hades", "{dir}/plain"),
		at("{dir}/l/constellation-hades"), allowed(), at("{dir}/l/constellation-hades/gone"), blocked("____", "no Hades root"),
	}},
	{class: "D2", name: "an unreadable directory on the way: closed", needs: modeBits, steps: []step{
		rename("{root}", "{dir}/b"), mkdir("{dir}/locked"), rename("{dir}/b", "{dir}/locked/constellation-hades"), chmod("{dir}/locked", 0),
		at("{dir}/locked/constellation-hades"), loader(startup).failsClosed("{dir}/locked/constellation-hades"), blocked("____"), unmarked(),
	}},
	{class: "D2", name: "a file in the place of a directory: closed", steps: []step{
		write("{dir}/b/constellation-hades", "a file\n"), at("{dir}/b/constellation-hades"),
		loader(startup).failsClosed("{dir}/b/constellation-hades"), blocked("____"),
		at("{dir}/b/constellation-hades/x"), blocked("____"),
	}},

	// Out of scope nothing else is judged.
	{class: "D2", name: "out of scope no other field is judged", steps: []step{
		at("{dir}"),
		gate(raw(`{"cwd":"{dir}"}`)), loader(raw(`{"cwd":"{dir}"}`)),
		gate(with(bash, "session_id", `"../x"`)), gate(without(bash, "session_id")), gate(also(bash, "session_id", `"x"`)),
		gate(with(bash, "session_id", "7")),
		gate(with(bash, "hook_event_name", `"Stop"`)), gate(without(bash, "hook_event_name")),
		gate(also(bash, "hook_event_name", `"Stop"`)), gate(with(bash, "hook_event_name", "7")),
		gate(without(bash, "tool_name")), gate(with(bash, "tool_name", "{}")), gate(with(prompt("x"), "prompt", "{}")),
		gate(also(bash, "agent_id", "{}")),
		gate(with(skill("start"), "tool_input", "7")), gate(with(read("x"), "tool_input", `{"file_path":1,"file_path":2}`)),
		loader(with(startup, "hook_event_name", `"Stop"`)), loader(with(startup, "session_id", "{}")), loader(also(startup, "hook_event_name", "1")),
		gate(without(compact("auto"), "session_id")), gate(with(compact("auto"), "session_id", `"../x"`)),
		gate(also(compact("auto"), "session_id", `"x"`)),
		gate(also(compact("auto"), "agent_id", "{}")),
	}},
	{class: "D2", name: "out of scope well-formed JSON and cwd are judged", steps: []step{
		at("{dir}"), gate(around("", bash, "x")).failsClosed("stdin"), gate(without(bash, "cwd")).failsClosed("cwd"),
		loader(without(startup, "cwd")).failsClosed("cwd"),
		gate(also(bash, "cwd", `"{dir}"`)).failsClosed("cwd"), gate(with(bash, "cwd", `"x"`)).failsClosed("cwd"),
	}},
}

// outside: a folder of this name, with all three files, is out of scope.
func outside(name string) step {
	return expectation(func(s *scene) error {
		if err := s.settle(s.dir+"/o/"+name, rig.SmallContents()); err != nil {
			return err
		}
		for _, st := range []step{loader(startup), start(), gate(bash), noToken()} {
			if err := st.do(s); err != nil {
				return err
			}
		}
		return nil
	})
}
