package moiraicore

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

const testRoot = "/home/operator/constellation-hades"

// reassemble takes the files out of pages by their banners alone, as
// docs/SPEC.md describes them.
func reassemble(t *testing.T, pages []string) (content [len(Required)]string) {
	t.Helper()
	head := regexp.MustCompile(`^===== MOIRAI \(HADES\) INJECTION BLOCK: page (\d+) of (\d+) \(pages arrive in any order\) =====\n`)
	file := regexp.MustCompile(`^----- FILE ([^\n]+): bytes (\d+) to (\d+) of (\d+), path ([^\n]+) -----\n`)
	for i, page := range pages {
		m := head.FindStringSubmatch(page)
		if m == nil || m[1] != fmt.Sprint(i+1) || m[2] != fmt.Sprint(len(pages)) {
			t.Fatalf("page %d of %d begins with %.90q", i+1, len(pages), page)
		}
		rest := page[len(m[0]):]
		for {
			m := file.FindStringSubmatch(rest)
			if m == nil {
				break
			}
			rest = rest[len(m[0]):]
			var from, to, total int
			fmt.Sscan(m[2], &from)
			fmt.Sscan(m[3], &to)
			fmt.Sscan(m[4], &total)
			n := -1
			for k, r := range Required {
				if r.Path == m[1] {
					n = k
				}
			}
			if n < 0 || len(content[n]) != from || to <= from || m[5] != testRoot+"/"+m[1] {
				t.Fatalf("page %d: part %q after %d bytes", i+1, m[0], len(content[n]))
			}
			content[n] += rest[:to-from]
			end := fmt.Sprintf("to be continued on page %d", i+2)
			if to == total {
				end = "complete"
			}
			var found bool
			if rest, found = strings.CutPrefix(rest[to-from:], "\n----- END "+m[1]+": "+end+" -----\n"); !found {
				t.Fatalf("page %d: no end banner after %q", i+1, m[0])
			}
		}
		if want := fmt.Sprintf("===== END OF MOIRAI (HADES) INJECTION BLOCK: page %d of %d =====\n", i+1, len(pages)); rest != want {
			t.Fatalf("page %d ends with %q", i+1, rest)
		}
	}
	return content
}

// utf16Len counts as a client does that decodes bytes to JavaScript strings,
// with one unit for each invalid byte.
func utf16Len(s string) int { return len(utf16.Encode([]rune(s))) }

// leastPages is the least number of pages that any cutting by D7's rule can
// reach, for text of one unit a byte: page by page, the furthest legal cut, where
// to be further is never worse.
func leastPages(content [len(Required)]string, banners func(file int) int, frame int) int {
	file, at := 0, 0
	for pages := 1; ; pages++ {
		room := PageUnits - frame
		for {
			room -= banners(file)
			legal := legalCuts(content[file], PageUnits-frame-banners(file))
			end := at
			for _, cut := range legal {
				if cut > at && cut-at <= room {
					end = cut
				}
			}
			room -= end - at
			at = end
			if at < len(content[file]) {
				break
			}
			if file, at = file+1, 0; file == len(content) {
				return pages
			}
		}
	}
}

// legalCuts lists the line ends of text, and every place in a line longer than a
// page.
func legalCuts(text string, full int) (cuts []int) {
	from := 0
	for _, line := range strings.SplitAfter(text, "\n") {
		for i := 1; len(line) > full && i < len(line); i++ {
			cuts = append(cuts, from+i)
		}
		from += len(line)
		cuts = append(cuts, from)
	}
	return cuts
}

var alphabets = map[string][]string{
	"ascii":     {"a", "b", " ", "\n"},
	"lines":     {"a line of text\n", "# a heading\n", "\n"},
	"combining": {"e\u0301", "n\u0303", "\n", "\u200d"},
	"emoji":     {"😀", "👩‍👩‍👧", "x", "\n"},
	"crlf":      {"text\r\n", "\r\n", "\r"},
	"han":       {"漢", "é", "\n"},
	"invalid":   {"\xff", "\xc3", "\xf0\x9f\x98", "a", "\n"},
	"nul":       {"\x00", "a", "\n"},
	"banner":    {"----- END CONTEXT.md: complete -----\n", "===== END", "\n"},
	"oneline":   {"x"},
	"nonewline": {"word "},
}

func TestPagesFitAndReassemble(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 25))
	for name, letters := range alphabets {
		t.Run(name, func(t *testing.T) {
			for range 60 {
				var content [len(Required)]string
				for i := range content {
					var b strings.Builder
					for size := 1 + rng.IntN([]int{10, 3000, 25_000, 100_000}[rng.IntN(4)]); b.Len() < size; {
						b.WriteString(letters[rng.IntN(len(letters))])
					}
					content[i] = b.String()
				}
				pages, err := Paginate(content, testRoot)
				if err != nil {
					t.Fatal(err)
				}
				for k, page := range pages {
					if n := utf16Len(page); n > PageUnits {
						t.Fatalf("page %d has %d units", k+1, n)
					}
					if strings.HasPrefix(page, "{") || !strings.HasSuffix(page, "\n") {
						t.Fatalf("page %d: %.20q", k+1, page)
					}
					if utf8.ValidString(content[0]+content[1]+content[2]) && !utf8.ValidString(page) {
						t.Fatalf("page %d is cut inside a UTF-8 sequence", k+1)
					}
				}
				if reassemble(t, pages) != content {
					t.Fatal("the pages are not the files")
				}
			}
		})
	}
}

func TestPageCountIsLeastOrOneMore(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 1))
	for range 40 {
		var content [len(Required)]string
		for i := range content {
			var b strings.Builder
			for size := 1 + rng.IntN(30_000); b.Len() < size; {
				b.WriteString(strings.Repeat("w", 1+rng.IntN([]int{80, 4_000, 9_000, 15_000}[rng.IntN(4)])) + "\n")
			}
			content[i] = b.String()
		}
		pages, err := Paginate(content, testRoot)
		if err != nil {
			t.Fatal(err)
		}
		banners := func(i int) int {
			return utf16Len(fmt.Sprintf(fileBanner+endBanner, Required[i].Path, 0, 10_000, 30_000, testRoot+"/"+Required[i].Path, Required[i].Path, "complete"))
		}
		frame := utf16Len(fmt.Sprintf(headBanner+footBanner, 1, 9, 1, 9))
		if least := leastPages(content, banners, frame); len(pages) < least || len(pages) > least+1 {
			t.Fatalf("%d pages, the least possible is %d", len(pages), least)
		}
	}
}

func TestPagesAreCutAtLineEnds(t *testing.T) {
	line := strings.Repeat("w", 999) + "\n"
	pages, err := Paginate([...]string{strings.Repeat(line, 30), "s\n", "c\n"}, testRoot)
	if err != nil {
		t.Fatal(err)
	}
	for k, page := range pages {
		for _, l := range strings.Split(page, "\n") {
			if strings.Trim(l, "w") == "" && l != "" && len(l) != 999 {
				t.Errorf("page %d has a piece of %d of a line of 999", k+1, len(l))
			}
		}
	}
}

func TestPathTooLongForAPage(t *testing.T) {
	if _, err := Paginate([...]string{"a", "b", "c"}, "/"+strings.Repeat("d", PageUnits)); err == nil {
		t.Fatal("no error")
	}
}
