package main

import (
	"strings"

	"moirai/stresstest/rig"
)

// D11: the way out by reading the three files.
var readCases = []testCase{
	{class: "D11", name: "the three files shown whole, then /start: open", steps: []step{
		blocked("____"), gate(read("{root}/" + required[0])), gate(shown(0)), gate(read("{root}/" + required[1])), gate(shown(1)),
		gate(read("{root}/" + required[2])), gate(shown(2)), blocked("xxx_"), start(), allowed(),
		tokenIs(readLine(0), readLine(1), readLine(2), typedStart),
	}},
	{class: "D11", name: "a session that entered by cd gets out", steps: []step{
		at("{dir}"), loader(startup), at("{root}"), blocked("____", "{root}/"+required[0], "{root}/"+required[1], "{root}/"+required[2]),
		gate(shown(0)), gate(shown(1)), gate(shown(2)), gate(skill("start")), allowed(),
	}},
	{class: "D11", name: "PreToolUse lets it pass and records nothing", steps: []step{
		gate(read("{root}/CONTEXT.md")), gate(read("{root}/context/scope.md")), gate(read("{root}/docs/book-of-hades/COMMANDMENTS.md")), noToken(),
	}},
	{class: "D11", name: "it passes with the token corrupt or unreadable: the way out stays open", steps: []step{
		tokenBytes("x\n"), gate(read("{root}/CONTEXT.md")),
	}},
	{class: "D11", name: "by another spelling of the same file", steps: []step{
		link("{dir}/sym", "{root}"), hardLink("{dir}/hard.md", "{root}/CONTEXT.md"),
		gate(read("{root}/docs/../CONTEXT.md")), gate(read("{root}//CONTEXT.md")), gate(read("{dir}/sym/CONTEXT.md")),
		gate(read("{dir}/hard.md")), gate(read("{root}/./context/./scope.md")), noToken(),
		gate(shownAs("{root}/docs/../CONTEXT.md", 2)), tokenIs(readLine(2)), session("b"), gate(shownAs("{dir}/sym/CONTEXT.md", 2)),
		tokenIs(readLine(2)),
	}},
	{class: "D11", name: "another spelling that the file system takes for the file", needs: mount, steps: []step{
		write("{root}/context.MD", ""), bound("{root}/CONTEXT.md", "{root}/context.MD"), gate(read("{root}/context.MD")),
		gate(shownAs("{root}/context.MD", 2)), tokenIs(readLine(2)),
	}},
	{class: "D11", name: "a path with a blank at an end, relative or with ~ is not it", steps: []step{
		gate(read("{root}/CONTEXT.md ")).blocks("Read", "____"), gate(read(" {root}/CONTEXT.md")).blocks("Read", "____"),
		gate(read("CONTEXT.md")).blocks("Read", "____"), gate(read("./CONTEXT.md")).blocks("Read", "____"),
		gate(read("~/CONTEXT.md")).blocks("Read", "____"), gate(read("{root}/CONTEXT.md\n")).blocks("Read", "____"),
		gate(read("")).blocks("Read", "____"), gate(read("{root}")).blocks("Read", "____"),
		gate(read("{root}/docs")).blocks("Read", "____"),
	}},
	{class: "D11", name: "another tool on a required file is gated", steps: []step{
		load(), gate(func(s *scene) []byte {
			return s.session.PreToolUse("Edit", map[string]any{"file_path": s.root + "/CONTEXT.md"})
		}).blocks("Edit", "xxx_"),
		gate(func(s *scene) []byte {
			return s.session.PreToolUse("read", map[string]any{"file_path": s.root + "/CONTEXT.md"})
		}).blocks("read", "xxx_"),
	}},
	{class: "D11", name: "a subagent's Read marks nothing", steps: []step{as("agent-1"), gate(shown(0)), gate(shown(1)), gate(shown(2)), noToken()}},
	{class: "D11", name: "a part marks nothing", steps: []step{
		holding(rig.Contents{"1\n2\n3\n", "s\n", "c\n"}),
		gate(shownPart("1\n2\n3\n", 2, 3, 4)), gate(shownPart("1\n2\n", 1, 2, 4)), gate(shownPart("1\n2\n3\n", 1, 3, 4)),
		gate(shownPart("1\n2\n3\n", 0, 4, 4)), gate(shownPart("1\n2\n3\n", 2, 4, 4)), gate(shownPart("1\n2\n3\n", 1, 4, 5)),
		gate(shownPart("1\n2\n3\n", 1, 5, 4)), noToken(),
		gate(shownPart("1\n2\n3\n", 1, 4, 4)), tokenIs(readLine(0)),
	}},
	{class: "D11", name: "content that is not the file's marks nothing", steps: []step{
		holding(rig.Contents{"1\n2\n3\n", "s\n", "c\n"}),
		gate(shownPart("1\n2\nX\n", 1, 4, 4)), gate(shownPart("1\n2\n3", 1, 4, 4)), gate(shownPart("", 1, 4, 4)),
		gate(shownPart("1\n2\n3\n\n", 1, 4, 4)), gate(shownPart(" 1\n2\n3\n", 1, 4, 4)), noToken(),
	}},
	{class: "D11", name: "the file as it is now: changed since, it marks nothing", steps: []step{
		write("{root}/CONTEXT.md", "new\n"), gate(shown(2)), noToken(), holding(rig.Contents{"1\n", "s\n", "new\n"}), gate(shown(2)),
		tokenIs(readLine(2)),
	}},
	{class: "D11", name: "25,000 bytes count, 25,001 do not", steps: []step{
		holding(rig.Contents{strings.Repeat("x", 24_999) + "\n", strings.Repeat("x", 25_000) + "\n", strings.Repeat("é", 12_501)}),
		gate(shown(0)), gate(shown(1)), gate(shown(2)), tokenIs(readLine(0)),
		blocked("x___", "{root}/"+required[1], "25001 bytes", "25002 bytes"),
	}},
	{class: "D11", name: "CRLF as the client shows it, no final newline, letters beyond ASCII", steps: []step{
		holding(rig.Contents{"a\r\nb\r\n", "no newline", "\u2028é😀\u0000\u0001\"\\\n"}), gate(shown(0)), gate(shown(1)), gate(shown(2)),
		start(), allowed(),
	}},
	{class: "D11", name: "a mark of byte order at the start and a carriage return at the end, which the client does not show", steps: []step{
		holding(rig.Contents{"\ufeffa\n", "b\nc\r", "\ufeffd\r"}), gate(shown(0)), gate(shown(1)), gate(shown(2)),
		tokenIs(readLine(0), readLine(1), readLine(2)),
	}},
	{class: "D11", name: "a path that leads elsewhere for a client that takes .. out first", steps: []step{
		mkdir("{dir}/deep/x"), link("{root}/l", "{dir}/deep/x"), link("{dir}/deep/c", "{root}/CONTEXT.md"), write("{root}/c", "key\n"),
		gate(read("{root}/l/../c")).blocks("Read", "____"), gate(read("{root}/docs/../CONTEXT.md")),
	}},
	{class: "D11", name: "a path that leads elsewhere for a client that leaves .. to the kernel", steps: []step{
		mkdir("{dir}/deep/x"), link("{root}/l", "{dir}/deep/x"), write("{dir}/deep/CONTEXT.md", "key\n"),
		gate(read("{root}/l/../CONTEXT.md")).blocks("Read", "____"),
	}},
	{class: "D11", name: "letters of every script are read as they are written", steps: []step{
		constellation("{dir}/用户/한국어/Việt/e\u0301/constellation-hades", rig.SmallContents()), link("{root}/e\u0301", "{root}/CONTEXT.md"),
		gate(read("{root}/e\u0301")), gate(read("{root}/CONTEXT.md")), gate(read("{root}/CLAUDE.md")), gate(read("{root}/docs/../CONTEXT.md")),
	}},
	{class: "D11", name: "a path that means our own working directory is not it", needs: linux, steps: []step{
		link("{dir}/own", "/proc/self/cwd"), gate(read("/proc/self/cwd/CONTEXT.md")).in("{root}").blocks("Read", "____"),
		gate(read("{dir}/own/CONTEXT.md")).in("{root}").blocks("Read", "____"), gate(read("{root}/CONTEXT.md")).in("{root}"),
		link("{dir}/top", "/"), gate(read("{dir}/top/proc/self/cwd/CONTEXT.md")).in("{root}").blocks("Read", "____"),
		gate(read("/proc/self/root{root}/CONTEXT.md")).in("{root}").blocks("Read", "____"),
	}},
	{class: "D11", name: "a root on a disk that is mounted as dev or proc: the paths of the message count", needs: mount, steps: []step{
		mkdir("{dir}/dev"), small("{dir}/dev", 1<<20), constellation("{dir}/dev/constellation-hades", rig.SmallContents()),
		gate(read("{root}/" + required[0])), gate(shown(0)), gate(shown(1)), gate(shown(2)), start(), allowed(), session("b"),
		mkdir("{dir}/proc"), small("{dir}/proc", 1<<20), constellation("{dir}/proc/constellation-hades", rig.SmallContents()),
		gate(read("{root}/" + required[0])), gate(shown(0)), gate(shown(1)), gate(shown(2)), start(), allowed(),
	}},
	{class: "D11", name: "a root whose own path has letters that a client may compose: the paths of the message count", steps: []step{
		mkdir("{dir}/e\u0301"), constellation("{dir}/e\u0301/constellation-hades", rig.SmallContents()), gate(read("{root}/" + required[0])),
		gate(shown(0)), gate(shown(1)), gate(shown(2)), start(), allowed(),
	}},
	{class: "D11", name: "over 25,000 bytes with CRLF marks nothing", steps: []step{
		holding(rig.Contents{strings.Repeat("xx\r\n", 6_251), "s\n", "c\n"}), gate(shown(0)), noToken(),
	}},
	{class: "D11", name: "invalid UTF-8, which a Read cannot show as it is, marks nothing", steps: []step{
		holding(rig.Contents{"a\xff\n", "s\n", "c\n"}), gate(shown(0)), noToken(),
	}},
	{class: "D11", name: "a required file that is a link counts by the path under the root", steps: []step{
		rename("{root}/CONTEXT.md", "{dir}/c.md"), link("{root}/CONTEXT.md", "{dir}/c.md"), gate(read("{dir}/c.md")),
		gate(shownAs("{dir}/c.md", 2)), tokenIs(readLine(2)),
	}},
	{class: "D11", name: "a second Read adds no line, nor one after the load", steps: []step{
		gate(shown(2)), gate(shown(2)), tokenIs(readLine(2)), session("b"), load(), gate(shown(0)), tokenIs(loadedLines),
	}},
	{class: "D11", name: "PostToolUse of another tool marks nothing", steps: []step{
		gate(with(shown(2), "tool_name", `"Bash"`)), gate(with(shown(2), "tool_name", `"read"`)),
		gate(with(shown(2), "tool_name", `"NotebookRead"`)), gate(with(shown(2), "tool_name", `"Skill"`)),
		gate(also(without(shown(2), "tool_name"), "tool_name", `"Bash"`)), noToken(),
	}},
	{class: "D11", name: "a file that has become empty, and is shown so, marks nothing", steps: []step{
		write("{root}/"+required[2], ""), gate(responded(`{"filePath":"{root}/CONTEXT.md","content":"","startLine":1,"numLines":1,"totalLines":1}`)), noToken(),
	}},
	{class: "D11", name: "the same payload as PreToolUse marks nothing", steps: []step{
		gate(with(shown(2), "hook_event_name", `"PreToolUse"`)), noToken(),
	}},
	{class: "D11", name: "a response of another shape marks nothing and blocks nothing", steps: []step{
		gate(without(shown(2), "tool_response")), gate(with(shown(2), "tool_response", `"text"`)),
		gate(with(shown(2), "tool_response", "null")), gate(with(shown(2), "tool_response", "[]")),
		gate(with(shown(2), "tool_response", "{}")),
		gate(with(shown(2), "tool_response", `{"file":null}`)), gate(with(shown(2), "tool_response", `{"file":[]}`)),
		gate(with(shown(2), "tool_response", `{"file":{}}`)),
		gate(with(shown(2), "tool_response", `{"type":"file_unchanged","file":{"filePath":"{root}/CONTEXT.md"}}`)),
		gate(also(shown(2), "tool_response", "{}")), gate(without(shown(2), "tool_input")), gate(with(shown(2), "tool_input", "7")),
		gate(also(shown(2), "tool_input", `{"file_path":"/x"}`)), noToken(),
	}},
	{class: "D11", name: "keys of the response doubled, in another case or of another type mark nothing", steps: []step{
		holding(rig.Contents{"c\n", "s\n", "c\n"}),
		gate(responded(`{"content":"c\n","startLine":1,"numLines":2,"totalLines":2,"content":"x"}`)),
		gate(responded(`{"content":"c\n","startLine":1,"numLines":2,"totalLines":2,"totalLines":2}`)),
		gate(responded(`{"content":"c\n","startLine":2,"startLine":1,"numLines":2,"totalLines":2}`)),
		gate(responded(`{"content":"c\n","startLine":1,"numLines":1,"numLines":2,"totalLines":2}`)),
		gate(responded(`{"Content":"c\n","startLine":1,"numLines":2,"totalLines":2}`)),
		gate(responded(`{"content":"c\n","StartLine":1,"numLines":2,"totalLines":2}`)),
		gate(responded(`{"content":"c\n","startLine":"1","numLines":2,"totalLines":2}`)),
		gate(responded(`{"content":"c\n","startLine":1,"numLines":null,"totalLines":null}`)),
		gate(responded(`{"content":"c\n","startLine":1,"numLines":"2","totalLines":"2"}`)),
		gate(responded(`{"content":"c\n","startLine":1}`)),
		gate(responded(`{"content":["c\n"],"startLine":1,"numLines":2,"totalLines":2}`)),
		gate(responded(`{"content":"c\n","startLine":1,"numLines":-1,"totalLines":-1}`)), noToken(),
		gate(responded(`{"content":"c\n","startLine":1,"numLines":2,"totalLines":2}`)), tokenIs(readLine(2)),
	}},
	{class: "D11", name: "a Read that was refused or cut leaves no trace: no PostToolUse, no marker", steps: []step{
		gate(read("{root}/CONTEXT.md")), gate(read("{root}/context/scope.md")), gate(read("{root}/" + required[0])),
		start().says("START_ACK"), blocked("___x"),
	}},
	{class: "D11", name: "a failed append is not said here: the next blocked call says it", steps: []step{
		tokenBytes("x\n"), gate(shown(2)), content("{token}", "x\n"), gate(bash).failsClosed("line 1"),
	}},
	{class: "D11", name: "PostToolUse of any tool exits 0 in a closed session", steps: []step{
		gate(with(bash, "hook_event_name", `"PostToolUse"`)), gate(with(tool("Edit"), "hook_event_name", `"PostToolUse"`)), noToken(),
	}},
	{class: "D11", name: "a file that cannot be opened in time: the watchdog, exit 0, nothing recorded", needs: linux | patient, steps: []step{
		gate(shown(1)), gate(shown(0)).tells("not recorded", "5s").atOpen("{root}/"+required[0], nil), blocked("_x__"),
	}},
	{class: "D11", name: "a required file that is missing, a directory or a FIFO", steps: []step{
		remove("{root}/CONTEXT.md"), gate(read("{root}/CONTEXT.md")).blocks("Read", "____"), gate(shown(2)), fifo("{root}/CONTEXT.md"),
		gate(shown(2)), remove("{root}/CONTEXT.md"), mkdir("{root}/CONTEXT.md"), gate(shown(2)), noToken(),
	}},
}

// shownAs is the PostToolUse of a Read that showed the i-th file by another path.
func shownAs(path string, i int) payload {
	return func(s *scene) []byte { return s.session.PostRead(s.expand(path), s.files[i]) }
}

// shownPart is the PostToolUse of a Read of the first file with these numbers.
func shownPart(content string, start, num, total int) payload {
	return func(s *scene) []byte {
		return s.session.PostReadPart(s.root+"/"+required[0], content, start, num, total)
	}
}

// responded is the PostToolUse of a Read of CONTEXT.md with this tool_response.file.
func responded(file string) payload {
	return with(shown(2), "tool_response", `{"type":"text","file":`+file+`}`)
}
