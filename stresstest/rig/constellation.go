package rig

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// RootName is the name that a constellation's folder bears.
const RootName = "constellation-hades"

// Required lists the three files of the Minimum Session Load, in the order of
// their markers (§2). It is written out here again so that a change in the
// hooks does not change the tests with it.
var Required = [3]string{"docs/book-of-hades/COMMANDMENTS.md", "context/scope.md", "CONTEXT.md"}

// Markers lists the markers that the loader earns, in the order of Required.
var Markers = [3]string{"COMMANDMENTS_ACK", "SCOPE_ACK", "CONTEXT_ACK"}

// Contents holds the bytes of the three required files, in the order of Required.
type Contents [3]string

// SmallContents fits one page.
func SmallContents() Contents {
	return Contents{
		"# Commandments\n\n1. No failure is left undealt with.\n2. No secret leaves the vault.\n",
		"# Scope\n\nHades: vaults, keys, credentials.\n",
		"# Context\n\nSample constellation of the test rig.\n",
	}
}

// SizedContents returns three files that together hold the given number of
// bytes of ASCII in lines of 80, in thirds; for several pages (D7).
func SizedContents(total int) Contents {
	var c Contents
	for i := range c {
		n := total / 3
		if i == 0 {
			n += total % 3
		}
		c[i] = lines(fmt.Sprintf("file %d", i+1), n)
	}
	return c
}

func lines(label string, n int) string {
	var b strings.Builder
	for i := 1; b.Len() < n; i++ {
		line := fmt.Sprintf("%s, rule %d: ", label, i)
		b.WriteString(line + strings.Repeat("x", 79-len(line)) + "\n")
	}
	s := b.String()[:n-1]
	return s + "\n"
}

// Constellation writes the required files under root and returns the resolved
// root. An empty content leaves its file out.
func Constellation(root string, c Contents) (string, error) {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return "", err
	}
	for i, name := range Required {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", err
		}
		if c[i] == "" {
			continue
		}
		if err := os.WriteFile(path, []byte(c[i]), 0o644); err != nil {
			return "", err
		}
	}
	return filepath.EvalSymlinks(root)
}
