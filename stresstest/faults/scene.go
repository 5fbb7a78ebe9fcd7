package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"moirai/stresstest/rig"
)

const (
	tokenParent = "/tmp/moirai"
	tokenDir    = tokenParent + "/hades"
	sessionID   = "faults-5f0c4c3e-8a52-4d0e-9a8f" // no UUID: no real session bears it
	tokenPath   = tokenDir + "/session-" + sessionID

	// sceneDir holds all else of a scene.
	sceneDir = "/tmp/c"

	// bound is how long a hook may take, whatever happens (D13).
	bound = 6 * time.Second
)

// guard is the tail of the wired command line (D15): it answers for a hook that
// is missing or was killed.
const guard = ` || { set +x -- $?; unset -f exit pwd read; case $1 in 2) exit 2;; esac; ` +
	`case $(pwd -P)/:${CLAUDE_PROJECT_DIR-} in *[Hh][Aa][Dd][Ee][Ss]*|/:*) exit 2;; esac; ` +
	`IFS= read -r p || :; p=${p#*'"cwd":"'}; case ${p%%'","'*} in *[Hh][Aa][Dd][Ee][Ss]*) exit 2;; esac; exit "$1"; }`

// scene is one hook call in a world of its own: a fresh token directory, a fresh
// constellation. A fault changes it before the call, and may act during it.
type scene struct {
	kind    *kind
	hooks   string // folder of the binaries
	root    string // resolved
	payload []byte
	cmd     rig.Command
	prelude string // shell words before the hook, for limits and the umask
	// during acts between the start of the process and its end.
	during func(*rig.Process) error
	// until is repeated while the process runs.
	until func(n int) error
	// undo lists what must be taken back after the call, last first.
	undo []func()
	// gone: who started the hook hears nothing any more, and asks for no exit code.
	gone bool
	// deaf: what the hook says cannot be heard, so it is not judged.
	deafErr, deafOut bool
	// untrusted: what stands must not be believed, however good it looks.
	untrusted bool
	// racing: the token file changes under the hook, so its end says nothing about what the hook saw.
	racing bool
	// paused: the hook stood still for a while, so its time is not judged.
	paused bool

	// changing: required files change under the hook; texts lists what they may have held.
	changing bool
	texts    [3][]string

	before string // token file before the call; "" is none
}

// newScene makes the world anew. Its /tmp belongs to the calling worker alone, or what
// lay in the real one was put aside.
func newScene(k *kind, hooks string) (*scene, error) {
	s := &scene{kind: k, hooks: hooks}
	if err := clear(tokenParent); err != nil {
		return nil, err
	}
	if err := clear(sceneDir); err != nil {
		return nil, err
	}
	root, err := rig.Constellation(sceneDir+"/constellation-hades", contents)
	if err != nil {
		return nil, err
	}
	s.root = root
	for _, dir := range []string{tokenParent, tokenDir} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, err
		}
	}
	if err := s.token(records(k.have, root)); err != nil {
		return nil, err
	}
	session := rig.Session{ID: sessionID, Cwd: root}
	s.payload = k.payload(session, root)
	s.cmd = rig.Command{Path: filepath.Join(hooks, k.hook), Dir: root, Limit: 2 * bound}
	return s, nil
}

// clear removes dir and what lies in it, whatever rights a fault took away.
func clear(dir string) error {
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(path, 0o700)
			if err != nil {
				return filepath.SkipDir
			}
		}
		return nil
	})
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("a fault was not taken back: %w", err)
	}
	return nil
}

// token writes the session's token file; empty text leaves it out.
func (s *scene) token(text string) error {
	s.before = text
	if text == "" {
		return nil
	}
	return os.WriteFile(tokenPath, []byte(text), 0o600)
}

// write changes the token file to text, also an empty one.
func (s *scene) write(text string) error {
	s.before = text
	return os.WriteFile(tokenPath, []byte(text), 0o600)
}

// later registers what takes a fault back.
func (s *scene) later(f func()) { s.undo = append(s.undo, f) }

