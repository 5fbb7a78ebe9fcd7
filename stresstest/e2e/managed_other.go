//go:build !linux

package main

const (
	// managedFolder is where the client looks for managed settings on this platform.
	managedFolder = "/Library/Application Support/ClaudeCode"
	// installedManaged is where install-managed puts the programs; sessions here have them
	// elsewhere.
	installedManaged = "/Library/Application Support/Moirai"
)
