package main

import (
	"strings"
)

// D1: what is a payload, and what is malformed.
var payloadCases = []testCase{
	// Allowed.
	{class: "D1", name: "keys that no event needs are skipped whatever they hold", steps: []step{
		load(), start(),
		gate(also(also(also(bash, "new", `{"a":[1,2,{"b":null}]}`), "new", `"twice"`), "permission_mode", "7")),
		gate(ahead(bash, "transcript_path", "null")), gate(without(bash, "transcript_path")),
		loader(also(startup, "prompt", "3")).prints(theWholeBlock), loader(without(startup, "source")).prints(theWholeBlock),
	}},
	{class: "D1", name: "keys of other events are not judged", steps: []step{
		load(), gate(also(prompt("/start"), "tool_name", "5")), gate(also(bash, "prompt", "[1]")),
		gate(also(also(bash, "skill", "1"), "file_path", "2")),
		gate(also(prompt("/start"), "tool_input", `"x"`)),
	}},
	{class: "D1", name: "tool_input is judged for Skill and Read alone", steps: []step{
		load(), start(), gate(with(bash, "tool_input", `"words"`)), gate(with(bash, "tool_input", "null")), gate(without(bash, "tool_input")),
		gate(also(bash, "tool_input", "[]")), gate(with(bash, "tool_input", `{"command":"a","command":"b"}`)),
		gate(with(tool("TaskList"), "tool_input", "1")),
		gate(also(ahead(bash, "tool_input", "[]"), "tool_input", "[]")),
	}},
	{class: "D1", name: "tool_response is not judged before PostToolUse", steps: []step{
		load(), start(), gate(also(read("/etc/passwd"), "tool_response", "1")),
	}},
	{class: "D1", name: "white space around and inside", steps: []step{
		load(), start(), gate(around("\n\t ", bash, "\r\n \n")), gate(around("{ \n", func(s *scene) []byte { return bash(s)[1:] }, "")),
	}},
	{class: "D1", name: "any order of keys", steps: []step{
		load(),
		gate(raw(`{"tool_input":{"args":"x","skill":"start"},"tool_name":"Skill","cwd":"{root}","hook_event_name":"PreToolUse","session_id":"{session}"}`)),
		tokenIs(loadedLines, skillStart),
	}},
	{class: "D1", name: "the required keys alone", steps: []step{
		loader(raw(`{"cwd":"{root}","session_id":"{session}"}`)).prints(theWholeBlock),
		gate(raw(`{"cwd":"{root}","session_id":"{session}","hook_event_name":"UserPromptSubmit","prompt":"/start"}`)),
		gate(raw(`{"cwd":"{root}","session_id":"{session}","hook_event_name":"PreToolUse","tool_name":"Bash"}`)),
		tokenIs(loadedLines, typedStart),
	}},
	{class: "D1", name: "an escaped key is that key", steps: []step{
		load(), start(), gate(raw(`{"\u0063wd":"{root}","session_id":"{session}","hook_event_name":"PreToolUse","tool_n\u0061me":"Bash"}`)),
		gate(raw(`{"\u0063wd":"{root}","cwd":"/","session_id":"{session}","hook_event_name":"PreToolUse","tool_name":"Bash"}`)).failsClosed("cwd"),
	}},
	{class: "D1", name: "a payload of 64 MiB works", needs: crowd, steps: []step{load(), start(), gate(heavy(64 << 20))}},
	{class: "D1", name: "a payload of 64 MiB is blocked as any other", needs: crowd, steps: []step{
		load(), gate(heavy(64<<20)).blocks("Write", "xxx_"),
	}},
	{class: "D1", name: "128 MiB and one byte is refused", needs: crowd, steps: []step{
		load(), start(), gate(padded(bash, 128<<20+1)).eitherClosed("over 134217728 bytes", "not done after 5s"),
	}},
	{class: "D1", name: "2 MiB of white space inside and after the object", needs: crowd, steps: []step{
		load(), start(), gate(around("{"+strings.Repeat(" ", 2<<20), func(s *scene) []byte { return bash(s)[1:] }, "")),
		gate(around("", bash, strings.Repeat("\n", 2<<20))),
	}},

	// Exactly one JSON object.
	{class: "D1", name: "two objects", steps: notAnObject(`{} {}`, `{"cwd":"{root}","session_id":"{session}"}{"cwd":"{root}"}`)},
	{class: "D1", name: "something after the object", steps: []step{
		load(), start(), gate(around("", bash, "x")).failsClosed("stdin"), gate(around("", bash, "\x00")).failsClosed("stdin"),
		gate(around("", bash, "null")).failsClosed("stdin"), gate(around("", bash, ",")).failsClosed("stdin"),
		gate(around("", bash, "}")).failsClosed("stdin"),
	}},
	{class: "D1", name: "something before the object", steps: []step{
		load(), start(), gate(around("\ufeff", bash, "")).failsClosed("stdin"), gate(around("\x00", bash, "")).failsClosed("stdin"),
		gate(around("1", bash, "")).failsClosed("stdin"),
	}},
	{class: "D1", name: "JSON that is no object", steps: notAnObject("null", "[]", `"x"`, "7", "true", `[{"cwd":"{root}"}]`)},
	{class: "D1", name: "nearly JSON", steps: notAnObject("{", "}", `{"cwd"}`, `{"cwd":"{root}",}`, `{'cwd':'{root}'}`, `{cwd:"{root}"}`, `{"cwd":"{root}" "a":1}`,
		`{"a":01}`, `{"a":tru}`, `{"a":"\x"}`, "{\"a\":\"\n\"}", `{"a":[1,]}`, `{"a":{"b":}}`, `//
{}`)},
	{class: "D1", name: "bad syntax in a key that is skipped", steps: []step{
		load(), start(), gate(also(bash, "other", "[1,")).failsClosed("stdin"), gate(also(bash, "other", `"\u12"`)).failsClosed("stdin"),
		gate(also(bash, "other", "nul")).failsClosed("stdin"),
		at("{dir}"), gate(also(bash, "other", "[1,")).failsClosed("stdin"), loader(also(startup, "other", "{")).failsClosed("stdin"),
	}},
	{class: "D1", name: "cut at every tenth byte is never taken", steps: []step{cutEverywhere{10}}},

	// cwd.
	{class: "D1", name: "cwd missing, doubled, of another type", steps: append([]step{load(), start()}, everyHook("cwd", "cwd",
		missing, doubled(`"{root}"`), doubled(`"/"`), changed("null"), changed("7"), changed(`["{root}"]`), changed(`{"cwd":"{root}"}`), changed("true"))...)},
	{class: "D1", name: "cwd of over 4,096 bytes is none in scope, and no matter elsewhere", steps: []step{
		gate(with(bash, "cwd", `"/`+strings.Repeat("x", 4096)+`"`)), loader(with(startup, "cwd", `"/`+strings.Repeat("x", 4096)+`"`)),
		gate(with(bash, "cwd", `"/constellation-hades/`+strings.Repeat("x", 4075)+`"`)).blocks("Bash", "____"),
		gate(with(bash, "cwd", `"/constellation-hades/`+strings.Repeat("x", 4076)+`"`)).failsClosed("4096 bytes"),
		loader(with(startup, "cwd", `"/constellation-hades/`+strings.Repeat("x", 4076)+`"`)).failsClosed("4096 bytes"),
	}},
	{class: "D1", name: "cwd in another case is not cwd", steps: []step{
		load(), start(), gate(renamed(bash, "cwd", "CWD")).failsClosed("cwd"), gate(renamed(bash, "cwd", "Cwd")).failsClosed("cwd"),
		loader(renamed(startup, "cwd", "Cwd")).failsClosed("cwd"),
		gate(also(bash, "Cwd", `"/"`)), gate(ahead(bash, "CWD", `7`)), at("{dir}"), gate(also(bash, "Cwd", `"{root}"`)),
	}},
	{class: "D1", name: "cwd not absolute", steps: append([]step{load(), start()}, everyHook("cwd", "cwd",
		changed(`""`), changed(`"constellation-hades"`), changed(`"./constellation-hades"`), changed(`"~/constellation-hades"`), changed(`" /constellation-hades"`))...)},
	{class: "D1", name: "cwd with a control character", steps: append([]step{load(), start()}, everyHook("cwd", "cwd",
		changed(`"{root}/a\nb"`), changed(`"{root}/a\u0000b"`), changed(`"{root}/a\tb"`), changed(`"{root}/a\u007fb"`), changed(`"{root}/a\u0085b"`),
		changed(`"{root}/a\u001bb"`))...)},
	{class: "D1", name: "cwd with a control character elsewhere is no matter", steps: []step{
		load(), start(), gate(with(bash, "cwd", `"/a\tb"`)), gate(with(prompt("/start"), "cwd", `"/a\nb"`)), loader(with(startup, "cwd", `"/a\rb"`)),
		gate(with(compact("auto"), "cwd", `"/a\rb"`)),
	}},
	{class: "D1", name: "JSON nested over 10,000 deep is malformed in scope, and no matter elsewhere", steps: []step{
		load(), start(), gate(also(bash, "x", deep(10_001))).failsClosed("depth"), gate(ahead(bash, "x", deep(10_001))).failsClosed("depth"),
		loader(also(startup, "x", deep(10_001))).failsClosed("depth"), allowed(), at("{dir}"), gate(also(bash, "x", deep(10_001))),
		gate(also(prompt("hello"), "x", deep(10_001))), gate(around("", also(bash, "x", deep(10_001)), "x")),
	}},

	// session_id.
	{class: "D1", name: "session_id of 128 characters and of every kind", steps: []step{
		sessionID(strings.Repeat("a", 128)), load(), start(), allowed(), tokenIs(loadedLines, typedStart),
		sessionID("{session}-AZaz09._-"), sessionID("AZaz09_-.-stress"), load(), start(), allowed(), tokenIs(loadedLines, typedStart),
		sessionID("-"), load(), start(), allowed(), sessionID("_"), blocked("____"),
	}},
	{class: "D1", name: "session_id missing, doubled, of another type", steps: append([]step{load(), start()}, everyHook("session_id", "session_id",
		missing, doubled(`"{session}"`), doubled(`"x"`), changed("null"), changed("7"), changed(`[]`), changed(`{}`))...)},
	{class: "D1", name: "session_id in another case is not session_id", steps: []step{
		load(), start(), gate(renamed(bash, "session_id", "Session_Id")).failsClosed("session_id"), gate(also(bash, "SESSION_ID", `"x"`)),
	}},
	{class: "D1", name: "session_id that is no file name", steps: append([]step{load(), start()}, everyHook("session_id", "session_id",
		changed(`""`), changed(`"."`), changed(`".."`), changed(`".hidden"`), changed(`"a/b"`), changed(`"../hades/session-x"`),
		changed(`"a b"`), changed(`"a\n"`), changed(`"a\u0000"`),
		changed(`"~"`), changed(`"a~b~"`), changed(`"é"`), changed(`"a:b"`), changed(`"a*"`), changed(`"`+strings.Repeat("a", 129)+`"`))...)},

	// hook_event_name.
	{class: "D1", name: "hook_event_name missing, doubled, of another type", steps: append([]step{load(), start()}, everyEvent("hook_event_name",
		missing, doubled(`"PreToolUse"`), doubled(`"Stop"`), changed("null"), changed("7"), changed(`["PreToolUse"]`))...)},
	{class: "D1", name: "an event that is not wired is mis-wiring", steps: append([]step{load(), start()}, everyEvent("hook_event_name",
		changed(`"Stop"`), changed(`""`), changed(`"pretooluse"`), changed(`"PreToolUse "`), changed(`"SessionStart"`), changed(`"PostCompact"`),
		changed(`"SubagentStop"`))...)},
	{class: "D1", name: "the loader does not need it, but takes SessionStart alone", steps: []step{
		loader(without(startup, "hook_event_name")).prints(theWholeBlock), tokenIs(loadedLines), session("b"),
		loader(with(startup, "hook_event_name", `"PreToolUse"`)).failsClosed("PreToolUse"),
		loader(with(startup, "hook_event_name", `"sessionstart"`)).failsClosed("sessionstart"),
		loader(with(startup, "hook_event_name", "7")).failsClosed("hook_event_name"),
		loader(with(startup, "hook_event_name", `""`)).failsClosed("loader"[:0]),
		loader(also(startup, "hook_event_name", `"SessionStart"`)).failsClosed("hook_event_name"), loader(bash).failsClosed("PreToolUse"), unmarked(),
	}},

	// tool_name, prompt.
	{class: "D1", name: "tool_name missing, doubled, of another type", steps: []step{
		load(), start(), gate(without(bash, "tool_name")).failsClosed("tool_name"),
		gate(also(bash, "tool_name", `"TaskList"`)).failsClosed("tool_name"),
		gate(also(bash, "tool_name", `"Bash"`)).failsClosed("tool_name"),
		gate(with(bash, "tool_name", "null")).failsClosed("tool_name"), gate(with(bash, "tool_name", "7")).failsClosed("tool_name"),
		gate(with(bash, "tool_name", `["Bash"]`)).failsClosed("tool_name"),
		gate(renamed(bash, "tool_name", "Tool_Name")).failsClosed("tool_name"), gate(renamed(bash, "tool_name", "toolName")).failsClosed("tool_name"),
	}},
	{class: "D1", name: "tool_name in another case does not count", steps: []step{
		load(), gate(also(bash, "Tool_name", `"TaskList"`)).blocks("Bash", "xxx_"),
		gate(ahead(bash, "TOOL_NAME", `"TaskList"`)).blocks("Bash", "xxx_"),
	}},
	{class: "D1", name: "prompt missing, doubled, of another type", steps: []step{
		gate(without(prompt("/start"), "prompt")).failsClosed("prompt"),
		gate(also(prompt("/start"), "prompt", `"x"`)).failsClosed("prompt"),
		gate(also(prompt("x"), "prompt", `"/start"`)).failsClosed("prompt"),
		gate(with(prompt("x"), "prompt", "null")).failsClosed("prompt"),
		gate(with(prompt("x"), "prompt", `["/start"]`)).failsClosed("prompt"),
		gate(renamed(prompt("/start"), "prompt", "Prompt")).failsClosed("prompt"),
		gate(also(prompt("x"), "Prompt", `"/start"`)), noToken(),
	}},

	// tool_input for Skill and Read.
	{class: "D1", name: `{"skill":"x","Skill":"start"} is x`, steps: []step{
		load(), gate(with(skill("x"), "tool_input", `{"skill":"x","Skill":"start"}`)),
		gate(with(skill("x"), "tool_input", `{"Skill":"start","SKILL":"start"}`)), tokenIs(loadedLines),
	}},
	{class: "D1", name: "skill doubled or of another type", steps: []step{
		load(), gate(with(skill("x"), "tool_input", `{"skill":"x","skill":"start"}`)).failsClosed("skill"),
		gate(with(skill("x"), "tool_input", `{"skill":"start","skill":"start"}`)).failsClosed("skill"),
		gate(with(skill("x"), "tool_input", `{"skill":["start"]}`)).failsClosed("skill"),
		gate(with(skill("x"), "tool_input", `{"skill":7}`)).failsClosed("skill"),
		gate(with(skill("x"), "tool_input", `{"skill":null}`)).failsClosed("skill"),
		tokenIs(loadedLines),
	}},
	{class: "D1", name: "tool_input of Skill doubled or of another type", steps: []step{
		load(), gate(also(skill("x"), "tool_input", `{"skill":"start"}`)).failsClosed("tool_input"),
		gate(ahead(skill("start"), "tool_input", `{"skill":"x"}`)).failsClosed("tool_input"),
		gate(with(skill("x"), "tool_input", `"start"`)).failsClosed("tool_input"),
		gate(with(skill("x"), "tool_input", `null`)).failsClosed("tool_input"),
		gate(with(skill("x"), "tool_input", `["start"]`)).failsClosed("tool_input"),
		tokenIs(loadedLines),
	}},
	{class: "D1", name: "file_path doubled or of another type", steps: []step{
		gate(with(read("x"), "tool_input", `{"file_path":"/x/CLAUDE.md","file_path":"/etc/passwd"}`)).failsClosed("file_path"),
		gate(with(read("x"), "tool_input", `{"file_path":7}`)).failsClosed("file_path"),
		gate(with(read("x"), "tool_input", `{"file_path":["/x/CLAUDE.md"]}`)).failsClosed("file_path"),
	}},
	{class: "D1", name: "file_path in another case does not count", steps: []step{
		gate(with(read("x"), "tool_input", `{"file_path":"/etc/passwd","File_Path":"/x/CLAUDE.md"}`)).blocks("Read", "____"),
		gate(with(read("x"), "tool_input", `{"FILE_PATH":"/x/CLAUDE.md"}`)).blocks("Read", "____"),
	}},
	{class: "D1", name: "tool_input of Read doubled or of another type", steps: []step{
		gate(also(read("/x/CLAUDE.md"), "tool_input", `{"file_path":"/etc/passwd"}`)).failsClosed("tool_input"),
		gate(with(read("x"), "tool_input", `"/x/CLAUDE.md"`)).failsClosed("tool_input"),
		gate(with(read("x"), "tool_input", `null`)).failsClosed("tool_input"),
	}},
	{class: "D1", name: "an outer file_path or skill is not the tool's", steps: []step{
		load(), gate(also(read("/etc/passwd"), "file_path", `"/x/CLAUDE.md"`)).blocks("Read", "xxx_"), gate(also(skill("x"), "skill", `"start"`)),
		gate(with(skill("x"), "tool_input", `{"skill":"x","args":{"skill":"start"}}`)), tokenIs(loadedLines),
	}},

	// agent_id.
	{class: "D1", name: "agent_id absent, null or empty is main", steps: []step{
		load(), gate(skill("start")), tokenIs(loadedLines, skillStart),
		session("b"), gate(also(skill("start"), "agent_id", "null")), tokenIs(skillStart), session("c"),
		gate(also(skill("start"), "agent_id", `""`)), tokenIs(skillStart),
	}},
	{class: "D1", name: "agent_id that cannot stand in a record", steps: []step{
		load(), gate(also(skill("start"), "agent_id", `"a b"`)).failsClosed("agent_id"),
		gate(also(skill("start"), "agent_id", `"a\nb"`)).failsClosed("agent_id"),
		gate(also(skill("start"), "agent_id", `".a"`)).failsClosed("agent_id"),
		gate(also(skill("start"), "agent_id", `"`+strings.Repeat("a", 129)+`"`)).failsClosed("agent_id"),
		gate(also(skill("start"), "agent_id", "7")).failsClosed("agent_id"),
		gate(also(skill("start"), "agent_id", "{}")).failsClosed("agent_id"),
		gate(also(also(skill("start"), "agent_id", `"a"`), "agent_id", `"b"`)).failsClosed("agent_id"),
		gate(also(also(skill("start"), "agent_id", `""`), "agent_id", `"b"`)).failsClosed("agent_id"), tokenIs(loadedLines),
	}},
	{class: "D1", name: "agent_id of 128 characters", steps: []step{
		load(), as(strings.Repeat("a", 128)), gate(skill("start")), tokenIs(loadedLines, "START_ACK Skill "+strings.Repeat("a", 128)),
	}},
	{class: "D1", name: "a load whose agent_id cannot be read ends what stood, and earns nothing", steps: []step{
		load(), start(), loader(also(startup, "agent_id", "7")).failsClosed("agent_id"), blocked("____"), tokenIs(loadedLines, typedStart, failedNew),
	}},
}

