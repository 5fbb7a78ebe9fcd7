// Command stresstest is the ship gate of Moirai for Hades (§5.1): it runs the
// exact shipped binaries as the client does, one process a call with a payload
// on stdin, and judges exit code, stderr, stdout and the token file. Exit 0:
// every case passed and the gate ships. Exit 1: it does not.
//
// How to read it. A case is a row of data in one of the cases_*.go files: a
// class of §5.1, of §9 or of a decision of the design, a name that states the
// rule, and steps. A step prepares the file system or calls a hook and says
// what must come of it; a call that says nothing must exit 0 and print nothing.
// step.go holds the vocabulary. reference.go holds what the hooks must print,
// written from the spec and not from their sources.
//
// The token directory is a true constant (D17), so everything runs in a
// private /tmp where the platform has one (package rig). Where it has none, the
// cases that would disturb live sessions are skipped with the reason, unless
// -live says that this machine has no live sessions; then the real directory is
// put aside and given back.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"moirai/stresstest/rig"
)

func main() {
	bin := flag.String("bin", "", "`folder` of the built hooks (default: the folder of this program, else bin)")
	only := flag.String("run", "", "run only the cases whose class/name matches `regexp`")
	verbose := flag.Bool("v", false, "show every call of a case")
	live := flag.Bool("live", false, "this machine has no live sessions: where /tmp cannot be private, use the real one, put aside what lies there and give it back")
	first := flag.Bool("first", false, "end at the first case that is red, and name it (make mutants)")
	ahead := flag.String("ahead", "", "with -first: run the cases whose class/name matches `regexp` before the others")
	flag.Parse()
	if err := run(*bin, *only, *verbose, *live, *first, *ahead); err != nil {
		fmt.Fprintln(os.Stderr, "stresstest:", err)
		os.Exit(1)
	}
}

func run(bin, only string, verbose, live, first bool, ahead string) error {
	likely, err := regexp.Compile(ahead)
	if err != nil {
		return err
	}
	cases, err := selectCases(only)
	if err != nil {
		return err
	}
	if bin, err = findHooks(bin); err != nil {
		return err
	}
	iso, err := rig.Enter(rig.Request{Hooks: bin, Claims: []string{tokenParent}, Live: live, Sparing: true})
	if err != nil {
		return err
	}
	defer iso.Leave()
	h := &harness{iso: iso, verbose: verbose, out: os.Stdout}
	passed := false
	if first {
		if passed, err = h.askFirst(cases, likely); err != nil {
			return err
		}
	} else {
		h.describe()
		passed = h.judge(cases)
	}
	if !passed {
		iso.Leave()
		os.Exit(1)
	}
	return nil
}

// findHooks returns the absolute, resolved folder that holds both hooks.
func findHooks(bin string) (string, error) {
	tried := []string{bin}
	if bin == "" {
		self, err := os.Executable()
		if err != nil {
			return "", err
		}
		tried = []string{filepath.Dir(self), "bin"}
	}
	for _, dir := range tried {
		dir, err := filepath.Abs(dir)
		if err != nil {
			return "", err
		}
		if isExecutable(filepath.Join(dir, gateName)) && isExecutable(filepath.Join(dir, loaderName)) {
			return filepath.EvalSymlinks(dir)
		}
	}
	return "", fmt.Errorf("no %s and %s in %s: build them first (make build)", gateName, loaderName, strings.Join(tried, " or "))
}

func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// selectCases returns the cases that match, and refuses a table in which two
// have the same name.
func selectCases(only string) ([]*testCase, error) {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var picked []*testCase
	for _, table := range allCases() {
		for _, c := range table {
			if seen[c.fullName()] {
				return nil, fmt.Errorf("two cases are called %q", c.fullName())
			}
			seen[c.fullName()] = true
			if pattern.MatchString(c.fullName()) {
				picked = append(picked, &c)
			}
		}
	}
	if len(picked) == 0 {
		return nil, fmt.Errorf("no case matches %q", only)
	}
	return picked, nil
}
