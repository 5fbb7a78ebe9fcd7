//go:build !linux

package main

import "moirai/stresstest/rig"

// enterArena does nothing on this platform: its scenes share the real /tmp, one after
// the other.
func enterArena(*rig.Isolation, int) error { return nil }
