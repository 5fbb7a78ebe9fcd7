// Command macfacts prints what only a Mac can tell, for an operator to paste: each fact beside
// what the product relies on, marked where they differ. It changes nothing outside a temporary
// folder and prints neither names nor paths of the user. On Linux it runs too, so that it is tested.
//
// What the client makes of a cd is a row of make e2e ("contract: how the client spells where it
// is"), which make mac-facts runs after this.
//
// Exit 0: the product can rely on all of it. Exit 1: not.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// fact is one thing that was measured.
type fact struct {
	name  string
	value string
	// relies lists the values that the product copes with; empty: it does not matter.
	relies []string
	// where tells what builds on it.
	where string
}

func (f fact) ok() bool { return len(f.relies) == 0 || slices.Contains(f.relies, f.value) }

func main() {
	bin := flag.String("bin", "bin", "`folder` of the built hooks")
	flag.Parse()
	facts, err := measure(*bin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "macfacts:", err)
		os.Exit(1)
	}
	if differ := show(facts); differ > 0 {
		fmt.Printf("\n%d of %d facts differ from what the product relies on\n", differ, len(facts))
		os.Exit(1)
	}
	fmt.Printf("\n%d facts, and the product can rely on all of them\n", len(facts))
}

// show prints the facts and counts those that differ.
func show(facts []fact) (differ int) {
	red, plain := "", ""
	if info, err := os.Stdout.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb" {
		red, plain = "\033[31m", "\033[0m"
	}
	for _, f := range facts {
		mark, tail := "ok    ", ""
		switch {
		case len(f.relies) == 0:
			mark = "note  "
		case !f.ok():
			differ++
			mark, tail = red+"DIFFERS ", "   — relied on: "+strings.Join(f.relies, " or ")+plain
		}
		fmt.Printf("%s%s: %s%s   (%s)\n", mark, f.name, f.value, tail, f.where)
	}
	return differ
}

// measure gathers all facts.
func measure(bin string) ([]fact, error) {
	bin, err := filepath.Abs(bin)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(bin, "hades-gate")); err != nil {
		return nil, fmt.Errorf("%w: make build first", err)
	}
	dir, err := os.MkdirTemp("", "moirai-facts-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	facts := []fact{{name: "system", value: runtime.GOOS + "/" + runtime.GOARCH + version(), where: "the rest belongs to it"}}
	for _, part := range []func(bin, dir string) ([]fact, error){shells, folders, spellings, locks, loaders, cleaners, replacing} {
		more, err := part(bin, dir)
		if err != nil {
			return nil, err
		}
		facts = append(facts, more...)
	}
	return facts, nil
}
