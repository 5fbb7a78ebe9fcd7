package main

import (
	"fmt"
	"strings"

	"moirai/stresstest/rig"
)

// D14: the block message, in each closed state.
var messageCases = []testCase{
	// The whole message, word for word, in each state.
	{class: "D14", name: "whole message: START_ACK missing", steps: []step{load(), resolves("xxx_", askStart)}},
	{class: "D14", name: "the first line, all that the client shows a person, says what to do in 80 characters", steps: []step{
		firstLine("BLOCKED by Moirai (Hades). To do: type /start; rule files are missing, see below"), load(),
		firstLine("BLOCKED by Moirai (Hades). To do: press Esc if a turn runs, then type /start"), start(), gate(compact("auto")),
		firstLine("BLOCKED by Moirai (Hades). To do: type any prompt: it brings the rule files"),
	}},
	{class: "D14", name: "whole message: no token", steps: []step{
		resolves("____", askBoth, isMissing, "this session has no token. It was never loaded here (it\nstarted elsewhere, or the loader is not wired or failed), or /tmp was cleaned\nor the machine restarted.\n",
			whetherLoads, readFiles, orResume, thenStart),
	}},
	{class: "D14", name: "whole message: voided", steps: []step{
		load(), start(), gate(compact("auto")),
		resolves("___x", askLoad, isMissing, "a compaction, or the client's preparation of one, voids\nwhat was loaded (LOAD_VOID), also if you cancelled it, and no load followed.\n",
			whetherLoads, readFiles, orResume),
	}},
	{class: "D14", name: "whole message: a new context whose load failed", steps: []step{
		write("{root}/CONTEXT.md", ""), loader(startup).failsClosed("CONTEXT.md"), write("{root}/CONTEXT.md", "c\n"), resolves("____", askBoth, isMissing,
			"the context is new. Its load failed or did not run whole, or too\nfew pages are wired, or two wirings with different N ran.\n", whetherLoads, readFiles, orResume, thenStart),
	}},
	{class: "D14", name: "whole message: what Reads earned, after a resume", steps: []step{
		gate(shown(0)), gate(shown(1)), gate(shown(2)), start(), allowed(), loader(sessionStart("resume"), "2/2"),
		resolves("___x", askLoad, isMissing, "the session was resumed. What Reads or a prompt had loaded\nended there, and no load followed.\n", whetherLoads, readFiles, orResume),
	}},
	{class: "D14", name: "whole message: what was delivered at an earlier prompt", steps: []step{
		prompted(), start(), allowed(), promptID("next"),
		resolves("___x", askLoad, isMissing, "the rules were delivered or shown at an earlier prompt. A rewind\ncan cut them away, so they count for that prompt alone. Type a prompt (not !command).\n", whetherLoads, readFiles, orResume),
	}},
	{class: "D14", name: "two wirings with different N: the message names them as a cause", steps: []step{
		holding(rig.SizedContents(35_000)), loader(startup, "1/4").prints(nil), loader(startup, "2/4").prints(nil), loader(startup, "1/3").failsClosed("need 4 pages", "make wire PAGES=4"),
		blocked("____", "the context is new", "two wirings with different N"), loader(startup, "3/4").prints(nil), loader(startup, "4/4").prints(nil),
		blocked("____", "missing: 1 2.", "the same N", "in every place"),
	}},
	{class: "D14", name: "whole message: one rule file missing", steps: []step{
		remove("{root}/CONTEXT.md"), resolves("____", askBoth, isMissing,
			"{root} lacks CONTEXT.md\nWay out: the operator puts the files in place (git status, git checkout) and types\na prompt. A folder that is no constellation: give it another name.\n"),
		loader(startup).failsClosed("{root} lacks CONTEXT.md"), remove("{root}/context"), loader(startup).failsClosed("{root} lacks context/scope.md and CONTEXT.md"),
	}},
	{class: "D14", name: "whole message: pages missing", steps: []step{
		holding(rig.SizedContents(35_000)), start().says("START_ACK"), promptPage(3, 4, 4),
		resolves("___x", askLoad, isMissing, "the load has 4 pages; missing: 1 2 4.\nEach page K must be wired as hades-session-load K/N with the same N, at least 4, in every place.\n",
			whetherLoads, readFiles, orResume),
	}},
	{class: "D14", name: "whole message: loaded for another root", steps: []step{
		load(), start(), constellation("{dir}/b/constellation-hades", rig.SmallContents()),
		resolves("___x", askLoad, isMissing, "the session was loaded for another root, {dir}/constellation-hades;\nthis root is {dir}/b/constellation-hades.\n",
			whetherLoads, readFiles, orResume),
	}},
	{class: "D14", name: "whole message: START_ACK without a load", steps: []step{
		start().says("START_ACK"),
		resolves("___x", askLoad, isMissing, "the token holds no load. The session started elsewhere, or its\ntoken was removed, or the loader is not wired or failed.\n", whetherLoads, readFiles, orResume),
	}},
	{class: "D14", name: "whole message: some files read, one too long", steps: []step{
		holding(rig.Contents{longText(30_000), "s\n", "c\n"}), gate(shown(1)),
		resolves("_x__", askBoth, isMissing, "only the files checked above were shown in full.\n",
			whetherLoads, readThese+
				"  {root}/docs/book-of-hades/COMMANDMENTS.md\n    (30000 bytes: over 25000 a Read does not count; wire pages or shorten it)\n  {root}/CONTEXT.md\n",
			orResume, thenStart),
	}},
	{class: "D14", name: "whole message: files that no Read or load can prove", steps: []step{
		gate(shown(0)), write("{root}/"+required[1], ""), resolves("x___", askBoth, isMissing, "only the files checked above were shown in full.\n",
			whetherLoads, readThese+
				"  {root}/context/scope.md\n"+isUnfit+"  {root}/CONTEXT.md\n",
			orResume, thenStart),
	}},
	{class: "D14", name: "a rule file that cannot be read: who mends it", needs: modeBits, steps: []step{
		chmod("{root}/"+required[1], 0), blocked("____", "{root}/"+required[1]+"\n", isUnfit), loader(startup).failsClosed("permission denied"),
	}},
	{class: "D14", name: "whole message: no Hades root", steps: []step{
		mkdir("{dir}/b/constellation-hades/x"), at("{dir}/b/constellation-hades/x"), resolves("____", askBoth, isMissing,
			"this is no Hades root: no directory holds the three required files, tried: {dir}/b/constellation-hades {dir}/b/constellation-hades/x\n"+
				"Way out: the operator puts the files in place (git status, git checkout) and types\na prompt. A folder that is no constellation: give it another name.\n"),
	}},
	{class: "D14", name: "no token: never loaded here, /tmp cleaned, or the machine restarted", steps: []step{
		blocked("____", "no token", "/tmp was cleaned", "restarted", "{root}/"+required[0], "{root}/"+required[1], "{root}/"+required[2],
			"no offset", "limit 2500", "resumes the session", "/start"),
	}},
	{class: "D14", name: "a long path in the way out is not cut", steps: []step{
		constellation("{dir}/"+strings.Repeat("d", 120)+"/"+strings.Repeat("e", 120)+"/constellation-hades", rig.SmallContents()),
		blocked("____", "{root}/"+required[0]+"\n", "{root}/"+required[1]+"\n", "{root}/"+required[2]+"\n"),
	}},
	{class: "D14", name: "a token that was cleaned away from a session that lives on", steps: []step{
		load(), start(), allowed(), remove("{token}"), blocked("____", "no token", "/tmp was cleaned"), load(), start(), allowed(),
	}},
	{class: "D14", name: "START_ACK without a load", steps: []step{
		start().says("START_ACK"),
		blocked("___x", "no load", "{root}/"+required[0], "resumes the session").withoutWords("type /start or", "Then START_ACK"),
	}},
	{class: "D14", name: "some files read, others not: those that are missing are listed", steps: []step{
		gate(shown(1)), blocked("_x__", "{root}/"+required[0], "{root}/"+required[2]).withoutWords("  {root}/" + required[1] + "\n"),
	}},
	{class: "D14", name: "pages missing: which came and which did not, and what to wire", steps: []step{
		holding(rig.SizedContents(35_000)), page(2, 4, 4), page(3, 4, 4),
		blocked("____", "4 pages", "missing: 1 4.", "hades-session-load", "at least 4", "resumes the session"),
	}},
	{class: "D14", name: "voided by a compaction", steps: []step{
		load(), gate(compact("auto")), blocked("____", "compaction", "{root}/"+required[0], "resumes the session", "/start"),
	}},
	{class: "D14", name: "loaded for another root: both are named", steps: []step{
		load(), constellation("{dir}/b/constellation-hades", rig.SmallContents()),
		blocked("____", "another root", "{dir}/constellation-hades", "{dir}/b/constellation-hades", "{root}/"+required[0]),
	}},
	{class: "D14", name: "a folder of that name without rule files is no Hades root", steps: []step{
		mkdir("{dir}/b/constellation-hades/x"), at("{dir}/b/constellation-hades/x"),
		blocked("____", "no Hades root", "{dir}/b/constellation-hades", "{dir}/b/constellation-hades/x", "the operator"),
	}},
	{class: "D14", name: "a file too long for a Read: wire pages or shorten it", steps: []step{
		holding(rig.Contents{longText(30_000), "s\n", "c\n"}), blocked("____", "{root}/"+required[0], "30000 bytes", "wire pages or shorten"),
	}},
	{class: "D14", name: "the operator presses Esc first; the agent has the Skill tool", steps: []step{
		load(), blocked("xxx_", "Esc before", "Skill tool with skill \"start\"", "Operator", "Agent"),
	}},
	{class: "D14", name: "with START_ACK standing it asks for no /start", steps: []step{
		load(), start(), gate(compact("auto")), blocked("___x", "START_ACK stands").withoutWords("type /start", "Then START_ACK", "Esc"),
	}},
	{class: "D14", name: "with markers 1–3 standing it asks for no file", steps: []step{
		load(), blocked("xxx_").withoutWords("MISSING here", "Read tool"),
	}},
	{class: "D14", name: "nothing that a session can set is offered as a way out", steps: []step{
		blocked("____").withoutWords(weakening...), load(), blocked("xxx_").withoutWords(weakening...), start(), gate(compact("auto")),
		blocked("___x").withoutWords(weakening...),
	}},
	{class: "D14", name: "a tool name that is not plain text is quoted", steps: []step{
		gate(tool("Ba\nsh")).blocks(`"Ba\nsh"`, "____"), gate(tool("\x1b[2J")).blocks(`"\x1b[2J"`, "____"),
		gate(tool("Bäsh")).blocks(`"B\u00e4sh"`, "____"), gate(tool("a b")).blocks(`"a b"`, "____"),
		gate(tool(`a"b`)).blocks(`"a\"b"`, "____"), gate(tool("\u202etxt")).blocks(`"\u202etxt"`, "____"),
	}},
	{class: "D14", name: "a long tool name is cut", steps: []step{
		gate(tool(strings.Repeat("x", 200))).blocks(strings.Repeat("x", 200), "____"),
		gate(tool(strings.Repeat("x", 100_000))).blocks(strings.Repeat("x", 200)+"…", "____"),
	}},
	{class: "D14", name: "a path that is not plain text is quoted", steps: []step{
		constellation("{dir}/Ünï/constellation-hades", rig.SmallContents()), blocked("____", `\u00dcn\u00ef`).withoutWords("Ünï"),
	}},
	{class: "D14", name: "a payload string in a fail-closed message is quoted", steps: []step{
		gate(with(bash, "cwd", `"a\nb\u001b"`)).failsClosed(`"a\nb\x1b"`), gate(with(bash, "session_id", `"a\nb"`)).failsClosed(`"a\nb"`),
		gate(with(bash, "hook_event_name", `"a\nb"`)).failsClosed(`"a\nb"`),
		loader(with(startup, "hook_event_name", `"a\nb"`)).failsClosed(`"a\nb"`), loader(startup, "a\nb").failsClosed(`"a\nb"`),
	}},
	{class: "D14", name: "a subagent is told the same", steps: []step{load(), as("agent-1"), blocked("xxx_")}},
	{class: "D14", name: "sources are resolved through links", steps: []step{
		load(), link("{dir}/hades-gate.sh", "{hooks}/hades-gate"), linkedGate{},
	}},
	{class: "D14", name: "far below the 50,000 characters that the client shows", steps: []step{
		constellation("{dir}/"+strings.Repeat(strings.Repeat("d", 200)+"/", 15)+"constellation-hades", rig.SmallContents()),
		gate(bash).blocks("Bash", "____").shorterThan(40_000),
	}},

	// Every closed state has a way out that works inside the session.
	{class: "D14", name: "way out by the files it names, from no token", steps: []step{
		blocked("____"), readsWhatIsNamed{}, gate(skill("start")), allowed(),
	}},
	{class: "D14", name: "way out by the files it names, after a compaction", steps: []step{
		load(), start(), gate(compact("auto")), readsWhatIsNamed{}, allowed(),
	}},
	{class: "D14", name: "way out by the files it names, from another root", steps: []step{
		load(), start(), constellation("{dir}/b/constellation-hades", rig.SmallContents()), readsWhatIsNamed{}, allowed(),
	}},
	{class: "D14", name: "way out by the files it names, with pages missing", steps: []step{
		holding(rig.SizedContents(25_000)), start().says("START_ACK"), promptPage(1, 4, 3), readsWhatIsNamed{}, allowed(),
	}},
	{class: "D14", name: "way out by a prompt, from no load", steps: []step{
		start().says("START_ACK"), blocked("___x"), prompted(), allowed(),
	}},
}

