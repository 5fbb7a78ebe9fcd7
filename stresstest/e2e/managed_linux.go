package main

const (
	// managedFolder is where the client looks for managed settings on this platform.
	managedFolder = "/etc/claude-code"
	// installedManaged is where install-managed puts the programs; sessions here have them
	// elsewhere.
	installedManaged = "/opt/moirai"
)
