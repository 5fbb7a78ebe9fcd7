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
	if s.In {
		return s
	}
	if _, err := os.Stat(cwd); err != nil {
		s = locate(filepath.Clean(cwd))
	}
	return s
}

// locate judges a path that has no link in it, component by component.
func locate(resolved string) (s Scope) {
	dir := ""
	for _, name := range strings.Split(resolved, "/")[1:] {
		dir += "/" + name
		if !s.In && isConstellation(dir) {
			s.In, s.Root = true, dir
		}
		if !s.In {
			continue
		}
		s.Tried = append(s.Tried, dir)
		if holdsRequired(dir) {
			s.Root, s.Whole = dir, true
			break
		}
	}
	return s
}

// Lacks says what is missing in a root that is not whole, fit for a message.
func (s Scope) Lacks() string {
	var gone []string
	for _, r := range Required {
		if !isRegular(s.Root + "/" + r.Path) {
			gone = append(gone, r.Path)
		}
	}
	if len(gone) < len(Required) {
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

// holdsRequired tells whether the three required files are there, as regular files.
func holdsRequired(dir string) bool {
	for _, r := range Required {
		if !isRegular(dir + "/" + r.Path) {
			return false
		}
	}
	return true
}

func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// sameFile tells whether both paths exist and are one file.
func sameFile(a, b string) bool {
	ai, err := os.Stat(a)
	if err != nil {
		return false
	}
	bi, err := os.Stat(b)
	return err == nil && os.SameFile(ai, bi)
}