// weakening names what would be a way out if there were one that a session can set (D14, D19).
var weakening = []string{"export ", "unset", "disable", "=1", "=true", "skip", "allow-once", "override", "--bare", "--safe", "--setting",
	"--dangerously", "CLAUDE_", "MOIRAI_", "HADES_"}

// The words of a resolution.
const (
	askStart = "Agent: other tools are blocked too, so stop and do not try others. Your own\nroute is the Skill tool with skill \"start\".\nOperator: if a turn is running, press Esc before you type /start. If it is no\ncommand here, resume the session inside the constellation, or make install offers one.\n"
	askBoth  = "\nThat alone is not enough: markers 1–3 are missing too, see below.\nAgent: other tools are blocked too, so stop and do not try others. Your own\nroute is the way out below, then the Skill tool with skill \"start\".\nOperator: if a turn is running, press Esc before you type /start. If it is no\ncommand here, resume the session inside the constellation, or make install offers one.\n"
	askLoad  = "START_ACK stands; markers 1–3 are what is missing, see below.\nAgent: other tools are blocked too, so stop and do not try others. Your own\nroute is the way out below.\n"

	isMissing    = "\nMarkers 1–3 are MISSING here: "
	readThese    = "Way out: the operator types a prompt: the loader gives the rules with it, if it is\nwired on UserPromptSubmit. Or the main agent reads these files (Read tool, no offset;\nif the answer is that the file is unchanged, again with limit 2500), which counts\nuntil the next prompt:\n"
	readFiles    = readThese + "  {root}/docs/book-of-hades/COMMANDMENTS.md\n  {root}/context/scope.md\n  {root}/CONTEXT.md\n"
	whetherLoads = "Whether the loader is wired, for enough pages, and can load here: the operator\nruns make verify ROOT={root}\n"
	isUnfit      = "    (no Read or load counts: it is missing, empty, no regular file or unreadable; the\n    operator mends it first: git checkout, chmod u+r)\n"
	orResume     = "or the operator resumes the session inside the constellation (exit, then claude --resume)\nand types a prompt: that prompt brings the rules. The resume alone does not.\n"
	thenStart    = "Then START_ACK is needed too, as above.\n"
)

