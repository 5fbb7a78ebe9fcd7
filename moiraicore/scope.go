package moiraicore

import (
	"os"
	"path/filepath"
	"strings"
)

// Scope says whether a session is gated, and by the files of which root (D2).
type Scope struct {
	In    bool     // a component of the resolved cwd is the constellation
	Root  string   // HADES_ROOT, resolved; empty out of scope
	Whole bool     // Root holds all three required files
	Tried []string // the directories that were looked at for them
}

// Locate judges cwd, an absolute path. The root is the first directory, from the
// outermost component of that name inwards, that holds all three required
// files, so that a weaker copy nested inside a whole one never wins. If none
// does, it is the outermost. A cwd that cannot be resolved is judged by the way
// it is written as well (D2).
func Locate(cwd string) Scope {
	s := locate(Resolve(cwd))
	if !s.In && !sameFile(cwd, cwd) {
		s = locate(filepath.Clean(cwd))
	}
	return s
}

// locate judges a path that has no link in it, component by component.
func locate(resolved string) (s Scope) {
	dir := ""
	for _, name := range strings.Split(resolved, "/")[1:] {
		if dir += "/" + name; !s.In && isConstellation(dir) {
			s.In, s.Root = true, dir
		}
		if s.In {
			s.Tried = append(s.Tried, dir)
			if missing(dir) == nil {
				s.Root, s.Whole = dir, true
				return s
			}
		}
	}
	return s
}

// Lacks says what is missing in a root that is not whole, fit for a message.
func (s Scope) Lacks() string {
	if gone := missing(s.Root); len(gone) < len(Required) {
		return Quote(s.Root) + " lacks " + strings.Join(gone, " and ")
	}
	lacks := "this is no Hades root: no directory holds the three required files, tried:"
	for _, dir := range s.Tried[:min(len(s.Tried), maxTried)] {
		lacks += " " + Quote(dir)
	}
	return lacks
}

// isConstellation compares the name without regard to case, and the directory
// with that name beside it, since a file system may take other spellings for
// the same name (D2).
func isConstellation(dir string) bool {
	return strings.EqualFold(filepath.Base(dir), ScopeName) ||
		sameFile(filepath.Join(filepath.Dir(dir), ScopeName), dir)
}

// missing lists the required files that dir does not hold as regular files.
func missing(dir string) (gone []string) {
	for _, r := range Required {
		if info, err := os.Stat(dir + "/" + r.Path); err != nil || !info.Mode().IsRegular() {
			gone = append(gone, r.Path)
		}
	}
	return gone
}

// sameFile tells whether both paths exist and are one file.
func sameFile(a, b string) bool {
	ai, err := os.Stat(a)
	bi, bErr := os.Stat(b)
	return err == nil && bErr == nil && os.SameFile(ai, bi)
}

// Resolve returns the absolute path with every link followed. What cannot be
// followed (deleted, unreadable, a loop) is taken lexically; a dangling link leads
// to where it points (D2).
func Resolve(path string) string {
	resolved, _ := follow(path)
	return resolved
}

// follow is Resolve, and tells whether the path is one file to every process: no way
// through what each process has its own of, and no more links than can be followed
// (D12).
func follow(path string) (resolved string, shared bool) {
	resolved, shared = "/", true
	rest := strings.Split(path, "/")
	for links := 0; len(rest) > 0; {
		next := filepath.Join(resolved, rest[0]) // ".." goes up from where the links led
		rest = rest[1:]
		target, err := os.Readlink(next)
		if err != nil || links == maxLinks {
			resolved, shared = next, shared && err != nil && !isOwn(next)
			continue
		}
		links++
		if filepath.IsAbs(target) {
			resolved = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return resolved, shared
}

// isOwn tells whether each process may see other files in dir.
func isOwn(dir string) bool { return strings.EqualFold(dir, devDir) || strings.EqualFold(dir, procDir) }
