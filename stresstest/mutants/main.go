// Command mutants asks of every rule of the enforcement path whether a case guards
// it: it breaks one place of the source, builds the hooks from that, and runs the
// black-box cases until one is red. A mutation that no case sees has survived.
//
//	mutants -tests DIR                    the whole path, by hand: an hour or more
//	mutants -tests DIR -files "scope.go"  the files whose name ends so
//	mutants -tests DIR -base REV          the lines that changed since REV
//
// What is mutated. A condition is negated, and each half of an && or || is taken out. A
// call for its effect, and a case of a switch, are taken out. A literal is changed
// (mutation.go). Of a mutant that compiles to the same bytes nothing can be seen: it is
// the same program and counts as such.
//
// What survives stands in survivors.txt with the reason why no case can see it. Exit 1 if
// a survivor is not listed, or if a listed one was killed or is no mutation any more.
//
// What was found is kept in .cache/mutants under a digest of the sources and of the
// cases, so that a run that was stopped goes on where it was.
//
// The mutants are run by stresstest, under a private /tmp and as an ordinary
// uid, never on the machine itself; where the platform gives none, they are not run.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

func main() {
	tests := flag.String("tests", ".cache/tests", "`folder` of the built stresstest")
	files := flag.String("files", "", "only the `files` whose name ends in one of these words")
	base := flag.String("base", "", "only the lines that changed since this `revision`")
	limit := flag.Duration("limit", 0, "begin no mutant after this `time`; 0: none is left out")
	parallel := flag.Int("parallel", runtime.NumCPU(), "mutants at a `time`")
	list := flag.Bool("list", false, "print the mutations and run none")
	flag.Parse()
	clean, err := run(*tests, *files, *base, *limit, *parallel, *list)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
	}
	if err != nil || !clean {
		os.Exit(1)
	}
}

func run(tests, files, base string, limit time.Duration, parallel int, list bool) (clean bool, err error) {
	sources, err := readSources()
	if err != nil {
		return false, err
	}
	var all []mutation
	for _, s := range sources {
		all = append(all, s.mutations()...)
	}
	known, err := readSurvivors(survivorsFile)
	if err != nil {
		return false, err
	}
	picked, err := pick(all, strings.Fields(files), base)
	if err != nil {
		return false, err
	}
	fmt.Printf("%d mutations in %d files, %d picked\n", len(all), len(sources), len(picked))
	if list {
		for _, m := range picked {
			fmt.Println(m)
		}
		return true, nil
	}
	var outcomes []outcome
	if len(picked) > 0 {
		if outcomes, err = runAll(tests, sources, picked, limit, parallel); err != nil {
			return false, err
		}
	}
	return judge(all, outcomes, known), nil
}

// pick keeps what the flags ask for.
func pick(all []mutation, suffixes []string, base string) ([]mutation, error) {
	if len(suffixes) > 0 {
		all = slices.DeleteFunc(slices.Clone(all), func(m mutation) bool {
			return !slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(m.file, s) })
		})
	}
	if base == "" {
		return all, nil
	}
	lines, err := changedSince(base)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(all), func(m mutation) bool { return !lines.touch(m) }), nil
}

// runAll runs the mutants, some at a time, and prints each as it ends.
func runAll(tests string, sources []source, picked []mutation, limit time.Duration, parallel int) ([]outcome, error) {
	l, err := newLab(tests, sources)
	if err != nil {
		return nil, err
	}
	defer l.close()
	began := time.Now()
	outcomes := make([]outcome, len(picked))
	errs := make([]error, len(picked))
	var waiting sync.WaitGroup
	slots := make(chan struct{}, parallel)
	for i, m := range picked {
		slots <- struct{}{}
		if limit > 0 && time.Since(began) > limit || slices.ContainsFunc(errs[:max(0, i-parallel)], func(e error) bool { return e != nil }) {
			<-slots
			outcomes[i] = outcome{mutation: m, end: notRun}
			continue
		}
		waiting.Add(1)
		go func() {
			defer waiting.Done()
			defer func() { <-slots }()
			outcomes[i], errs[i] = l.try(m)
			if errs[i] == nil {
				fmt.Println(outcomes[i])
			}
		}()
	}
	waiting.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return outcomes, nil
}
