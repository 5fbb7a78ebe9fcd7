package moiraicore

import (
	"os"
	"path/filepath"
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

// isOwn tells whether each process may see other files in dir: it is /dev, or what a
// system mounts as proc, wherever that is.
func isOwn(dir string) bool {
	if !strings.EqualFold(filepath.Base(dir), procMount) {
		return strings.EqualFold(dir, devDir)
	}
	inside, err := os.Lstat(dir)
	around, aroundErr := os.Lstat(filepath.Dir(dir))
	return err != nil || aroundErr != nil || inside.Sys().(*syscall.Stat_t).Dev != around.Sys().(*syscall.Stat_t).Dev
}
