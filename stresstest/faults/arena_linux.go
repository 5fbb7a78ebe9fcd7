package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"

	"moirai/stresstest/rig"
)

// enterArena gives the calling goroutine, and what it starts, a /tmp of its own
// inside the private one, so that many scenes can play at once although the token
// directory is a constant (D17). The goroutine is bound to its thread for good.
func enterArena(iso *rig.Isolation, n int) error {
	if !iso.PrivateTmp {
		return nil
	}
	runtime.LockOSThread()
	if err := syscall.Unshare(syscall.CLONE_NEWNS); err != nil {
		return os.NewSyscallError("unshare", err)
	}
	if err := syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return &os.PathError{Op: "mount --make-rprivate", Path: "/", Err: err}
	}
	own := filepath.Join(iso.Scratch, "arena-"+strconv.Itoa(n))
	if err := os.MkdirAll(own, 0o700); err != nil {
		return err
	}
	if err := syscall.Mount("tmpfs", own, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=1777"); err != nil {
		return &os.PathError{Op: "mount tmpfs", Path: own, Err: err}
	}
	hooks := filepath.Join(own, "rig", "bin")
	if err := os.MkdirAll(hooks, 0o755); err != nil {
		return err
	}
	if err := rig.Bind(iso.Hooks, hooks); err != nil {
		return err
	}
	const move = syscall.MS_BIND | syscall.MS_REC
	if err := syscall.Mount(own, "/tmp", "", move, ""); err != nil {
		return &os.PathError{Op: "bind", Path: "/tmp", Err: err}
	}
	return nil
}
