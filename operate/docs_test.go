package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sources is the text of the files that the patterns match, from the root of
// the project.
func sources(t *testing.T, patterns ...string) string {
	t.Helper()
	var all strings.Builder
	for _, pattern := range patterns {
		files, err := filepath.Glob("../" + pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files (%v)", pattern, err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(text)
		}
	}
	return all.String()
}

func matches(text, pattern string) []string {
	var found []string
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// TestDocsCite: every row of make e2e and every Go test that the documents cite
// is there. (The cases of make stress are checked beside them.)
func TestDocsCite(t *testing.T) {
	docs := sources(t, "docs/THREAT-MODEL.md", "docs/RETIREMENT.md", "docs/ALERTS.md")
	rows := sources(t, "stresstest/e2e/*.go")
	tests := sources(t, "operate/wiring/*_test.go", "operate/*_test.go", "operate/moirai-hades-integrity/*_test.go")
	cited := 0
	for _, row := range matches(docs, "`e2e/([^`]+)`") {
		cited++
		if row != "NAME" && !strings.Contains(rows, `Name: "`+row+`"`) {
			t.Errorf("no row of make e2e is named %q", row)
		}
	}
	for _, name := range matches(docs, "\\b(Test[A-Z][A-Za-z]+)`") {
		cited++
		if name != "TestX" && // the placeholder
			!strings.Contains(tests, "func "+name+"(t *testing.T)") {
			t.Errorf("no test is named %s", name)
		}
	}
	if cited < 10 {
		t.Errorf("only %d citations: the pattern is broken", cited)
	}
}

// TestDocsLink: every link of a document, and every page that it names, is there.
func TestDocsLink(t *testing.T) {
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, page := range append(pages, "../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range matches(string(text), `\]\(([^)#]+)`) {
			links++
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), link)); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
		for _, name := range matches(string(text), `\b(docs/[A-Z-]+\.md)\b`) {
			links++
			if _, err := os.Stat("../" + name); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
	if links < 10 {
		t.Errorf("only %d links: the pattern is broken", links)
	}
}

// printedNames lists the names of alerts, findings and runs in source files.
func printedNames(t *testing.T, patterns ...string) []string {
	names := matches(sources(t, patterns...), `"((?:wiring|hook|token|run|stale|unparseable|orphan|start|ungated)(?:_[a-z0-9]+)*)"`)
	return slices.DeleteFunc(names, func(name string) bool { return name == "hook_event_name" }) // a key of payloads
}

// TestDocsName: docs/ALERTS.md explains every name that the programs print, and
// no other.
func TestDocsName(t *testing.T) {
	code := printedNames(t, "operate/wiring/names.go", "operate/moirai-hades-integrity/alert.go", "operate/rehearse.go")
	docs := matches(sources(t, "docs/ALERTS.md"), "`((?:wiring|hook|token|run|stale|unparseable|orphan|start|ungated)(?:_[a-z0-9]+)*)`")
	if !slices.Equal(code, docs) {
		t.Errorf("the programs print\n%v\nand the page explains\n%v", code, docs)
	}
}

// TestBreaksCoverNames: every name that the programs print is made to appear by
// a test, whose table has it.
func TestBreaksCoverNames(t *testing.T) {
	tables := sources(t, "operate/wiring/findings_test.go", "operate/moirai-hades-integrity/probe_test.go", "operate/verify_test.go")
	for _, constant := range matches(sources(t, "operate/wiring/names.go"), `(?m)^\t([A-Z]\w+) += "wiring_`) {
		if !regexp.MustCompile(`\{wiring\.` + constant + `\b`).MatchString(tables) {
			t.Errorf("no break makes wiring.%s", constant)
		}
	}
	for _, name := range printedNames(t, "operate/moirai-hades-integrity/alert.go", "operate/rehearse.go") {
		if !regexp.MustCompile(`"(?:\w+ )*` + name + `(?: \w+)*"`).MatchString(tables) {
			t.Errorf("no break makes %s", name)
		}
	}
}

// TestDocsTargets: every make target that a document names is in the Makefile.
func TestDocsTargets(t *testing.T) {
	targets := matches(sources(t, "Makefile"), `(?m)^([a-z][a-z0-9-]*):`)
	for _, name := range matches(sources(t, "README.md", "CONTRIBUTING.md", "docs/*.md"), "`(?:sudo )?make ([a-z][a-z0-9-]*)") {
		if !slices.Contains(targets, name) {
			t.Errorf("a document names make %s, which is no target", name)
		}
	}
}