func (s *scene) end() {
	for i := len(s.undo) - 1; i >= 0; i-- {
		s.undo[i]()
	}
	s.undo = nil
}

// run makes the call. wired puts it behind the guard, the way the client runs it.
func (s *scene) run(wired bool) (rig.Result, error) {
	c := s.cmd
	if c.In == nil {
		c.Stdin = s.payload
	}
	if s.prelude != "" || wired {
		line := s.prelude + "\nexec '" + strings.Join(append([]string{c.Path}, c.Args...), "' '") + "'"
		if wired {
			line = "(" + line + ")" + guard
		}
		c.Path, c.Args = "/bin/sh", []string{"-c", line}
	}
	p, err := c.Start()
	if err != nil {
		return rig.Result{}, err
	}
	if s.during != nil {
		if err := s.during(p); err != nil {
			p.Signal(syscall.SIGKILL)
			p.Wait()
			return rig.Result{}, err
		}
	}
	if s.until == nil {
		return p.Wait()
	}
	var res rig.Result
	done := make(chan struct{})
	go func() {
		res, err = p.Wait()
		close(done)
	}()
	for n := 0; ; n++ {
		select {
		case <-done:
			return res, err
		default:
			// This goroutine's thread alone sees the /tmp that the hook sees.
			if err := s.until(n); err != nil {
				<-done
				return res, err
			}
		}
	}
}

// stand reads the token file after the call; "" is none that can be read.
func stand() string {
	if info, err := os.Lstat(tokenPath); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	b, err := os.ReadFile(tokenPath)
	if err != nil {
		return ""
	}
	return string(b)
}

// outcome is how one call ended.
type outcome struct {
	rig.Result
	after string   // token file
	wired *outcome // of the same call behind the guard, if this one was ended by a signal
}

// A message is one write. What the Go runtime traces (GODEBUG) may stand ahead of it on its line.
var (
	failClosed = regexp.MustCompile(`Moirai \(Hades\) fail-closed: (.+)\nWay out: .+`)
	isBlocked  = regexp.MustCompile(`BLOCKED by Moirai \(Hades\)\. To do: `)
	unrecorded = regexp.MustCompile(`Moirai \(Hades\) not recorded: (.+)\nWay out: .+`)
	runtimeEnd = regexp.MustCompile(`(?m)^(?:fatal error: |runtime: |malformed |panic: |futexwakeup |SIGSEGV: |SIGBUS: |SIGTRAP: ).*$`)
)

// condition is what a hook says of its end: the condition of a fail-closed
// message, BLOCKED, what the Go runtime says, or the first line.
func condition(r rig.Result) string {
	if m := failClosed.FindStringSubmatch(r.Stderr); m != nil {
		return m[1]
	}
	if isBlocked.MatchString(r.Stderr) {
		return "BLOCKED"
	}
	if m := unrecorded.FindStringSubmatch(r.Stdout); m != nil {
		return m[1]
	}
	if m := runtimeEnd.FindString(r.Stderr); m != "" {
		return "Go runtime: " + m
	}
	first, _, _ := strings.Cut(r.Stderr, "\n")
	return first
}

// errLate: the call had not finished in time.
var errLate = fmt.Errorf("not done within %v", bound)

func (o outcome) late(s *scene) bool { return o.Overran || o.Took > bound && !s.paused }

