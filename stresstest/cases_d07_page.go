package main

import (
	"fmt"
	"os"
	"strings"

	"moirai/stresstest/rig"
)

// D7: delivery in pages of at most 10,000 UTF-16 units.
var pageCases = []testCase{
	// Page counts.
	{class: "D7", name: "1 page of 4 wired: the first prints, the others print nothing", steps: []step{
		loader(startup, "2/4"), loader(startup, "3/4"), loader(startup, "4/4"), unmarked(), page(1, 4, 1), tokenIs(loadedLines), start(), allowed(),
	}},
	{class: "D7", name: "1/1 is the plain loader", steps: []step{loader(startup, "1/1").prints(exactly(smallBlock)), tokenIs(loadedLines)}},
	{class: "D7", name: "2 pages", steps: wholeLoad(15_000, 2, 4)},
	{class: "D7", name: "3 pages", steps: wholeLoad(25_000, 3, 4)},
	{class: "D7", name: "4 pages of 4", steps: wholeLoad(35_000, 4, 4)},
	{class: "D7", name: "7 pages", steps: wholeLoad(65_000, 7, 9)},
	{class: "D7", name: "three files of 8,000 units each in 4 wired pages", steps: []step{
		holding(rig.Contents{longText(8000), longText(8000), longText(8000)}), loadAll{3, 4}, start(), allowed(),
	}},
	{class: "D7", name: "64 pages of 64", needs: crowd, steps: wholeLoad(608_000, 64, 64)},
	{class: "D7", name: "the last page decides: the gate is closed before it", steps: []step{
		holding(rig.SizedContents(35_000)), page(4, 4, 4), blocked("____"), page(2, 4, 4), blocked("____"),
		page(1, 4, 4), blocked("____"), page(3, 4, 4), blocked("xxx_"), receiptsAre([]int{4, 2, 1, 3}, 4),
	}},
	{class: "D7", name: "receipts, then the markers in the write of the last", steps: []step{
		holding(rig.SizedContents(15_000)), page(2, 4, 2), receiptsAre([]int{2}, 2), page(1, 4, 2), receiptsAre([]int{2, 1}, 2),
	}},
	{class: "D7", name: "a page again begins a new load", steps: []step{
		holding(rig.SizedContents(15_000)), page(1, 4, 2), page(1, 4, 2), page(2, 4, 2), blocked("xxx_"), page(2, 4, 2), blocked("____"), page(1, 4, 2), blocked("xxx_"),
	}},
	{class: "D7", name: "all pages at once in random order, 50 times", needs: crowd, steps: []step{atOnceManyTimes{50, 4}}},

	// The limit.
	{class: "D7", name: "the fullest single page has at most 10,000 units, and one unit more is refused", steps: []step{fullestPage{}}},
	{class: "D7", name: "units, not bytes: 9,000 units of 3 bytes each are one page", steps: []step{
		holding(rig.Contents{strings.Repeat("漢", 9000), "s\n", "c\n"}), load(), tokenIs(loadedLines),
	}},
	{class: "D7", name: "an astral character counts 2", steps: []step{
		holding(rig.Contents{strings.Repeat("😀", 4900), "s\n", "c\n"}), loader(startup).failsClosed("need 2 pages"), session("a"), loadAll{2, 2},
		holding(rig.Contents{strings.Repeat("😀", 4500), "s\n", "c\n"}), session("b"), load(),
	}},
	{class: "D7", name: "an invalid byte counts 1", steps: []step{
		holding(rig.Contents{strings.Repeat("\xff", 9000), "s\n", "c\n"}), load(), tokenIs(loadedLines),
	}},
	{class: "D7", name: "too much for one page: exit 2, says how many are needed, no marker", steps: []step{
		holding(rig.SizedContents(25_000)),
		loader(startup).failsClosed("3 pages", required[0]+" 8334", required[1]+" 8333", required[2]+" 8333", "make wire PAGES=3", "shorten"),
		unmarked(),
	}},
	{class: "D7", name: "too much for N pages: every one of them exits 2 and none prints", steps: []step{
		holding(rig.SizedContents(35_000)), loader(startup, "1/3").failsClosed("4 pages", "3 are wired", "make wire PAGES=4"),
		loader(startup, "2/3").failsClosed("4 pages"), loader(startup, "3/3").failsClosed("4 pages"), unmarked(),
	}},
	{class: "D7", name: "too much for 64 pages: shorten", steps: []step{
		holding(rig.SizedContents(700_000)), loader(startup, "1/64").failsClosed("64 can be", "Way out: shorten the files"),
		loader(startup, "64/64").failsClosed("shorten"), unmarked(),
	}},

	// Cutting.
	{class: "D7", name: "cut at line ends", steps: []step{holding(rig.SizedContents(35_000)), loadAll{4, 4}, cutsAtLineEnds{}}},
	{class: "D7", name: "one line of 100,000 characters", steps: []step{
		holding(rig.Contents{longLine(100_000), "s\n", "c\n"}), loadAll{0, 16}, start(), allowed(),
	}},
	{class: "D7", name: "a long line is cut between characters, never inside one", steps: []step{
		holding(rig.Contents{strings.Repeat("😀é漢x", 5_000), strings.Repeat("é", 12_001), "c"}), loadAll{0, 16}, cutsBetweenCharacters{},
	}},
	{class: "D7", name: "CRLF, combining marks, NUL, invalid UTF-8, no final newline", steps: []step{
		holding(rig.Contents{strings.Repeat("e\u0301\u0302 line\r\n", 2000), strings.Repeat("\x00\xff\xc3(\xed\xa0\x80\n", 2000), strings.Repeat("\r", 9000) + "end"}),
		loadAll{0, 32}, start(), allowed(),
	}},
	{class: "D7", name: "only newlines", steps: []step{holding(rig.Contents{strings.Repeat("\n", 12_000), "\n", "\n"}), loadAll{2, 4}}},
	{class: "D7", name: "a line that just fits a page and its neighbours", steps: []step{
		holding(rig.Contents{longLine(9_500) + longLine(9_500) + "a\n", longLine(9_700), "b\n" + longLine(9_600)}), loadAll{0, 8},
	}},
	{class: "D7", name: "random contents, 40 kinds", needs: crowd, steps: []step{randomContents{40}}},

	// Faults.
	{class: "D7", name: "content that changes between two pages never completes", steps: []step{
		holding(rig.SizedContents(15_000)), start().says("START_ACK"), promptPage(1, 2, 2), changedByte{}, promptPage(2, 2, 2), blocked("___x"),
		promptPage(1, 2, 2), allowed(),
	}},
	{class: "D7", name: "content that changes between two pages to another count never completes", steps: []step{
		holding(rig.SizedContents(15_000)), start().says("START_ACK"), promptPage(1, 4, 2), holding(rig.SizedContents(25_000)), promptPage(2, 4, 3),
		promptPage(3, 4, 3), blocked("___x", "3 pages", "missing: 1."), promptPage(1, 4, 3), allowed(),
	}},
	{class: "D7", name: "receipts of another root do not complete this one", steps: []step{
		holding(rig.SizedContents(15_000)), start().says("START_ACK"), promptPage(1, 2, 2),
		constellation("{dir}/b/constellation-hades", rig.SizedContents(15_000)), promptPage(2, 2, 2), blocked("___x"),
	}},
	{class: "D7", name: "one page killed in the middle of its write", needs: linux, steps: faultyPage(killedPage{2, 4})},
	{class: "D7", name: "stdout of one page closed", steps: faultyPage(loader(startup, "2/4").closing(1).failsClosed("deliver"))},
	{class: "D7", name: "stdout of one page broken", steps: faultyPage(loader(startup, "2/4").prints(nil).broken(1).failsClosed("deliver"))},
	{class: "D7", name: "disk full at one page", needs: alone | mount, steps: []step{
		makeTokenDir(), small(tokenDir, 4096), holding(rig.SizedContents(35_000)), start().says("START_ACK"), filler(tokenDir+"/fill", 0),
		promptPage(1, 4, 4), promptPage(3, 4, 4), tokenPadded{4050}, loader(prompt("go on"), "2/4").prints(thePage(2, 4)),
		sizeOf("{token}", 4050), blocked("___x", "missing: 2 4."),
	}},
	{class: "D7", name: "disk full at the last page: no marker, no receipt of it", needs: alone | mount, steps: []step{
		makeTokenDir(), small(tokenDir, 4096), holding(rig.SizedContents(35_000)), start().says("START_ACK"),
		promptPage(1, 4, 4), promptPage(2, 4, 4), promptPage(3, 4, 4), tokenPadded{3700},
		loader(prompt("go on"), "4/4").prints(thePage(4, 4)), sizeOf("{token}", 3700), blocked("___x", "missing: 4."),
	}},
	{class: "D7", name: "one page missing from the wiring: closed, and the message says which", steps: []step{
		holding(rig.SizedContents(35_000)), start().says("START_ACK"), promptPage(1, 4, 4), promptPage(3, 4, 4), promptPage(4, 4, 4),
		blocked("___x", "4 pages", "missing: 2.", "hades-session-load K/N", "at least 4"),
	}},
	{class: "D7", name: "one page of another content after all markers, with no load between: the rules are gone", steps: []step{
		load(), start(), holding(rig.SizedContents(15_000)), page(1, 2, 2), blocked("____", "missing: 2."), session("b"),
		holding(rig.SmallContents()), load(), start(), holding(rig.SizedContents(15_000)), loader(prompt("go on"), "1/2"), allowed(),
	}},

	// A second SessionStart.
	{class: "D7", name: "second SessionStart after a resume: open at each page", steps: []step{
		holding(rig.SizedContents(15_000)), page(1, 2, 2), page(2, 2, 2), start(), allowed(),
		loader(sessionStart("resume"), "1/2").prints(thePage(1, 2)), allowed(), loader(sessionStart("resume"), "2/2").prints(thePage(2, 2)),
		allowed(),
	}},
	{class: "D7", name: "second SessionStart after a compaction: closed until the last page", steps: []step{
		holding(rig.SizedContents(15_000)), page(1, 2, 2), page(2, 2, 2), start(), allowed(), gate(compact("auto")), blocked("___x", "compaction"),
		loader(sessionStart("compact"), "1/2").prints(thePage(1, 2)), blocked("___x", "missing: 2."),
		loader(sessionStart("compact"), "2/2").prints(thePage(2, 2)), allowed(),
	}},
	{class: "D7", name: "second SessionStart after a compaction whose load fails: closed", steps: []step{
		holding(rig.SizedContents(15_000)), page(1, 2, 2), page(2, 2, 2), start(), gate(compact("auto")), rename("{root}/CONTEXT.md", "{root}/C.md"),
		loader(sessionStart("compact"), "1/2").failsClosed("CONTEXT.md"), loader(sessionStart("compact"), "2/2").failsClosed("CONTEXT.md"),
		blocked("___x"),
		rename("{root}/C.md", "{root}/CONTEXT.md"), blocked("___x", "compaction"),
		loader(sessionStart("resume"), "1/2").prints(thePage(1, 2)), loader(sessionStart("resume"), "2/2").prints(thePage(2, 2)), blocked("___x"),
		promptPage(1, 2, 2), blocked("___x"), promptPage(2, 2, 2), allowed(),
	}},
	{class: "D7", name: "a compaction between two pages voids the receipt", steps: []step{
		holding(rig.SizedContents(15_000)), start().says("START_ACK"), promptPage(1, 2, 2), gate(compact("auto")), promptPage(2, 2, 2),
		blocked("___x", "missing: 1."), promptPage(1, 2, 2), allowed(),
	}},

	// Receipts as records.
	{class: "D7", name: "receipts alone, without the markers, do not open", steps: []step{
		token(typedStart, "PAGE_1_OF_2 SessionStart main sha256:"+strings.Repeat("0", 64), "PAGE_2_OF_2 SessionStart main sha256:"+strings.Repeat("0", 64)),
		blocked("___x", "holds no load").withoutWords("missing:"),
	}},
	{class: "D7", name: "receipts that no loader writes are ignored", steps: []step{
		token(lines(loadedLines, typedStart, "PAGE_0_OF_2 SessionStart main sha256:0", "PAGE_3_OF_2 SessionStart main x",
			"PAGE_01_OF_2 SessionStart main x", "PAGE_1_OF_65 SessionStart main x", "PAGE_1_OF_ SessionStart main x", "PAGE_-1_OF_2 SessionStart main x")...),
		allowed(),
	}},

	{class: "D7", name: "receipts that no loader writes are no load either", steps: []step{
		noLoadIn("PAGE_0_OF_2 SessionStart main x"), noLoadIn("PAGE_3_OF_2 SessionStart main x"), noLoadIn("PAGE_01_OF_2 SessionStart main x"),
		noLoadIn("PAGE_1_OF_02 SessionStart main x"), noLoadIn("PAGE_1_OF_65 SessionStart main x"), noLoadIn("PAGE_1_OF_ SessionStart main x"),
		noLoadIn("PAGE__OF_2 SessionStart main x"), noLoadIn("PAGE_-1_OF_2 SessionStart main x"), noLoadIn("PAGE_1_of_2 SessionStart main x"),
		noLoadIn("XPAGE_1_OF_2 SessionStart main x"), noLoadIn("PAGE_1_OF_2x SessionStart main x"), noLoadIn("PAGE_+1_OF_2 SessionStart main x"),
		token("PAGE_64_OF_64 SessionStart main x"), blocked("____", "64 pages"),
	}},

	// The argument.
	{class: "D7", name: "bad arguments: usage, no marker", steps: badArguments(
		"0/4", "5/4", "x", "1/0", "01/4", "1/400", "1/65", "", "/", "1/", "/4", "1", "1/4/1", "+1/4", "1/+4", "1 /4", "-1/4", "1/04", "１/4",
		"1.0/4", "1/4 ", "--help", "99999999999999999999/99999999999999999999",
	)},
	{class: "D7", name: "two arguments: usage", steps: []step{
		loader(startup, "1/4", "2/4").failsClosed("usage"), loader(startup, "1/1", "").failsClosed("usage"), unmarked(),
	}},
	{class: "D7", name: "64/64 and 1/64 are good", steps: []step{loader(startup, "64/64"), page(1, 64, 1), tokenIs(loadedLines)}},
	{class: "D7", name: "the path of the root is so long that pages get small", steps: []step{
		constellation("{dir}/"+strings.Repeat(strings.Repeat("d", 200)+"/", 9)+"constellation-hades", rig.SizedContents(20_000)),
		loadAll{0, 64}, start(), allowed(),
	}},
}

