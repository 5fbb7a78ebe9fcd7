package main

import (
	"fmt"
	"os"
	"strings"

	"moirai/stresstest/rig"
)

// D8: compaction takes the rules out of the context, so it voids the load.
var compactionCases = []testCase{
	{class: "D8", name: "a compaction voids markers 1–3 and not START_ACK", steps: []step{
		load(), start(), allowed(), gate(compact("auto")), tokenIs(loadedLines, typedStart, voidLine), blocked("___x", "compaction", "LOAD_VOID"),
	}},
	{class: "D8", name: "manual and auto alike", steps: []step{
		load(), start(), gate(compact("manual")), tokenIs(loadedLines, typedStart, voidLine), blocked("___x"),
	}},
	{class: "D8", name: "the load that follows opens again, without /start", steps: []step{
		load(), start(), gate(compact("auto")), loader(sessionStart("compact")).prints(theWholeBlock), allowed(),
		tokenIs(loadedLines, typedStart, voidLine, reloadedLines),
	}},
	{class: "D8", name: "compaction after compaction", steps: []step{
		load(), start(), gate(compact("auto")), compacted(), allowed(), gate(compact("auto")), blocked("___x"), compacted(), allowed(),
		gate(compact("manual")), blocked("___x"),
		tokenIs(loadedLines, typedStart, voidLine, reloadedLines, voidLine, reloadedLines, voidLine),
	}},
	{class: "D8", name: "a void that stands is not written again", steps: []step{
		load(), start(), gate(compact("auto")), gate(compact("auto")), tokenIs(loadedLines, typedStart, voidLine), blocked("___x"),
	}},
	{class: "D8", name: "no token, nothing written", steps: []step{gate(compact("auto")), noToken(), blocked("____", "no token")}},
	{class: "D8", name: "a session that has left the root is voided too", steps: []step{
		load(), start(), at("{dir}"), gate(compact("auto")), at("{root}"), tokenIs(loadedLines, typedStart, voidLine), blocked("___x", "compaction"),
	}},
	{class: "D8", name: "elsewhere only a context's begin, resume and compaction touch a token that is there", steps: []step{
		load(), start(), at("{dir}"), allowed(), start(), gate(shown(0)), gate(skill("start")), loader(prompt("/start")), loader(sessionStart("resume")),
		at("{root}"), tokenIs(loadedLines, typedStart), allowed(),
	}},
	{class: "D8", name: "elsewhere, without a token: nothing written, not even the directory", needs: alone, steps: []step{
		at("{dir}"), gate(compact("auto")), absent(tokenParent),
	}},
	{class: "D8", name: "markers earned by Reads are voided", steps: []step{
		gate(shown(0)), gate(shown(1)), gate(shown(2)), start(), allowed(), gate(compact("auto")), blocked("___x", "compaction"),
		gate(shown(0)), blocked("x__x"), gate(shown(1)), gate(shown(2)), allowed(),
	}},
	{class: "D8", name: "START_ACK before, between and after voids stands", steps: []step{
		token(lines(typedStart, voidLine)...), compacted(), allowed(), token(lines(loadedLines, voidLine, typedStart)...),
		blocked("___x", "compaction"), compacted(), allowed(), start(), tokenIs(loadedLines, voidLine, typedStart, reloadedLines),
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
	{class: "D8", name: "a resume voids nothing that lies at the root of the context", steps: []step{
		load(), start(), loader(sessionStart("resume")).prints(theWholeBlock), allowed(), tokenIs(loadedLines, typedStart),
	}},
	{class: "D8", name: "a compaction whose load fails: closed", steps: []step{
		load(), start(), gate(compact("auto")), remove("{root}/CONTEXT.md"), loader(sessionStart("compact")).failsClosed("CONTEXT.md"),
		blocked("___x", "{root} lacks CONTEXT.md"),
	}},
	// A compaction that reaches the loader unannounced, or after Reads have earned
	// markers again: the loader voids before it records.
	{class: "D8", name: "a load after a compaction that PreCompact did not see voids and earns in one write", steps: []step{
		load(), start(), loader(sessionStart("compact")).prints(theWholeBlock), allowed(), tokenIs(loadedLines, typedStart, reloadedLines),
		loader(sessionStart("compact")).prints(theWholeBlock), allowed(),
		tokenIs(loadedLines, typedStart, reloadedLines, reloadedLines),
	}},
	{class: "D8", name: "Reads between the void and a load that works: open", steps: []step{
		load(), start(), gate(compact("auto")), gate(shown(1)), loader(sessionStart("compact")).prints(theWholeBlock), allowed(),
		tokenIs(loadedLines, typedStart, voidLine, readLine(1), reloadedLines),
	}},
	{class: "D8", name: "Reads between the void and a load that fails: void, closed", steps: []step{
		load(), start(), gate(compact("auto")), gate(shown(0)), gate(shown(1)), gate(shown(2)), allowed(), rename("{root}/CONTEXT.md", "{root}/C.md"),
		loader(sessionStart("compact")).failsClosed("CONTEXT.md"), rename("{root}/C.md", "{root}/CONTEXT.md"), blocked("___x", "compaction"),
		tokenIs(loadedLines, typedStart, voidLine, readLine(0), readLine(1), readLine(2), failedCompact),
	}},
	{class: "D8", name: "a load after a compaction that is not delivered voids what stands", steps: []step{
		load(), start(), loader(sessionStart("compact")).closing(1).failsClosed("deliver"), blocked("___x", "compaction"),
		tokenIs(loadedLines, typedStart, failedCompact),
	}},
	{class: "D8", name: "a load after a compaction with too few pages or a bad argument voids what stands", steps: []step{
		load(), start(), loader(sessionStart("compact"), "x").failsClosed("usage"), blocked("___x", "compaction"),
		session("b"), load(), holding(rig.SizedContents(25_000)), loader(sessionStart("compact"), "1/2").failsClosed("3 pages"),
		blocked("____", "compaction"),
	}},
	{class: "D8", name: "four pages at once after a compaction: each counts", needs: crowd, steps: []step{
		holding(rig.SizedContents(35_000)), page(1, 4, 4), page(2, 4, 4), page(3, 4, 4), page(4, 4, 4), start(), allowed(),
		compactedPages(4), allowed(), count("LOAD_VOID", 4), count("CONTEXT_ACK", 2),
		compactedPages(4), allowed(), count("LOAD_VOID", 8), count("CONTEXT_ACK", 3),
	}},
	{class: "D8", name: "pages beyond the last void as the first does", steps: []step{
		load(), start(), loader(sessionStart("compact"), "2/4"), loader(sessionStart("compact"), "4/4"), blocked("___x", "compaction"),
		loader(sessionStart("compact"), "1/4").prints(theWholeBlock), allowed(), tokenIs(loadedLines, typedStart, reloadedLines),
	}},
	{class: "D8", name: "resume and fork leave what lies at the root, also where they fail", steps: []step{
		load(), start(), loader(sessionStart("resume")).prints(theWholeBlock), loader(sessionStart("fork")).prints(theWholeBlock), allowed(),
		rename("{root}/CONTEXT.md", "{root}/C.md"), loader(sessionStart("resume")).failsClosed("CONTEXT.md"),
		rename("{root}/C.md", "{root}/CONTEXT.md"), allowed(), tokenIs(loadedLines, typedStart, failedResume),
	}},
	{class: "D8", name: "source doubled or of another type is malformed, and ends what stood", steps: []step{
		load(), start(), loader(with(startup, "source", "7")).failsClosed("source"), blocked("____"), session("b"),
		loader(with(startup, "source", "7")).failsClosed("source"), loader(also(startup, "source", `"compact"`)).failsClosed("source"),
		loader(with(startup, "source", "null")).failsClosed("source"), unmarked(),
		loader(also(startup, "Source", `"compact"`)).prints(theWholeBlock),
		loader(also(startup, "Source", `"compact"`)).prints(theWholeBlock), tokenIs(failedNew, failedNew, failedNew, loadedLines, loadedLines),
	}},
	{class: "D8", name: "a load elsewhere after a compaction voids too", steps: []step{
		load(), start(), at("{dir}"), loader(sessionStart("compact")), at("{root}"), blocked("___x", "compaction"), tokenIs(loadedLines, typedStart),
	}},
	{class: "D8", name: "the void is of the session, whatever the root", steps: []step{
		load(), start(), constellation("{dir}/b/constellation-hades", rig.SmallContents()), gate(compact("auto")), at("{dir}/constellation-hades"),
		fixture(func(s *scene) error { s.root = s.dir + "/constellation-hades"; return nil }), blocked("___x", "compaction"),
	}},
	{class: "D8", name: "a void that cannot be written: exit 2, so that the client does not compact", needs: alone | mount, steps: []step{
		makeTokenDir(), small(tokenDir, 4096), tokenOfSize(4090, lines(loadedLines, typedStart)),
		gate(compact("auto")).failsClosed("{token}"), sizeOf("{token}", 4090), allowed(),
		at("{dir}"), gate(compact("auto")).failsClosed("{token}"),
	}},
	{class: "D8", name: "elsewhere, with a token in a directory that cannot be written: exit 2", needs: alone | modeBits, steps: []step{
		load(), start(), chmod(tokenDir, 0o500), at("{dir}"), gate(compact("auto")).failsClosed(tokenDir), chmod(tokenDir, 0o700),
		at("{root}"), allowed(),
	}},
	{class: "D8", name: "a token in a directory that is not to be trusted: exit 2", needs: alone, steps: []step{
		load(), start(), chmod(tokenDir, 0o777), gate(compact("auto")).failsClosed(tokenDir), at("{dir}"),
		gate(compact("auto")).failsClosed(tokenDir), chmod(tokenDir, 0o700), at("{root}"), allowed(),
		chmod(tokenParent, 0o770), gate(compact("auto")).failsClosed(tokenParent),
	}},
	{class: "D8", name: "a token that is not to be trusted: exit 2", needs: foreign, steps: []step{
		load(), start(), chmod("{token}", 0o666), gate(compact("auto")).failsClosed("{token}"), chmod("{token}", 0o644),
		foreignOwner("{token}"), gate(compact("auto")).failsClosed("{token}"),
	}},
	{class: "D8", name: "an old receipt does not complete the load after a compaction that was not announced", steps: []step{
		holding(rig.SizedContents(15_000)), page(1, 2, 2), start().says("START_ACK"),
		rename("{root}/CONTEXT.md", "{root}/C.md"), loader(sessionStart("compact"), "1/2").failsClosed("CONTEXT.md"),
		rename("{root}/C.md", "{root}/CONTEXT.md"), loader(sessionStart("compact"), "2/2").prints(thePage(2, 2)), blocked("___x", "missing: 1."),
	}},
	{class: "D8", name: "elsewhere, in a token directory of another user: no matter", needs: alone | foreign, steps: []step{
		makeTokenDir(), chmod(tokenParent, 0o700), foreignOwner(tokenParent), at("{dir}"), gate(compact("auto")),
	}},
	{class: "D8", name: "elsewhere, in a folder of another user inside ours: no matter", needs: alone | foreign, steps: []step{
		makeTokenDir(), write("{token}", "x"), foreignOwner(tokenDir), at("{dir}"), gate(compact("auto")),
	}},
	{class: "D8", name: "elsewhere, with a token that cannot be seen: it is looked for, and voided", needs: alone | modeBits, steps: []step{
		load(), start(), chmod(tokenParent, 0), at("{dir}"), gate(compact("auto")), at("{root}"), blocked("___x", "compaction"),
		session("b"), load(), start(), chmod(tokenDir, 0), at("{dir}"), gate(compact("auto")), at("{root}"), blocked("___x", "compaction"),
	}},
	{class: "D8", name: "elsewhere, with a token directory of ours that cannot be looked into, and no token: no matter", needs: alone | modeBits, steps: []step{
		makeTokenDir(), chmod(tokenParent, 0), at("{dir}"), gate(compact("auto")), loader(startup), allowed(),
	}},
	{class: "D8", name: "elsewhere, with a loop of links for a token directory: no matter", needs: alone, steps: []step{
		link(tokenParent, tokenParent), at("{dir}"), gate(compact("auto")), loader(startup), allowed(),
	}},
	{class: "D8", name: "elsewhere, without a token in a directory that cannot be written: no matter", needs: alone | modeBits, steps: []step{
		makeTokenDir(), chmod(tokenDir, 0o500), at("{dir}"), gate(compact("auto")),
	}},
	{class: "D8", name: "elsewhere, a corrupt token: exit 2", steps: []step{
		tokenBytes(handWritten + "x\n"), at("{dir}"), gate(compact("auto")).failsClosed("line 5"),
	}},
}

// compactedPages runs the n wired loaders at once, as after a compaction.
func compactedPages(n int) step {
	var all together
	for k := 1; k <= n; k++ {
		all = append(all, loader(sessionStart("compact"), fmt.Sprintf("%d/%d", k, n)).prints(thePage(k, n)))
	}
	return all
}

// count: a marker stands exactly n times in the token file.
func count(marker string, n int) step {
	return expectation(func(s *scene) error {
		data, err := os.ReadFile(s.token())
		if err != nil {
			return err
		}
		if got := strings.Count(string(data), " "+marker+" "); got != n {
			return fmt.Errorf("expected %s %d times, got %d times in\n%s", marker, n, got, data)
		}
		return nil
	})
}