// judge holds an outcome against the promises. They hold under every fault.
func (s *scene) judge(o outcome) error {
	switch {
	case o.late(s):
		return errLate
	case o.Signal != 0 && s.kind.guarded && o.wired == nil:
		return errors.New("ended by a signal, and the wired command line was not tried")
	case o.Signal != 0 && s.kind.guarded && o.wired.Signal == 0 && o.wired.Code == 0:
		return s.judge(*o.wired) // no fault hits the same instant twice: that hook came to its end
	case o.Signal != 0 && s.kind.guarded && o.wired.Code != 2 && !s.gone:
		return fmt.Errorf("ended by signal %v, and the wired command line gave %d", o.Signal, o.wired.Code)
	case o.Signal == 0 && o.Code != 0 && o.Code != 2:
		return fmt.Errorf("exit %d", o.Code)
	}
	was, wasErr := understand(s.before, s.root)
	is, isErr := understand(o.after, s.root)
	if wasErr == nil && isErr != nil && o.after != "" && !s.racing {
		return fmt.Errorf("left a corrupt token file: %v", isErr)
	}
	switch s.kind {
	case &theKinds[loader]:
		return s.judgeLoader(o, was, is)
	case &theKinds[blocked], &theKinds[allowed], &theKinds[voided]:
		return s.judgeGate(o, was)
	case &theKinds[start]:
		return s.judgeStart(o, was, is)
	case &theKinds[again]:
		return s.judgeAgain(o, is)
	case &theKinds[read]:
		return s.judgeRead(o, was, is)
	}
	return s.judgeCompact(o, is)
}

// judgeLoader: markers only with the complete output accepted, never with exit 2.
func (s *scene) judgeLoader(o outcome, was, is state) error {
	earned := false
	for i := range is.acked {
		earned = earned || is.acked[i] && !was.acked[i]
	}
	switch {
	case s.racing && (o.Code == 0 || !is.loaded()):
		return nil // what it appended may be gone again, what stands may be of another's
	case earned && !is.loaded():
		return fmt.Errorf("left some markers and not all: %v", is.acked)
	case earned && !o.fell() && o.Code != 0:
		return errors.New("markers stand and the exit is not 0")
	case earned && s.deafOut:
		return errors.New("markers stand for output that nobody accepted")
	case earned && !s.delivered(o.Stdout):
		return errors.New("markers stand and the output is not complete")
	case o.Code == 0 && o.Signal == 0 && !is.loaded():
		return errors.New("exit 0 without markers")
	}
	return nil
}

// judgeAgain: nothing of the context that ended stands open, whatever hit the loader of
// the next one. It cannot know the session where stdin does not come to it whole, or
// write where the gate itself believes no token either; and it may have fallen before its first
// write: the limits that docs/THREAT-MODEL.md states.
func (s *scene) judgeAgain(o outcome, is state) error {
	said := o.Condition()
	switch {
	case o.Signal == 0 && o.Code == 0 && (!is.loaded() || is.started) && !s.racing:
		return fmt.Errorf("exit 0, and the token says %+v", is)
	case !is.open() || s.untrusted || s.racing || o.fell() || s.deafErr && said == "",
		strings.HasPrefix(said, "malformed payload"), strings.HasPrefix(said, "token directory"), strings.HasPrefix(said, "the hook had not finished"):
		return nil
	}
	return fmt.Errorf("FAIL-OPEN: the next context stands open by what the one before it earned (%.80q)", said)
}

// delivered tells whether the output is one complete page with the three files
// whole, as they stand now or stood before the fault.
func (s *scene) delivered(out string) bool {
	for i, name := range rig.Required {
		could := append([]string{contents[i], held(s.root + "/" + name)}, s.texts[i]...)
		if !slices.ContainsFunc(could, func(text string) bool { return carries(out, name, text) }) {
			return false
		}
	}
	return strings.HasPrefix(out, "===== MOIRAI (HADES) INJECTION BLOCK: page 1 of 1") &&
		strings.HasSuffix(out, "===== END OF MOIRAI (HADES) INJECTION BLOCK: page 1 of 1 =====\n")
}

// held is what a required file holds; "" if it is none that could be delivered.
func held(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
		return ""
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(b)
}

func carries(out, name, text string) bool {
	return text != "" && strings.Contains(out, fmt.Sprintf("----- FILE %s: bytes 0 to %d of %d, ", name, len(text), len(text))) &&
		strings.Contains(out, " -----\n"+text+"\n----- END "+name+": complete -----\n")
}

// other is the content that a file is changed to while a hook reads it: of the
// same length, and different in every line.
func other(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return 'z'
	}, text)
}

