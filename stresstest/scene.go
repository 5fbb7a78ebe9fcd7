package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"moirai/stresstest/rig"
)

// Names that the hooks are built under, and the token directory. They are
// written out here again, so that a change in the hooks shows.
const (
	gateName    = "hades-gate"
	loaderName  = "hades-session-load"
	tokenParent = "/tmp/moirai"
	tokenDir    = tokenParent + "/hades"
)

// scene is the stage of one case: a folder with a sample constellation, and a
// session in it that no other case has.
type scene struct {
	h       *harness
	dir     string // the folder of the case
	root    string // the present constellation, resolved
	files   rig.Contents
	id      string // what {session} begins with
	session rig.Session
	began   time.Time
	undo    []func() error
	mac     string   // the root folder of the hooks, shaped as a Mac's; empty: the real one
	pages   []string // of the load that loadAll ran last
	log     strings.Builder
}

func newScene(h *harness, n int) (*scene, error) {
	s := &scene{h: h, id: fmt.Sprintf("stress-%d-%04d", os.Getpid(), n), began: time.Now()}
	s.dir = filepath.Join(h.iso.Scratch, fmt.Sprintf("case-%04d", n))
	if err := os.Mkdir(s.dir, 0o755); err != nil {
		return nil, err
	}
	dir, err := filepath.EvalSymlinks(s.dir)
	if err != nil {
		return nil, err
	}
	s.dir = dir
	s.session.ID = s.id
	return s, s.settle(filepath.Join(dir, rig.RootName), rig.SmallContents())
}

// settle makes a constellation and moves the session there.
func (s *scene) settle(root string, files rig.Contents) error {
	real, err := rig.Constellation(s.onDisk(root), files)
	if err != nil {
		return err
	}
	real = strings.TrimPrefix(real, s.mac)
	s.root, s.files, s.session.Cwd = real, files, real
	return nil
}

// expand replaces {dir}, {root}, {session}, {token}, {tokens}, {hooks} and {prompt}.
func (s *scene) expand(text string) string {
	return strings.NewReplacer(
		"{dir}", s.dir, "{root}", s.root, "{session}", s.session.ID,
		"{token}", s.token(), "{tokens}", tokenDir, "{hooks}", s.hooks(),
		"{now}", fmt.Sprint(time.Now().Unix()), "{prompt}", s.session.PromptID(),
	).Replace(text)
}

// token is the token file of the present session.
func (s *scene) token() string { return tokenDir + "/session-" + s.session.ID }

// end undoes what steps left to be undone, and removes the tokens and the folder.
func (s *scene) end() error {
	var first error
	for i := len(s.undo) - 1; i >= 0; i-- {
		if err := s.undo[i](); err != nil && first == nil {
			first = err
		}
	}
	for _, name := range []string{"session-", ".session-"} { // the latter: put aside
		tokens, _ := filepath.Glob(tokenDir + "/" + name + s.id + "*")
		for _, t := range tokens {
			os.Remove(t)
		}
	}
	filepath.WalkDir(s.dir, func(path string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(path, 0o700)
		}
		return nil
	})
	if first == nil { // what is still mounted there is not ours
		os.RemoveAll(s.dir)
	}
	return first
}

// later undoes something at the end of the case.
func (s *scene) later(undo func() error) { s.undo = append(s.undo, undo) }

// note adds to what -v shows.
func (s *scene) note(format string, args ...any) { fmt.Fprintf(&s.log, format+"\n", args...) }
