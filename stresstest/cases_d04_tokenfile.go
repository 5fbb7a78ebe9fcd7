package main

import (
	"strings"
	"syscall"
)

// D4: what a token file must be, and how it is written.
var tokenFileCases = []testCase{
	{class: "D4", name: "one of the bash version (0644, trailing blanks, four and five fields) still opens", steps: []step{
		bashToken("1700000000 COMMANDMENTS_ACK SessionStart main {root}/docs/book-of-hades/COMMANDMENTS.md\n1700000000 SCOPE_ACK SessionStart main {root}/context/scope.md\n" +
			"1700000000 CONTEXT_ACK SessionStart main {root}/CONTEXT.md\n1700000001 START_ACK UserPromptSubmit main \n"), allowed(),
	}},
	{class: "D4", name: "one of the bash version is added to as it is", steps: []step{
		bashToken("1700000000 START_ACK UserPromptSubmit main \n"), prompted(), allowed(),
		tokenIs("1700000000 START_ACK UserPromptSubmit main ", promptedLines), modeOf("{token}", 0o644),
	}},
	{class: "D4", name: "a link to a whole token is not followed", steps: []step{
		token(lines(loadedLines, typedStart)...), rename("{token}", "{dir}/real"), link("{token}", "{dir}/real"),
		everyTokenCallCloses("{token}"), tokenAt("{dir}/real", loadedLines, typedStart),
	}},
	{class: "D4", name: "a dangling link is not followed, and nothing is made at its end", steps: []step{
		makeTokenDir(), link("{token}", "{dir}/made"), everyTokenCallCloses("{token}"), absent("{dir}/made"),
	}},
	{class: "D4", name: "a FIFO does not hang it", steps: []step{makeTokenDir(), fifo("{token}"), everyTokenCallCloses("not a regular file")}},
	{class: "D4", name: "a FIFO that someone writes to", steps: []step{
		makeTokenDir(), fifo("{token}"), fedFIFO("{token}"), gate(bash).failsClosed("{token}"), loader(startup).prints(nil).failsClosed("{token}"),
	}},
	{class: "D4", name: "a directory", steps: []step{mkdir("{token}"), everyTokenCallCloses("{token}")}},
	{class: "D4", name: "a socket", steps: []step{makeTokenDir(), socket("{token}"), everyTokenCallCloses("{token}")}},
	{class: "D4", name: "a hard link", steps: []step{
		token(lines(loadedLines, typedStart)...), hardLink("{dir}/second", "{token}"), everyTokenCallCloses("2 names: a hard link"),
	}},
	{class: "D4", name: "a file of another uid", needs: foreign, steps: []step{
		token(lines(loadedLines, typedStart)...), chmod("{token}", 0o644), foreignOwner("{token}"), everyTokenCallCloses("{token}"), gate(bash).failsClosed("belongs to uid"),
	}},
	{class: "D4", name: "writable by others", steps: []step{
		token(lines(loadedLines, typedStart)...), chmod("{token}", 0o602), everyTokenCallCloses("writable"), chmod("{token}", 0o600), allowed(),
	}},
	{class: "D4", name: "modes by which nobody else writes open", steps: []step{
		token(lines(loadedLines, typedStart)...), chmod("{token}", 0o701), allowed(), chmod("{token}", 0o755), allowed(),
	}},
	{class: "D4", name: "the whole condition and way out of a corrupt one", steps: []step{
		tokenBytes("x\n"), gate(bash).failsClosed("fail-closed: token file {token}: line 1 is corrupt: ",
			"rm -r {token}   Then /start, which as a prompt brings the rules again\n"),
	}},
	{class: "D4", name: "writable by the group", steps: []step{
		token(lines(loadedLines, typedStart)...), chmod("{token}", 0o620), everyTokenCallCloses("writable"),
	}},
	{class: "D4", name: "unreadable", needs: modeBits, steps: []step{
		token(lines(loadedLines, typedStart)...), chmod("{token}", 0o200), everyTokenCallCloses("{token}"), chmod("{token}", 0),
		everyTokenCallCloses("{token}"),
	}},
	{class: "D4", name: "exactly 1 MiB opens, one byte more does not", steps: []step{
		tokenOfSize(1<<20, lines(loadedLines, typedStart)), allowed(), tokenOfSize(1<<20+1, lines(loadedLines, typedStart)),
		gate(bash).failsClosed("it has 1048577 bytes, over 1048576"),
		loader(startup).prints(nil).failsClosed("{token}"),
	}},
	{class: "D4", name: "it is never grown over 1 MiB", steps: []step{
		tokenOfSize(1<<20-20, loadedLines), start().tells("{token}"), sizeOf("{token}", 1<<20-20),
		gate(skill("start")).failsClosed("{token}: it would grow over 1048576 bytes"), blocked("xxx_"),
		tokenOfSize(1<<20-32, loadedLines), start().tells("{token}"), sizeOf("{token}", 1<<20-32),
	}},
	{class: "D4", name: "a record that just fits under 1 MiB is written", steps: []step{
		// "1700000000 START_ACK UserPromptSubmit main\n" has 43 bytes.
		tokenOfSize(1<<20-43, loadedLines), start(), sizeOf("{token}", 1<<20), allowed(),
	}},
	{class: "D4", name: "one write for all records of a call, O_APPEND", needs: alone | mount, steps: []step{
		makeTokenDir(), small(tokenDir, 4096), tokenOfSize(4000, []string{typedStart}),
		loader(prompt("go on")).tells("not recorded", "{token}", "df"), sizeOf("{token}", 4000), blocked("___x"),
	}},
	{class: "D4", name: "a full disk at /start: exit 0, nothing recorded, said", needs: alone | mount, steps: []step{
		makeTokenDir(), small(tokenDir, 4096), tokenOfSize(4080, loadedLines), start().tells("not recorded", "{token}"),
		sizeOf("{token}", 4080), blocked("xxx_"),
	}},
	{class: "D4", name: "a full disk at Skill start: exit 2", needs: alone | mount, steps: []step{
		makeTokenDir(), small(tokenDir, 4096), tokenOfSize(4080, loadedLines), gate(skill("start")).failsClosed("{token}", "df"),
		sizeOf("{token}", 4080),
	}},
	{class: "D4", name: "a full disk at the first record leaves no empty token", needs: alone | mount, steps: []step{
		makeTokenDir(), small(tokenDir, 4096), filler(tokenDir+"/fill", 4096), loader(startup).prints(nil).failsClosed("{token}"),
		noToken(), blocked("____", "no token"),
	}},
	{class: "D4", name: "no inode for a token", needs: alone | mount, steps: []step{
		makeTokenDir(), fullOfInodes(tokenDir), loader(startup).prints(nil).failsClosed("{token}"), start().tells("{token}"),
		blocked("____", "no token"),
	}},
	{class: "D4", name: "what stands is not written again", steps: []step{
		tokenBytes(handWritten), loader(prompt("go on")), start(), gate(skill("start")), gate(shown(0)), gate(shown(1)), gate(shown(2)),
		content("{token}", handWritten),
	}},
	{class: "D4", name: "only what is missing is written", steps: []step{
		gate(shown(1)), prompted(), tokenIs(readLine(1), promptedLines[0], promptedLines[2]),
	}},
	{class: "D4", name: "a held lock ends in exit 2 after two seconds, not in a hang", needs: patient, steps: []step{
		token(lines(loadedLines, typedStart)...), locked(syscall.LOCK_EX), gate(bash).failsClosed("{token}", "lock"),
	}},
	{class: "D4", name: "a held lock at the load: exit 2", needs: patient, steps: []step{
		token(typedStart), locked(syscall.LOCK_EX), loader(startup).prints(nil).failsClosed("{token}", "lock"), noToken(), remove("{tokens}/.session-{session}"),
	}},
	{class: "D4", name: "a held lock at /start: exit 0, nothing recorded, said", needs: patient, steps: []step{
		token(loadedLines...), locked(syscall.LOCK_EX), start().tells("not recorded", "lock"), tokenIs(loadedLines),
	}},
	{class: "D4", name: "a held lock at Skill start: exit 2", needs: patient, steps: []step{
		token(loadedLines...), locked(syscall.LOCK_EX), gate(skill("start")).failsClosed("{token}", "lock"), tokenIs(loadedLines),
	}},
	{class: "D4", name: "a held lock at a compaction: exit 2", needs: patient, steps: []step{
		token(lines(loadedLines, typedStart)...), locked(syscall.LOCK_EX), gate(compact("auto")).failsClosed("{token}", "lock"),
	}},
	{class: "D4", name: "readers share: a shared lock does not block them", steps: []step{
		token(lines(loadedLines, typedStart)...), locked(syscall.LOCK_SH), allowed(),
	}},
	{class: "D4", name: "a writer waits for readers", needs: patient, steps: []step{
		token(loadedLines...), locked(syscall.LOCK_SH), start().tells("not recorded", "lock"), tokenIs(loadedLines),
	}},
	{class: "D4", name: "a reader waits for a writer that lets go", needs: patient, steps: []step{
		token(lines(loadedLines, typedStart)...), lockedFor(syscall.LOCK_EX, halfSecond), allowed(),
	}},
	{class: "D4", name: "exempt calls do not wait for the lock", steps: []step{
		token(loadedLines...), locked(syscall.LOCK_EX), gate(tool("TaskList")), gate(skill("other")), gate(read("/x/CLAUDE.md")),
		gate(prompt("hello")),
	}},
	{class: "D4", name: "the lock is given back by every end", steps: []step{
		load(), unlocked(), start(), unlocked(), allowed(), unlocked(), gate(compact("auto")), unlocked(), blocked("___x"), unlocked(),
	}},
}

