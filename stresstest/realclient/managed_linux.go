package realclient

const (
	// ManagedFolder is where the client looks for managed settings on this platform.
	ManagedFolder = "/etc/claude-code"
	// InstalledManaged is where install-managed puts the programs; sessions here have them
	// elsewhere.
	InstalledManaged = "/opt/moirai"
)
