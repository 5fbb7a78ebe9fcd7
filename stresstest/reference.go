package main

import (
	"cmp"
	"debug/buildinfo"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"moirai/stresstest/rig"
)

// What the hooks must print, written from §4.6 and the design.

var required = rig.Required

// failClosedLines judges the two lines of D13.
func failClosedLines(s *scene, got string, fragments []string) error {
	condition, rest, _ := strings.Cut(got, "\n")
	const head, out = "Moirai (Hades) fail-closed: ", "Way out: "
	if !strings.HasPrefix(condition, head) || len(condition) == len(head) {
		return mismatch(head+"<condition>", got)
	}
	way, after, ended := strings.Cut(rest, "\n")
	if !strings.HasPrefix(way, out) || len(way) == len(out) || !ended || after != "" {
		return mismatch(head+"<condition>\n"+out+"<way out>\n", got)
	}
	return holds(s, got, fragments)
}

// checklist is the four lines of §4.6: an x in marks for each that is set.
func checklist(marks string) string {
	var b strings.Builder
	for i, name := range []string{"COMMANDMENTS_ACK", "SCOPE_ACK", "CONTEXT_ACK", "START_ACK"} {
		mark, by := " ", "SessionStart loader"
		if marks[i] == 'x' {
			mark = "x"
		}
		if i == 3 {
			by = "/start OR /war-room-start"
		}
		fmt.Fprintf(&b, "  [%s] %-18s (set by %s)\n", mark, name, by)
	}
	return b.String()
}

// theBlockMessage judges the block message: everything that §4.6 words byte for
// byte, and in the resolution the fragments.
func theBlockMessage(s *scene, got, tool, marks string, fragments []string) error {
	resolution, build, err := splitMessage(s, got, tool, marks)
	if err != nil {
		return err
	}
	if marks[:3] == "xxx" && strings.Contains(resolution, "MISSING") {
		return mismatch("no word of missing rule files, since markers 1–3 stand", got)
	}
	if !strings.Contains(resolution, "other tools are blocked too, so stop and do not try others") {
		return mismatch("the advice to stop", got)
	}
	if marks[3] != 'x' {
		if err := holds(s, resolution, []string{"Esc", "Skill tool", "start"}); err != nil {
			return err
		}
	}
	if err := buildLines(s, build); err != nil {
		return err
	}
	return holds(s, resolution, fragments)
}

// splitMessage takes what §4.6 words off a block message and returns what is
// between, the resolution, and what is behind, the lines about the build.
func splitMessage(s *scene, got, tool, marks string) (resolution, build string, err error) {
	todo := map[string]string{
		"xxx_": "press Esc if a turn runs, then type /start",
		"x":    "type any prompt: it brings the rule files",
		"_":    "type /start; rule files are missing, see below",
	}
	do := cmp.Or(todo[marks], todo[marks[3:]])
	head := `BLOCKED by Moirai (Hades). To do: ` + do + `

Hades sessions must complete the Minimum Session Load before any gated
tool call. This boundary is absolute — rules are hard-coded in
hades-gate and cannot be weakened at runtime.

Required markers (in any order):
` + checklist(marks) + "\nResolution: "
	if marks[3] != 'x' {
		head += "type /start or /war-room-start."
	}
	if marks == "xxx_" {
		head += " The gate opens once the\nfourth marker is recorded.\n"
	}
	tail := s.expand(`
If markers 1–3 are MISSING, the SessionStart loader failed or did not run
here. Check:
  - {hooks}/hades-session-load available + executable
  - /tmp/moirai/hades/ writable
  - Required files present on disk

Blocked tool: ` + tool + `
Session token: {token}
Gate source:   {hooks}/hades-gate
Loader source: {hooks}/hades-session-load
`)
	if !strings.HasPrefix(got, head) {
		return "", "", mismatch(head+"…", got)
	}
	resolution, build, found := strings.Cut(got[len(head):], tail)
	if !found {
		return "", "", mismatch("…"+tail+"…", got)
	}
	return resolution, build, nil
}

// buildLines judges what follows the sources: the commit, and a README that exists.
func buildLines(s *scene, got string) error {
	commit, err := builtFrom(s.onDisk(s.hooks() + "/" + gateName))
	if err != nil {
		return err
	}
	readme := s.hooks() + "/README.md"
	if _, err := os.Stat(s.onDisk(readme)); err != nil {
		return err
	}
	return exactly("Built from:    "+commit+"\nREADME:        "+readme+"\n")(s, got)
}

// builtFrom is what the Go command stamped into the binary.
func builtFrom(path string) (string, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return "", err
	}
	return info.Main.Version, nil
}