// notAnObject: each of these on stdin is refused by both hooks.
func notAnObject(texts ...string) []step {
	steps := []step{load(), start()}
	for _, t := range texts {
		steps = append(steps, gate(raw(t)).failsClosed("stdin"), loader(raw(t)).failsClosed("stdin"))
	}
	return steps
}

// spoil makes a bad payload of a good one.
type spoil func(p payload, key string) payload

func missing(p payload, key string) payload { return without(p, key) }

func doubled(value string) spoil {
	return func(p payload, key string) payload { return also(p, key, value) }
}

func changed(value string) spoil {
	return func(p payload, key string) payload { return with(p, key, value) }
}

// everyEvent: each spoiled payload of each event of the gate is refused.
func everyEvent(key string, spoils ...spoil) []step {
	var steps []step
	for _, spoiled := range spoils {
		for _, p := range []payload{bash, prompt("/start"), skill("start"), tool("TaskList"), read("/x/CLAUDE.md"), shown(0), compact("auto")} {
			steps = append(steps, gate(spoiled(p, key)).failsClosed())
		}
	}
	return append(steps, tokenIs(loadedLines, typedStart))
}

// everyHook: each spoiled payload of each event, and of the loader, is refused
// with a condition that names what.
func everyHook(key, what string, spoils ...spoil) []step {
	var steps []step
	for _, spoiled := range spoils {
		for _, p := range []payload{bash, prompt("/start"), skill("start"), tool("TaskList"), compact("auto")} {
			steps = append(steps, gate(spoiled(p, key)).failsClosed(what))
		}
		steps = append(steps, loader(spoiled(startup, key)).failsClosed(what))
	}
	return append(steps, tokenIs(loadedLines, typedStart))
}

// cutEverywhere: a payload cut short is refused, wherever it is cut.
type cutEverywhere struct{ every int }

func (c cutEverywhere) do(s *scene) error {
	whole := strings.TrimSpace(string(bash(s)))
	for at := 1; at < len(whole); at += c.every {
		if err := gate(raw(whole[:at])).failsClosed("stdin").do(s); err != nil {
			return err
		}
	}
	return nil
}
