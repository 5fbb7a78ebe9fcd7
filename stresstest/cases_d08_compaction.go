package main

import "moirai/stresstest/rig"

// D8: compaction takes the rules out of the context, so it voids the load.
var compactionCases = []testCase{
	{class: "D8", name: "a compaction voids markers 1–3 and not START_ACK", steps: []step{
		load(), start(), allowed(), gate(compact("auto")), tokenIs(loadedLines, typedStart, voidLine), blocked("___x", "compaction", "LOAD_VOID"),
	}},
	{class: "D8", name: "manual and auto alike", steps: []step{
		load(), start(), gate(compact("manual")), tokenIs(loadedLines, typedStart, voidLine), blocked("___x"),
	}},
	{class: "D8", name: "the load that follows opens again, without /start", steps: []step{
		load(), start(), gate(compact("auto")), loader(sessionStart("compact")).prints(theWholeBlock), allowed(), tokenIs(loadedLines, typedStart, voidLine, loadedLines),
	}},
	{class: "D8", name: "compaction after compaction", steps: []step{
		load(), start(), gate(compact("auto")), load(), allowed(), gate(compact("auto")), blocked("___x"), load(), allowed(), gate(compact("manual")), blocked("___x"),
		tokenIs(loadedLines, typedStart, voidLine, loadedLines, voidLine, loadedLines, voidLine),
	}},
	{class: "D8", name: "a void that stands is not written again", steps: []step{
		load(), start(), gate(compact("auto")), gate(compact("auto")), tokenIs(loadedLines, typedStart, voidLine), blocked("___x"),
	}},
	{class: "D8", name: "no token, nothing written", steps: []step{gate(compact("auto")), noToken(), blocked("____", "no token")}},
	{class: "D8", name: "a session that has left the root is voided too", steps: []step{
		load(), start(), at("{dir}"), gate(compact("auto")), at("{root}"), tokenIs(loadedLines, typedStart, voidLine), blocked("___x", "compaction"),
	}},
	{class: "D8", name: "elsewhere, without a token: nothing written, not even the directory", needs: alone, steps: []step{
		at("{dir}"), gate(compact("auto")), absent(tokenParent),
	}},
	{class: "D8", name: "markers earned by Reads are voided", steps: []step{
		gate(shown(0)), gate(shown(1)), gate(shown(2)), start(), allowed(), gate(compact("auto")), blocked("___x", "compaction"), gate(shown(0)), blocked("x__x"), gate(shown(1)), gate(shown(2)), allowed(),
	}},
	{class: "D8", name: "START_ACK before, between and after voids stands", steps: []step{
		token(lines(typedStart, voidLine)...), load(), allowed(), token(lines(loadedLines, voidLine, typedStart)...), blocked("___x", "compaction"), load(), allowed(), start(), tokenIs(loadedLines, voidLine, typedStart, loadedLines),
	}},
	{class: "D8", name: "/start after the compaction says that the rules are missing", steps: []step{
		load(), start(), gate(compact("auto")), start().says("START_ACK"), tokenIs(loadedLines, typedStart, voidLine),
	}},
	{class: "D8", name: "one void voids every load before it", steps: []step{
		token(lines(loadedLines, typedStart, loadedLines, voidLine)...), blocked("___x", "compaction"),
	}},
	{class: "D8", name: "a marker after the void counts, the others before it do not", steps: []step{
		token(lines(loadedLines, typedStart, voidLine, loadedLines[1])...), blocked("_x_x"),
	}},
	{class: "D8", name: "a resume voids nothing", steps: []step{
		load(), start(), loader(sessionStart("resume")).prints(theWholeBlock), allowed(), tokenIs(loadedLines, typedStart),
	}},
	{class: "D8", name: "a compaction whose load fails: closed", steps: []step{
		load(), start(), gate(compact("auto")), remove("{root}/CONTEXT.md"), loader(sessionStart("compact")).failsClosed("CONTEXT.md"), blocked("___x", "no Hades root"),
	}},
	{class: "D8", name: "the void is of the session, whatever the root", steps: []step{
		load(), start(), constellation("{dir}/b/constellation-hades", rig.SmallContents()), gate(compact("auto")), at("{dir}/constellation-hades"),
		fixture(func(s *scene) error { s.root = s.dir + "/constellation-hades"; return nil }), blocked("___x", "compaction"),
	}},
	{class: "D8", name: "a void that cannot be written: exit 2, so that the client does not compact", needs: alone | mount, steps: []step{
		makeTokenDir(), small(tokenDir, 4096), tokenOfSize(4090, lines(loadedLines, typedStart)), gate(compact("auto")).failsClosed("{token}"), sizeOf("{token}", 4090), allowed(),
		at("{dir}"), gate(compact("auto")).failsClosed("{token}"),
	}},
	{class: "D8", name: "elsewhere, with a token in a directory that cannot be written: exit 2", needs: alone | modeBits, steps: []step{
		load(), start(), chmod(tokenDir, 0o500), at("{dir}"), gate(compact("auto")).failsClosed(tokenDir), chmod(tokenDir, 0o700), at("{root}"), allowed(),
	}},
	{class: "D8", name: "a token in a directory that is not to be trusted: exit 2", needs: alone, steps: []step{
		load(), start(), chmod(tokenDir, 0o777), gate(compact("auto")).failsClosed(tokenDir), at("{dir}"), gate(compact("auto")).failsClosed(tokenDir), chmod(tokenDir, 0o700), at("{root}"), allowed(),
		chmod(tokenParent, 0o770), gate(compact("auto")).failsClosed(tokenParent),
	}},
	{class: "D8", name: "a token that is not to be trusted: exit 2", needs: foreign, steps: []step{
		load(), start(), chmod("{token}", 0o666), gate(compact("auto")).failsClosed("{token}"), chmod("{token}", 0o644), foreignOwner("{token}"), gate(compact("auto")).failsClosed("{token}"),
	}},
	{class: "D8", name: "elsewhere, with a token that cannot be seen: exit 2", needs: alone | modeBits, steps: []step{
		load(), start(), chmod(tokenParent, 0), at("{dir}"), gate(compact("auto")).failsClosed(tokenParent), chmod(tokenParent, 0o700), at("{root}"), allowed(),
	}},
	{class: "D8", name: "elsewhere, without a token in a directory that cannot be written: no matter", needs: alone | modeBits, steps: []step{
		makeTokenDir(), chmod(tokenDir, 0o500), at("{dir}"), gate(compact("auto")),
	}},
	{class: "D8", name: "elsewhere, a corrupt token: exit 2", steps: []step{
		tokenBytes(handWritten + "x\n"), at("{dir}"), gate(compact("auto")).failsClosed("line 5"),
	}},
}
