//go:build !linux || unisolated

package rig

import (
	"errors"
	"runtime"
	"syscall"
)

// Enter isolates nothing on this platform: it has no mount namespaces.
func Enter(want Request) (*Isolation, error) {
	return withoutNamespaces(want, runtime.GOOS+" has no mount namespaces")
}

// dyingWithUs: this platform has no signal for the death of a parent. The lock tells that
// the second process is still at work.
func dyingWithUs() *syscall.SysProcAttr { return nil }

var errNoMounts = errors.New(runtime.GOOS + " has no private mounts")

// Bind is refused on this platform.
func Bind(from, to string) error { return errNoMounts }

// MountSmall is refused on this platform.
func MountSmall(dir string, bytes, inodes int) error { return errNoMounts }

// RemountReadOnly is refused on this platform.
func RemountReadOnly(dir string) error { return errNoMounts }

// Unmount is refused on this platform.
func Unmount(path string) error { return errNoMounts }
