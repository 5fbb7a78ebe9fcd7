package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// hookNames are the two programs that are built from each mutant.
var hookNames = []string{"hades-gate", "hades-session-load"}

// keptDir holds what was found, for the next run.
const keptDir = ".cache/mutants"

// lab builds mutants and runs the cases against them.
type lab struct {
	stresstest string
	readme     []byte
	texts      map[string][]byte // the source that is mutated
	unchanged  [2][32]byte       // digests of the hooks without a mutation
	digest     [32]byte          // of the cases
	dir        string
	kept       *os.File

	mu      sync.Mutex
	results map[string]keptResult // by digest
	killers map[string][]string   // cases that were red, by function, the last first
}

// keptResult is one line of the file of results.
type keptResult struct {
	Digest, Key, Place, End, Case string
}

func newLab(tests string, sources []source) (*lab, error) {
	l := &lab{texts: map[string][]byte{}, results: map[string]keptResult{}, killers: map[string][]string{}}
	var err error
	if l.stresstest, err = filepath.Abs(filepath.Join(tests, "stresstest")); err != nil {
		return nil, err
	}
	program, err := os.ReadFile(l.stresstest)
	if err != nil {
		return nil, fmt.Errorf("%w: make tests makes it", err)
	}
	if l.readme, err = os.ReadFile("README.md"); err != nil {
		return nil, err
	}
	h := sha256.New()
	h.Write(program)
	for _, s := range sources {
		l.texts[s.name] = s.text
		fmt.Fprintf(h, "%s %d\n%s", s.name, len(s.text), s.text)
	}
	h.Sum(l.digest[:0])
	if err := l.readKept(); err != nil {
		return nil, err
	}
	if l.dir, err = os.MkdirTemp("", "moirai-mutants-"); err != nil {
		return nil, err
	}
	if err := l.control(); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func (l *lab) close() {
	l.kept.Close()
	os.RemoveAll(l.dir)
}

// control builds the hooks as they are: every case must pass, or a red one would
// say nothing about a mutant.
func (l *lab) control() error {
	dir := filepath.Join(l.dir, "unchanged")
	built, err := l.build(dir, "")
	if err != nil {
		return err
	}
	l.unchanged = built
	id := l.identity(mutation{})
	if l.results[id].End == string(survived) {
		return nil
	}
	red, err := l.ask(dir, "", "")
	if err != nil {
		return err
	}
	if red != "" {
		return fmt.Errorf("without any mutation %q is red: mend that first", red)
	}
	return l.keep(id, outcome{end: survived})
}

// identity is the digest of the cases, the sources and the mutation.
func (l *lab) identity(m mutation) string {
	h := sha256.New()
	h.Write(l.digest[:])
	fmt.Fprintf(h, "%s %d %d %s", m.file, m.from, m.to, m.with)
	return fmt.Sprintf("%x", h.Sum(nil))
}

// try builds one mutant and asks the cases.
func (l *lab) try(m mutation) (outcome, error) {
	id := l.identity(m)
	l.mu.Lock()
	r, known := l.results[id]
	l.mu.Unlock()
	if known {
		return outcome{m, ending(r.End), r.Case}, nil
	}
	dir, err := os.MkdirTemp(l.dir, "mutant-")
	if err != nil {
		return outcome{}, err
	}
	defer os.RemoveAll(dir)
	o, err := l.judge(m, dir)
	if err != nil {
		return outcome{}, fmt.Errorf("%v: %w", m, err)
	}
	return o, l.keep(id, o)
}

func (l *lab) judge(m mutation, dir string) (outcome, error) {
	overlay, err := l.overlay(m, dir)
	if err != nil {
		return outcome{}, err
	}
	built, err := l.build(filepath.Join(dir, "bin"), overlay)
	if errors.As(err, new(*exec.ExitError)) {
		return outcome{m, notBuilt, ""}, nil
	}
	if err != nil {
		return outcome{}, err
	}
	if built == l.unchanged {
		return outcome{m, same, ""}, nil
	}
	// A case can be red because the machine is busy: it counts if it is red
	// once more, alone, and right after that green without the mutation.
	const tries = 4
	busy := ""
	for range tries {
		red, err := l.ask(filepath.Join(dir, "bin"), "", l.likely(m))
		if err != nil || red == "" {
			return outcome{m, survived, ""}, err
		}
		again, err := l.ask(filepath.Join(dir, "bin"), exactly(red), "")
		if err != nil {
			return outcome{}, err
		}
		if again == "" {
			continue
		}
		if busy, err = l.ask(filepath.Join(l.dir, "unchanged"), exactly(red), ""); err != nil {
			return outcome{}, err
		}
		if busy == "" {
			return outcome{m, killed, red}, nil
		}
	}
	return outcome{}, fmt.Errorf("no verdict after %d tries: the machine is too busy for %q", tries, cmp.Or(busy, "the cases"))
}

// overlay writes the mutated file, and what tells the go command to take it.
func (l *lab) overlay(m mutation, dir string) (string, error) {
	text := l.texts[m.file]
	mutant := filepath.Join(dir, filepath.Base(m.file))
	content := bytes.Join([][]byte{text[:m.from], []byte(m.with), text[m.to:]}, nil)
	if err := os.WriteFile(mutant, content, 0o644); err != nil {
		return "", err
	}
	original, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{original: mutant}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, list, 0o644)
}

