package moiraicore

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// reference is an independent strict reading of the same bytes: it walks the
// object with json.Unmarshal of one pair at a time, found by a scanner of its
// own, and keeps every key as it stands.
type pair struct{ key, raw string }

func reference(data []byte) (pairs []pair, ok bool) {
	if !json.Valid(data) {
		return nil, false
	}
	data = bytes.TrimLeft(data, " \t\r\n")
	if len(data) == 0 || data[0] != '{' {
		return nil, false
	}
	// data is valid JSON: only strings and nesting matter to find the pairs.
	depth, start, inString := 0, 1, false
	var pieces []string
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
			if depth == 0 {
				pieces = append(pieces, string(data[start:i]))
			}
		case depth == 1 && (c == ',' || c == ':'):
			pieces = append(pieces, string(data[start:i]))
			start = i + 1
		}
	}
	if len(pieces) == 1 { // {}
		return nil, true
	}
	for i := 0; i+1 < len(pieces); i += 2 {
		var key string
		if json.Unmarshal([]byte(pieces[i]), &key) != nil {
			return nil, false
		}
		pairs = append(pairs, pair{key, strings.Trim(pieces[i+1], " \t\r\n")})
	}
	return pairs, true
}

// only returns the string under key if it stands exactly once, by the reference.
func only(pairs []pair, key string) (s string, ok bool) {
	n, raw := 0, ""
	for _, p := range pairs {
		if p.key == key {
			n, raw = n+1, p.raw
		}
	}
	if n != 1 || !strings.HasPrefix(raw, `"`) || json.Unmarshal([]byte(raw), &s) != nil {
		return "", false
	}
	return s, true
}

func FuzzPayload(f *testing.F) {
	for _, file := range vectors(f, "payloads") {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ReadPayload(bytes.NewReader(data))
		pairs, valid := reference(data)
		if err == nil && !valid {
			t.Fatalf("accepted what is not one JSON object: %q", data)
		}
		if err != nil && valid && !strings.Contains(err.Error(), "exceeded max depth") {
			t.Fatalf("refused one JSON object: %q: %v", data, err)
		}
		if err != nil {
			return
		}
		for _, key := range []string{KeyCwd, KeySession, KeyAgent, KeyEvent, KeyPrompt, KeyTool} {
			got, err := p.Text(key)
			want, ok := only(pairs, key)
			if (err == nil) != ok || got != want {
				t.Fatalf("%s: got %q, %v; the reference has %q, %v, in %q", key, got, err, want, ok, data)
			}
		}
		for _, key := range []string{KeySkill, KeyFilePath} {
			got, err := p.Input(key)
			if err == nil && got != "" && !inputIs(pairs, key, got) {
				t.Fatalf("tool_input.%s: got %q, which the reference does not have, in %q", key, got, data)
			}
		}
		if id, err := p.Session(); err == nil && filepath.Base(TokenDir+"/"+TokenPrefix+id) != TokenPrefix+id {
			t.Fatalf("session_id %q leaves the token directory", id)
		}
	})
}

func inputIs(pairs []pair, key, want string) bool {
	n, raw := 0, ""
	for _, p := range pairs {
		if p.key == KeyInput {
			n, raw = n+1, p.raw
		}
	}
	inner, ok := reference([]byte(raw))
	got, once := only(inner, key)
	return n == 1 && ok && once && got == want
}

// vectors lists the files of one folder of testdata.
func vectors(t testing.TB, folder string) []string {
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors in testdata/%s: %v", folder, err)
	}
	return files
}

func TestQuoteIsPlain(t *testing.T) {
	for in, want := range map[string]string{
		"Bash":                   "Bash",
		"":                       `""`,
		"a b":                    `"a b"`,
		"x\nBLOCKED":             `"x\nBLOCKED"`,
		"mcp__é\u202e":           `"mcp__\u00e9\u202e"`,
		strings.Repeat("a", 300): strings.Repeat("a", MaxQuoted) + "…",
	} {
		if got := Quote(in); got != want {
			t.Errorf("Quote(%q) = %s, want %s", in, got, want)
		}
	}
}

func FuzzQuote(f *testing.F) {
	f.Add("Bash")
	f.Add("\x1b[2J\u202e\"")
	f.Add("a\u202eb")
	f.Fuzz(func(t *testing.T, s string) {
		q := strings.TrimSuffix(Quote(s), "…")
		if !utf8.ValidString(q) || strings.ContainsFunc(q, unicode.IsControl) || strings.ContainsRune(q, '\u202e') {
			t.Fatalf("Quote(%q) = %q", s, q)
		}
	})
}
