package moiraicore

import (
	"bufio"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// D9 as two expressions, apart from the code. RE2's \s is ASCII only, so the
// white space of Unicode is named.
const blank = `[\t\n\v\f\r \x{feff}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]`

// The blocks of an IDE end where the last end tag stands.
var ide = regexp.MustCompile(`(?s)^` + blank + `*<ide_(?:opened_file|selection)>.*</ide_(?:opened_file|selection)>`)

var (
	typed    = regexp.MustCompile(`(?s)^` + blank + `*/(start|war-room-start)(` + blank + `|$)`)
	expanded = regexp.MustCompile(`(?s)^` + blank + `*<command-(message|name|args)>`)
	tag      = regexp.MustCompile(`<command-name>/(start|war-room-start)</command-name>`)
)

func FuzzStartPrompt(f *testing.F) {
	for _, v := range startVectors(f) {
		f.Add(v.prompt)
	}
	f.Fuzz(func(t *testing.T, prompt string) {
		rest := ide.ReplaceAllString(prompt, "")
		want := typed.MatchString(rest) || expanded.MatchString(rest) && tag.MatchString(rest)
		if got := IsStartPrompt(prompt); got != want {
			t.Fatalf("IsStartPrompt(%q) = %v", prompt, got)
		}
	})
}

type startVector struct {
	start  bool
	prompt string
}

// startVectors reads testdata/startprompts: "+" or "-", then a quoted prompt.
func startVectors(t testing.TB) (vectors []startVector) {
	file, err := os.Open("testdata/startprompts")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for s := bufio.NewScanner(file); s.Scan(); {
		mark, quoted, _ := strings.Cut(s.Text(), " ")
		prompt, err := strconv.Unquote(quoted)
		if err != nil || mark != "+" && mark != "-" {
			t.Fatalf("startprompts: %q: %v", s.Text(), err)
		}
		vectors = append(vectors, startVector{mark == "+", prompt})
	}
	return vectors
}

func TestStartPrompts(t *testing.T) {
	vectors := startVectors(t)
	if len(vectors) < 20 {
		t.Fatalf("%d vectors", len(vectors))
	}
	for _, v := range vectors {
		if got := IsStartPrompt(v.prompt); got != v.start {
			t.Errorf("IsStartPrompt(%q) = %v", v.prompt, got)
		}
	}
}