// longText is n units of lines of 40.
func longText(n int) string { return rig.SizedContents(3 * n)[0] }

// wholeLoad: that many bytes take m pages; all of n wired come, and open.
func wholeLoad(bytes, m, n int) []step {
	return []step{holding(rig.SizedContents(bytes)), loadAll{m, n}, start(), allowed()}
}

// loadAll runs all n wired loaders, expects m pages, and puts them together.
// With m 0 it expects as many as there are, and of those that print nothing it
// runs two.
type loadAll struct{ m, n int }

func (l loadAll) do(s *scene) error {
	s.pages = nil
	m := l.m
	for k := 1; k <= l.n; k++ {
		var got string
		keep := func(_ *scene, text string) error { got = text; return nil }
		if err := loader(startup, fmt.Sprintf("%d/%d", k, l.n)).prints(keep).do(s); err != nil {
			return err
		}
		if got == "" {
			if k <= m || k == 1 {
				return fmt.Errorf("page %d of %d: expected output, got none", k, m)
			}
			if m == 0 {
				m, k = k-1, max(k, l.n-1)
			}
			continue
		}
		if m != 0 && k > m {
			return fmt.Errorf("loader %d of %d: expected nothing after page %d, got %s", k, l.n, m, short(got))
		}
		s.pages = append(s.pages, got)
	}
	if m == 0 {
		m = l.n
	}
	if err := reassemble(s, s.pages); err != nil {
		return err
	}
	order := make([]int, m)
	for i := range order {
		order[i] = i + 1
	}
	return receiptsAre(order, m).do(s)
}

