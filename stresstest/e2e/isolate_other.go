//go:build !linux

package main

import (
	"os/exec"

	"moirai/stresstest/rig"
)

// managedFolder is where the client looks for managed settings on this platform.
const managedFolder = "/Library/Application Support/ClaudeCode"

const insideArg = "_inside"

// enclose has nothing to separate here: the runner still builds every
// environment from nothing, with a temporary home and the loopback model.
func enclose(iso *rig.Isolation, places []*place) error { return nil }

func wrap(cmd *exec.Cmd, scratch, tmp, managed, shell string) error { return nil }

func inside(args []string) int { return 125 }