// resolves is a blocked Bash call whose resolution is exactly these words.
func resolves(marks string, words ...string) call {
	c := blocked(marks)
	judge := c.stderr
	c.stderr = func(s *scene, got string) error {
		if err := judge(s, got); err != nil {
			return err
		}
		resolution, _, err := splitMessage(s, got, "Bash", marks)
		if err != nil {
			return err
		}
		return exactly(strings.Join(words, ""))(s, resolution)
	}
	return c
}

// firstLine is a blocked Bash call whose message begins with this line.
func firstLine(line string) call {
	c := gate(bash).refuses()
	c.stderr = func(s *scene, got string) error {
		first, _, _ := strings.Cut(got, "\n")
		if len(first) > 80 {
			return fmt.Errorf("expected at most 80 characters, got %d", len(first))
		}
		return exactly(line)(s, first)
	}
	return c
}

// withoutWords: the message holds none of these.
func (c call) withoutWords(words ...string) call {
	judge := c.stderr
	c.stderr = func(s *scene, got string) error {
		for _, w := range words {
			if w = s.expand(w); strings.Contains(got, w) {
				return mismatch("nothing with "+w, got)
			}
		}
		return judge(s, got)
	}
	return c
}

func (c call) shorterThan(n int) call {
	judge := c.stderr
	c.stderr = func(s *scene, got string) error {
		if len(got) >= n {
			return mismatch("a shorter message", got)
		}
		return judge(s, got)
	}
	return c
}

// linkedGate calls the gate by a link to it, as make install lays one.
type linkedGate struct{}

func (linkedGate) do(s *scene) error {
	c := blocked("xxx_").with(func(s *scene, cmd *rig.Command) error { cmd.Path = s.dir + "/hades-gate.sh"; return nil })
	return c.do(s)
}

// readsWhatIsNamed does what the block message says: it reads every path that
// stands alone on a line, in full.
type readsWhatIsNamed struct{}

func (readsWhatIsNamed) do(s *scene) error {
	var message string
	c := gate(bash).refuses()
	c.stderr = func(_ *scene, got string) error { message = got; return nil }
	if err := c.do(s); err != nil {
		return err
	}
	for _, line := range strings.Split(message, "\n") {
		path := strings.TrimSpace(line)
		for i, name := range required {
			if path != s.root+"/"+name {
				continue
			}
			for _, p := range []payload{read(path), shownAs(path, i)} {
				if err := gate(p).do(s); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
