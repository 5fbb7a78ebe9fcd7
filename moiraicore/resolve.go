package moiraicore

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Resolve returns the absolute path with every link followed. What cannot be
// followed (deleted, unreadable, a loop) is taken lexically; a dangling link leads
// to where it points (D2).
func Resolve(path string) string {
	resolved, _ := follow(path)
	return resolved
}

// follow is Resolve, and tells whether the way leads through what each process has
// its own of: it may end at one file for us and at another for the client (D12).
func follow(path string) (resolved string, own bool) {
	resolved = "/"
	rest := strings.Split(path, "/")
	for links := 0; len(rest) > 0; {
		next := filepath.Join(resolved, rest[0]) // resolved has no link left, so ".." can be taken out
		rest = rest[1:]
		target, err := os.Readlink(next)
		if err != nil || links == maxLinks {
			resolved, own = next, own || isOwn(next)
			continue
		}
		links++
		if filepath.IsAbs(target) {
			resolved = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return resolved, own
}

// isOwn tells whether dir has one of the names under which a system mounts what each
// process has its own of, and is no plain directory of the file system around it.
func isOwn(dir string) bool {
	name := func(own string) bool { return strings.EqualFold(own, filepath.Base(dir)) }
	if !slices.ContainsFunc(ownNames[:], name) {
		return false
	}
	inside, err := os.Lstat(dir)
	around, aroundErr := os.Lstat(filepath.Dir(dir))
	return err != nil || aroundErr != nil || inside.Sys().(*syscall.Stat_t).Dev != around.Sys().(*syscall.Stat_t).Dev
}
