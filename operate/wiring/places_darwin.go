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

// linkerPins are the pinned names (env.go) that the dynamic linker reads.
var linkerPins = []string{"LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "LD_DEBUG", "DYLD_INSERT_LIBRARIES"}

// linkerReachesUs: on this system every program is linked, ours too, while the
// system's own shells heed no DYLD_ variable. So exec form is no answer to those.
const linkerReachesUs = true