// units is the length in UTF-16 code units, an invalid byte counting 1 (D7).
func units(text string) int {
	n := 0
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		n += len(utf16.Encode([]rune{r}))
		text = text[size:]
	}
	return n
}

const pageUnits = 10_000

// pagePart is what a page carries of one file.
type pagePart struct {
	file            int // in the order of required
	from, to, total int
	text, path      string
	onto            int // the page it goes on on; 0: complete
}

var (
	pageHead = regexp.MustCompile(`^===== MOIRAI \(HADES\) INJECTION BLOCK: page ([0-9]+) of ([0-9]+) \(pages arrive in any order\) =====\n`)
	partHead = regexp.MustCompile(`^----- FILE (\S+): bytes ([0-9]+) to ([0-9]+) of ([0-9]+), path ([^\n]+) -----\n`)
	partFoot = regexp.MustCompile(`^\n----- END (\S+): (complete|to be continued on page ([0-9]+)) -----\n`)
)

// parsePage reads a page as the format has it, every byte of it.
func parsePage(text string) (k, m int, parts []pagePart, err error) {
	head := pageHead.FindStringSubmatch(text)
	if head == nil {
		return 0, 0, nil, mismatch("the banner of a page", text)
	}
	k, m = number(head[1]), number(head[2])
	foot := fmt.Sprintf("===== END OF MOIRAI (HADES) INJECTION BLOCK: page %d of %d =====\n", k, m)
	rest := text[len(head[0]):]
	for rest != foot {
		h := partHead.FindStringSubmatch(rest)
		if h == nil {
			return 0, 0, nil, mismatch("the banner of a file, or\n"+foot, rest)
		}
		p := pagePart{file: -1, from: number(h[2]), to: number(h[3]), total: number(h[4]), path: h[5]}
		for i, name := range required {
			if name == h[1] {
				p.file = i
			}
		}
		rest = rest[len(h[0]):]
		if p.file < 0 || p.to < p.from || p.to-p.from > len(rest) {
			return 0, 0, nil, mismatch("a required file and its bytes", h[0])
		}
		p.text, rest = rest[:p.to-p.from], rest[p.to-p.from:]
		f := partFoot.FindStringSubmatch(rest)
		if f == nil || f[1] != required[p.file] {
			return 0, 0, nil, mismatch("the end of "+required[p.file], rest)
		}
		p.onto = number(f[3])
		rest = rest[len(f[0]):]
		parts = append(parts, p)
	}
	return k, m, parts, nil
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// reassemble puts pages together and compares them with the files (D7).
func reassemble(s *scene, pages []string) error {
	var whole [3]string
	for i, text := range pages {
		if n := units(text); n > pageUnits {
			return fmt.Errorf("page %d: expected at most %d units, got %d", i+1, pageUnits, n)
		}
		k, m, parts, err := parsePage(text)
		if err != nil {
			return err
		}
		if k != i+1 || m != len(pages) {
			return fmt.Errorf("expected page %d of %d, got page %d of %d", i+1, len(pages), k, m)
		}
		for _, p := range parts {
			if err := placed(s, p, k, len(whole[p.file])); err != nil {
				return err
			}
			whole[p.file] += p.text
		}
	}
	for i, name := range required {
		if whole[i] != s.files[i] {
			return fmt.Errorf("%s: %w", name, mismatch(s.files[i], whole[i]))
		}
	}
	return nil
}

// placed judges the banners of one part on page k, after have bytes of its file.
func placed(s *scene, p pagePart, k, have int) error {
	name := required[p.file]
	if p.from != have || p.total != len(s.files[p.file]) || p.path != s.root+"/"+name {
		return fmt.Errorf("page %d: expected %s from byte %d of %d, path %s, got %+v", k, name, have, len(s.files[p.file]), s.root+"/"+name, p)
	}
	if p.to == p.total && p.onto != 0 || p.to < p.total && p.onto != k+1 {
		return fmt.Errorf("page %d: expected the right end of %s, got %+v", k, name, p)
	}
	return nil
}

// theWholeBlock: page 1 of 1, with the three files byte for byte.
func theWholeBlock(s *scene, got string) error { return reassemble(s, []string{got}) }

// thePage: page k of m, within the limit. Reassembly is a step of its own.
func thePage(k, m int) judge {
	return func(s *scene, got string) error {
		gotK, gotM, _, err := parsePage(got)
		if err != nil {
			return err
		}
		if gotK != k || gotM != m {
			return fmt.Errorf("expected page %d of %d, got page %d of %d", k, m, gotK, gotM)
		}
		if n := units(got); n > pageUnits {
			return fmt.Errorf("expected at most %d units, got %d", pageUnits, n)
		}
		return nil
	}
}