// build builds both hooks into dir and returns their digests. They are built as those
// that ship, but without what would differ between two builds of one program.
func (l *lab) build(dir, overlay string) (digests [2][32]byte, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return digests, err
	}
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", dir + "/"}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	for _, name := range hookNames {
		args = append(args, "./"+name)
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOMAXPROCS=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		return digests, fmt.Errorf("go build: %w\n%s", err, out)
	}
	for i, name := range hookNames {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return digests, err
		}
		digests[i] = sha256.Sum256(b)
	}
	return digests, os.WriteFile(filepath.Join(dir, "README.md"), l.readme, 0o644)
}

var redLine = regexp.MustCompile(`(?m)^RED (.*)$`)

// ask runs the cases against the hooks in dir until one is red, and names it.
// What a mutant may take is bounded: it may be one that never ends.
func (l *lab) ask(dir, only, ahead string) (red string, err error) {
	const kilobytes = 6 << 20 // of address space
	limited := fmt.Sprintf(`ulimit -v %d; exec "$@"`, kilobytes)
	cmd := exec.Command("/bin/sh", "-c", limited, "sh", l.stresstest, "-bin", dir, "-first", "-run", only, "-ahead", ahead)
	out, err := cmd.CombinedOutput()
	if m := redLine.FindSubmatch(out); m != nil {
		return string(m[1]), nil
	}
	if err != nil {
		return "", fmt.Errorf("stresstest: %w\n%s", err, out)
	}
	return "", nil
}

func exactly(name string) string { return "^" + regexp.QuoteMeta(name) + "$" }

// likely matches the cases that saw mutations of the same function.
func (l *lab) likely(m mutation) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	const some = 8
	var names []string
	for _, k := range [...]string{m.key(), m.file + " " + m.function, m.file} {
		list := l.killers[k]
		for _, name := range list[:min(some, len(list))] {
			names = append(names, exactly(name))
		}
	}
	return strings.Join(names, "|")
}

// readKept reads what earlier runs found. What they found about another source
// or other cases says only which case is likely to see a mutation.
func (l *lab) readKept() error {
	if err := os.MkdirAll(keptDir, 0o755); err != nil {
		return err
	}
	path := filepath.Join(keptDir, "results")
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for line := range bytes.Lines(text) {
		var r keptResult
		if json.Unmarshal(line, &r) == nil { // the last line of a run that was stopped may be torn
			l.learn(r)
		}
	}
	l.kept, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	return err
}

func (l *lab) learn(r keptResult) {
	l.results[r.Digest] = r
	if r.Case == "" {
		return
	}
	file, _, _ := strings.Cut(r.Place, " ")
	for _, k := range [...]string{r.Key, r.Place, file} {
		list := []string{r.Case}
		for _, name := range l.killers[k] {
			if name != r.Case {
				list = append(list, name)
			}
		}
		l.killers[k] = list
	}
}

func (l *lab) keep(id string, o outcome) error {
	r := keptResult{id, o.key(), o.file + " " + o.function, string(o.end), o.red}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.learn(r)
	_, err = l.kept.Write(append(line, '\n'))
	return err
}