// everyTokenCallCloses: with a token file that is not to be believed, each call
// that needs it ends closed, and exempt calls do not care.
func everyTokenCallCloses(condition string) step {
	return expectation(func(s *scene) error {
		for _, st := range []step{
			gate(bash).failsClosed(condition, "rm "), gate(read("/etc/passwd")).failsClosed(condition), gate(skill("start")).failsClosed(condition),
			start().tells("not recorded", condition), gate(compact("auto")).failsClosed(condition),
			loader(prompt("go on")).tells("not recorded", condition), gate(tool("TaskList")), gate(shown(0)),
		} {
			if err := st.do(s); err != nil {
				return err
			}
		}
		return nil
	})
}

// tokenOfSize writes a token of exactly that many bytes: these records, and
// before them records of an unknown marker that fill the rest.
func tokenOfSize(size int, records []string) step {
	return fixture(func(s *scene) error {
		var tail strings.Builder
		for _, r := range records {
			tail.WriteString("1700000000 " + s.expand(r) + "\n")
		}
		const head = "1700000000 FILL_ACK SessionStart main /"
		fill := size - tail.Len()
		var b strings.Builder
		for fill > 0 {
			n := min(fill, 1000)
			if fill-n > 0 && fill-n < len(head)+1 {
				n = fill - len(head) - 1
			}
			b.WriteString(head + strings.Repeat("x", n-len(head)-1) + "\n")
			fill -= n
		}
		b.WriteString(tail.String())
		return s.putToken(b.String(), 0o600)
	})
}
