package main

import (
	"go/scanner"
	gotoken "go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// maxCodeLines is what a reviewer can read in the time that README.md states: the code
// that decides, and all of it with the two files that only put a blocked call's message
// together, once nothing can open any more.
const (
	maxDeciding  = 1250
	maxCodeLines = 1375
)

// The enforcement path must stay small enough to be read whole: lines that are
// neither blank nor comment alone, without tests.
func TestEnforcementPathIsSmall(t *testing.T) {
	total, words := 0, 0
	for _, dir := range []string{"moiraicore", "hades-gate", "hades-session-load"} {
		paths, err := filepath.Glob("../" + dir + "/*.go")
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s has no source (%v)", dir, err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			n := codeLines(t, path, text)
			t.Logf("%4d %s", n, path)
			total += n
			if base := filepath.Base(path); base == "reason.go" || base == "block.go" {
				words += n
			}
		}
	}
	t.Logf("%4d lines of code, %d of them decide", total, total-words)
	if total > maxCodeLines || total-words > maxDeciding {
		t.Errorf("the enforcement path has %d lines of code, over %d, or %d that decide, over %d: take out what no client and no fault needs", total, maxCodeLines, total-words, maxDeciding)
	}
}

// codeLines counts the lines that hold a token of the language. A line of a text
// that runs over several counts unless it is blank.
func codeLines(t *testing.T, path string, text []byte) int {
	file := gotoken.NewFileSet().AddFile(path, -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, func(at gotoken.Position, msg string) { t.Errorf("%v: %s", at, msg) }, 0)
	code := map[int]bool{}
	for {
		pos, kind, lit := s.Scan()
		if kind == gotoken.EOF {
			return len(code)
		}
		if kind == gotoken.SEMICOLON && lit == "\n" {
			continue // put in by the scanner
		}
		first := file.Line(pos)
		for i, line := range strings.Split(lit, "\n") {
			if i == 0 || strings.TrimSpace(line) != "" {
				code[first+i] = true
			}
		}
	}
}

func TestCodeLines(t *testing.T) {
	for text, want := range map[string]int{
		"package p\n":                       1,
		"package p // why\n\n// alone\n":    1,
		"package p\n/* a\n b */\n":          1,
		"package p\n/* a */ var x int\n":    2,
		"package p\nvar x = `a\n\n b // c`": 3,
		"package p\n\t\t\nfunc f() {\n}\n":  3,
	} {
		if got := codeLines(t, "x.go", []byte(text)); got != want {
			t.Errorf("%q has %d lines of code, expected %d", text, got, want)
		}
	}
}