// judgeGate: open only with four real markers, and a block says what it is.
func (s *scene) judgeGate(o outcome, was state) error {
	open := was.open() && !s.untrusted
	if _, err := understand(s.before, s.root); err != nil {
		open = false
	}
	switch {
	case o.Signal == 0 && o.Code == 0 && !open:
		return errors.New("FAIL-OPEN: exit 0 without four markers")
	case o.after != s.before && o.after != "" && !s.racing:
		return errors.New("the gate changed the token file")
	case o.Signal == 0 && o.Code == 2 && !s.deafErr:
		return s.named(o)
	}
	return nil
}

// named: a block that no fault of stderr hides names its condition and a way out.
func (s *scene) named(o outcome) error {
	if failClosed.MatchString(o.Stderr) || strings.HasPrefix(o.Condition(), "Go runtime: ") {
		return nil
	}
	if isBlocked.MatchString(o.Stderr) && strings.Contains(o.Stderr, "\nResolution: ") {
		return nil
	}
	return fmt.Errorf("blocked without saying so: %.60q", o.Stderr)
}

// fell tells whether the process ended where no code of ours was asked: by a signal,
// or by the Go runtime that could not go on.
func (o outcome) fell() bool {
	return o.Signal != 0 || strings.HasPrefix(o.Condition(), "Go runtime: ")
}

// Condition is what the hook said of its end.
func (o outcome) Condition() string { return condition(o.Result) }

// judgeStart: exit 0 with START_ACK recorded, or with the failure said; exit 2 only
// for what comes before the branch, and with nothing recorded (D9).
func (s *scene) judgeStart(o outcome, was, is state) error {
	earned := is.started && !was.started
	switch {
	case o.fell():
		return nil
	case o.Code == 2 && earned:
		return errors.New("START_ACK stands and the prompt was erased")
	case o.Code == 2 && strings.HasPrefix(o.Condition(), "token file"):
		return errors.New("blocked a prompt over a failed append")
	case o.Code == 0 && !is.started && !s.deafOut && !s.racing && !unrecorded.MatchString(o.Stdout):
		return errors.New("recorded nothing and did not say so")
	}
	return nil
}

// judgeRead: a marker only for what was shown and is so now; exit 2 records nothing (D11).
func (s *scene) judgeRead(o outcome, was, is state) error {
	earned := is.acked[2] && !was.acked[2]
	switch {
	case earned && !s.racing && !s.changing && held(s.root+"/"+rig.Required[2]) != contents[2]:
		return errors.New("recorded a Read of something else")
	case earned && !o.fell() && o.Code == 2:
		return errors.New("recorded a Read and exited 2")
	case o.Signal == 0 && o.Code == 2 && strings.HasPrefix(o.Condition(), "token file"):
		return errors.New("blocked a Read over a failed append")
	}
	return nil
}

// judgeCompact: exit 0 only if the load is void or there is no token (D8).
func (s *scene) judgeCompact(o outcome, is state) error {
	if o.Signal != 0 || o.Code != 0 || s.racing {
		return nil
	}
	if _, err := os.Lstat(tokenPath); errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	if is.acked != [3]bool{} {
		return errors.New("FAIL-OPEN: exit 0, and the load is not void")
	}
	return nil
}

// letter sums up how a call ended, in the letters of fault.want.
func (s *scene) letter(o outcome) byte {
	is, _ := understand(o.after, s.root)
	was, _ := understand(s.before, s.root)
	switch {
	case o.Signal != 0:
		return 'S'
	case o.Code == 2 && o.Condition() == "BLOCKED":
		return 'B'
	case o.Code == 2 && strings.HasPrefix(o.Condition(), "Go runtime: "):
		return 'F'
	case o.Code == 2:
		return 'C'
	case o.Code != 0:
		return '?'
	case s.kind == &theKinds[start] && (was.started || !is.started), s.kind == &theKinds[read] && (was.acked[2] || !is.acked[2]):
		return 'N'
	}
	return '0'
}
