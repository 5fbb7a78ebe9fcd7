// Package realclient runs the real Claude Code offline: it finds or installs the client,
// builds its environment from nothing, plays the model, and separates a session from the
// machine, so that no real home, key or host can be reached.
package realclient
