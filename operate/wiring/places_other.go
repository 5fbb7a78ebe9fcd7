//go:build !darwin

package wiring

// Where the managed install lies, and where the client looks for managed
// settings on this platform. A folder none of whose ancestors a user can write.
const (
	ManagedPrograms = "/opt/moirai"
	ManagedSettings = "/etc/claude-code"
)

// profiles lists the files there are by which a device manager sets managed
// settings in the place of the local files: none on this platform.
func profiles() []string { return nil }

// pinned lists the environment variables that reach the shell that runs a hook,
// before the hook (CLIENT-CONTRACT), and those that Go's runtime obeys before our
// first line: with very many processors it starts for minutes, and with crash it
// dies one thread each five seconds, while the client stops waiting. The drop-in
// sets each to empty (D15).
var pinned = [...]string{"CLAUDE_CODE_SHELL_PREFIX", "LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "LD_DEBUG", "GOMAXPROCS", "GOTRACEBACK"}
