package moiraicore

import (
	"os"
	"path/filepath"
	"strings"
)

// Resolve returns the absolute path with every link followed. What cannot be
// resolved (deleted, unreadable, a loop) is resolved as far as it exists and
// the rest taken lexically; a dangling link leads to where it points (D2).
func Resolve(path string) string {
	resolved, _ := resolve(path)
	return resolved
}

// resolve is Resolve, and tells whether the path could be resolved whole.
func resolve(path string) (resolved string, whole bool) {
	rest := ""
	for links := 0; ; {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return filepath.Join(real, rest), rest == "" && links == 0
		}
		// This ends: "/" always resolves, and so does the empty rest of a relative
		// path. filepath.Dir would take ".." out before the link ahead of it is followed.
		path = strings.TrimRight(path, "/")
		dir, base := filepath.Split(path)
		target, err := os.Readlink(path)
		if err != nil || links == maxLinks {
			path, rest = dir, filepath.Join(base, rest)
			continue
		}
		links++
		if !filepath.IsAbs(target) {
			target = dir + target
		}
		path = target
	}
}
