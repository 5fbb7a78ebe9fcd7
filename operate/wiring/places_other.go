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

// linkerPins are the pinned names (env.go) that the dynamic linker reads.
var linkerPins = []string{"LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "LD_DEBUG"}

// linkerReachesUs: our programs are static, so that only a shell before them is linked.
const linkerReachesUs = false