// receiptsAre: START_ACK aside, the token holds the receipts of these pages in
// this order with one digest, and then the three markers exactly if it is all of them.
func receiptsAre(order []int, m int) step {
	return expectation(func(s *scene) error {
		data, err := os.ReadFile(s.token())
		if err != nil {
			return err
		}
		var kept, want []string
		for _, line := range strings.SplitAfter(string(data), "\n") {
			if !strings.HasSuffix(line, " "+typedStart+"\n") {
				kept = append(kept, line)
			}
		}
		text := strings.Join(kept, "")
		_, after, _ := strings.Cut(text, " sha256:")
		digest, _, _ := strings.Cut(after, "\n")
		if m > 1 && !isDigest(digest) {
			return fmt.Errorf("expected a digest of 64 hexadecimal digits, got %q", digest)
		}
		for _, k := range order {
			if m > 1 {
				want = append(want, fmt.Sprintf("PAGE_%d_OF_%d SessionStart main sha256:%s", k, m, digest))
			}
		}
		if len(order) == m {
			want = append(want, loadedLines...)
		}
		return s.recordsAre(loaderRan.ReplaceAllString(text, ""), want)
	})
}

func isDigest(text string) bool {
	return len(text) == 64 && strings.Trim(text, "0123456789abcdef") == ""
}

// faultyPage: pages 1, 3 and 4 of 4 come, the second fails; closed until it comes.
func faultyPage(fault step) []step {
	return []step{
		holding(rig.SizedContents(35_000)), page(1, 4, 4), fault, page(3, 4, 4), page(4, 4, 4), start().says("START_ACK"),
		blocked("___x"), promptPage(1, 4, 4), promptPage(3, 4, 4), promptPage(4, 4, 4), blocked("___x", "missing: 2."), promptPage(2, 4, 4), allowed(),
	}
}

// noLoadIn: a token with this record alone holds no load.
func noLoadIn(record string) step {
	return expectation(func(s *scene) error {
		if err := token(record).do(s); err != nil {
			return err
		}
		return blocked("____", "the token holds no load").do(s)
	})
}

func badArguments(args ...string) []step {
	var steps []step
	for _, a := range args {
		steps = append(steps, loader(startup, a).failsClosed("usage", "K/N"))
	}
	return append(steps, unmarked())
}
