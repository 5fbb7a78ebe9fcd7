//go:build !linux

package realclient

const (
	// ManagedFolder is where the client looks for managed settings on this platform.
	ManagedFolder = "/Library/Application Support/ClaudeCode"
	// InstalledManaged is where install-managed puts the programs; sessions here have them
	// elsewhere.
	InstalledManaged = "/Library/Application Support/Moirai"
)
