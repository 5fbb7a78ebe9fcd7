package wiring

import (
	"os"
	"os/user"
	"path/filepath"
	"slices"
)

// Where the managed install lies, and where the client looks for managed
// settings on macOS. A folder none of whose ancestors a user can write.
const (
	ManagedPrograms = "/Library/Application Support/Moirai"
	ManagedSettings = "/Library/Application Support/ClaudeCode"
)

// profiles lists the files there are by which a device manager sets managed
// settings in the place of the local files.
func profiles() []string {
	const folder, name = "/Library/Managed Preferences", "com.anthropic.claudecode.plist"
	paths := []string{filepath.Join(folder, name)}
	if u, err := user.Current(); err == nil {
		paths = append(paths, filepath.Join(folder, u.Username, name))
	}
	return slices.DeleteFunc(paths, func(path string) bool {
		_, err := os.Lstat(path)
		return err != nil
	})
}

// pinned lists the environment variables that reach the shell that runs a hook,
// before the hook (CLIENT-CONTRACT), and those that Go's runtime obeys before our
// first line: with very many processors it starts for minutes, and with crash it
// dies one thread each five seconds, while the client stops waiting. The drop-in
// sets each to empty (D15).
var pinned = [...]string{"CLAUDE_CODE_SHELL_PREFIX", "LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "LD_DEBUG", "DYLD_INSERT_LIBRARIES", "GOMAXPROCS", "GOTRACEBACK"}
