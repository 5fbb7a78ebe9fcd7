package moiraicore

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"unicode"
	"unicode/utf8"
)

// wellFormed is the record of D5 as a grammar, apart from the parser.
var wellFormed = regexp.MustCompile(`^[0-9]+ [^ ]+ [^ ]+ [^ ]+( .*)?$`)

func isRecord(line string) bool {
	for i, r := range line {
		if unicode.IsControl(r) {
			return false
		}
		if r == utf8.RuneError { // an invalid byte is part of a path like any other
			if _, size := utf8.DecodeRuneInString(line[i:]); size == 1 {
				line = line[:i] + "?" + line[i+1:]
			}
		}
	}
	stamp, _, _ := strings.Cut(line, " ")
	return wellFormed.MatchString(line) && (len(stamp) <= 18 || strings.Trim(stamp, "0") == "")
}

func FuzzRecord(f *testing.F) {
	for _, line := range []string{
		"1776902400 COMMANDMENTS_ACK SessionStart main /x/constellation-hades/docs/book-of-hades/COMMANDMENTS.md",
		"1776902400 START_ACK UserPromptSubmit main",
		"1776902400 START_ACK UserPromptSubmit main ",
		"1776902400 CONTEXT_ACK Read main /a path/with  blanks /CONTEXT.md",
		"1 PAGE_1_OF_2 SessionStart main sha256:00",
		"-1 A B C", "1  B C", "1 A B", "", " ", "1 A B C\r", "1 A\x00 B C", "1 A B C \u0085", "1 A B C \xff", "1 A B C \xc2A",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		r, err := ParseRecord(line)
		want := isRecord(line)
		stamp, _, _ := strings.Cut(line, " ")
		if len(stamp) > 18 { // beyond any clock: refused or not, but never wrapped
			if err == nil && r.Time < 0 {
				t.Fatalf("time wrapped: %q", line)
			}
			return
		}
		if (err == nil) != want {
			t.Fatalf("ParseRecord(%q) = %v, the grammar says %v", line, err, want)
		}
		if err != nil {
			return
		}
		back, err := ParseRecord(r.String())
		if err != nil || back != r {
			t.Fatalf("%q does not survive: %q, %v", line, r.String(), err)
		}
	})
}

// FuzzFold: whatever a token file holds, the gate opens only on the four
// markers, each on a line of its own, after the last LOAD_VOID, for this root.
func FuzzFold(f *testing.F) {
	const root = "/x/constellation-hades"
	whole := "1 COMMANDMENTS_ACK SessionStart main " + root + "/docs/book-of-hades/COMMANDMENTS.md\n" +
		"1 SCOPE_ACK SessionStart main " + root + "/context/scope.md\n" +
		"1 CONTEXT_ACK SessionStart main " + root + "/CONTEXT.md\n1 START_ACK UserPromptSubmit main\n"
	f.Add([]byte(whole))
	f.Add([]byte(whole + "2 LOAD_VOID PreCompact main\n"))
	f.Add([]byte(whole + "2 CONTEXT_NEW SessionStart main\n"))
	f.Add([]byte("1 CONTEXT_NEW SessionStart main 1/1 l\n" + whole + "2 CONTEXT_NEW SessionStart main 1/1 l\n"))
	f.Add([]byte(strings.ReplaceAll(whole, "SessionStart main", "Read main@p")))
	f.Add([]byte("1 LOAD_VOID PreCompact main\n" + whole))
	f.Add([]byte(strings.ReplaceAll(whole, root, "/y")))
	f.Add([]byte(strings.TrimSuffix(whole, "\n")))
	f.Fuzz(func(t *testing.T, data []byte) {
		l := newLoad(root, NoPrompt)
		l.size = int64(len(data))
		if l.fold(bytes.NewReader(data)) != nil || !l.Open() {
			return
		}
		text := "\n" + string(data) + "\n"
		// after the last record that ends the load, or all, whatever ran before
		after := func(marker string) string {
			ends := regexp.MustCompile(`\n[0-9]+ (?:`+marker+`) [^ \n]+ [^ \n]+ ?\n`).FindAllStringIndex(text, -1)
			if ends == nil {
				return text
			}
			return text[ends[len(ends)-1][1]-1:]
		}
		for _, r := range Required {
			if !regexp.MustCompile(`\n[0-9]+ ` + r.Marker + ` (?:SessionStart main|[^ \n]+ main@) ` + root + "/" + r.Path + `\n`).MatchString(after("LOAD_VOID|CONTEXT_NEW")) {
				t.Fatalf("open without %s: %q", r.Marker, data)
			}
		}
		if !regexp.MustCompile(`\n[0-9]+ START_ACK [^ \n]+ [^ \n]+`).MatchString(after("CONTEXT_NEW")) {
			t.Fatalf("open without START_ACK: %q", data)
		}
	})
}

// TestFoldOfACutRead: a read that fails or ends within the file is an error, since
// what is not read might hold a LOAD_VOID. No exec can bring it about: what strace
// makes of a read leaves no bytes behind.
func TestFoldOfACutRead(t *testing.T) {
	const root = "/x/constellation-hades"
	text := "1 START_ACK UserPromptSubmit main\n"
	for _, r := range Required {
		text += "1 " + r.Marker + " SessionStart main " + root + "/" + r.Path + "\n"
	}
	text += "2 LOAD_VOID PreCompact main\n"
	for n := range text {
		for _, end := range []io.Reader{strings.NewReader(""), iotest.ErrReader(syscall.EIO)} {
			l := newLoad(root, NoPrompt)
			l.size = int64(len(text))
			if err := l.fold(io.MultiReader(strings.NewReader(text[:n]), end)); err == nil {
				t.Errorf("%d bytes of %d were taken for the file; open: %v", n, len(text), l.Open())
			}
		}
	}
}

func TestPageMarkers(t *testing.T) {
	for marker, want := range map[string][2]int{
		"PAGE_1_OF_2": {1, 2}, "PAGE_64_OF_64": {64, 64},
		"PAGE_0_OF_2": {}, "PAGE_3_OF_2": {}, "PAGE_1_OF_65": {}, "PAGE_01_OF_2": {}, "PAGE_1_OF_2_": {}, "PAGE_+1_OF_2": {}, "XPAGE_1_OF_2": {},
	} {
		k, m, ok := ParsePage(marker)
		if ok != (want != [2]int{}) || ok && [2]int{k, m} != want {
			t.Errorf("ParsePage(%q) = %d, %d, %v", marker, k, m, ok)
		}
	}
}
