package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// The documents cite the case that proves a clause. A citation that names no
// case would be a promise that nobody ran.
func TestDocumentsCiteCases(t *testing.T) {
	names := map[string]bool{}
	for _, table := range allCases() {
		for _, c := range table {
			names[c.fullName()] = true
		}
	}
	docs, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	cited := 0
	for _, doc := range append(docs, "../README.md") {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range citation.FindAllStringSubmatch(string(text), -1) {
			cited++
			if !names[m[1]] {
				t.Errorf("%s cites %q, which is no case", filepath.Base(doc), m[1])
			}
		}
	}
	if cited == 0 {
		t.Error("no document cites a case: the pattern of citations is broken")
	}
}

var citation = regexp.MustCompile("`((?:D[0-9]+|gate|loader|Mac-shaped|§9[^/`…]*|client [0-9.]+|concurrency)/[^`]+)`")
