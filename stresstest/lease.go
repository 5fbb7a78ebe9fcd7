package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"moirai/stresstest/rig"
)

// Linux's file leases: who holds one is told of another process that opens the
// file, which waits until the lease is given up.
const (
	setLease    = 1024 // F_SETLEASE
	getLease    = 1025 // F_GETLEASE: what it is about to become
	writeLease  = syscall.F_WRLCK
	givenUp     = syscall.F_UNLCK
	leaseBroken = syscall.SIGIO

	leaseWait = 5 * time.Second
)

// atOpen changes a file in the middle of the call: after the hook has looked at it,
// at the moment when it opens it to read. f is open for writing. Without a change
// the hook is left waiting.
func (c call) atOpen(path string, change func(f *os.File) error) call {
	return c.with(func(s *scene, _ *rig.Command) error {
		f, err := os.OpenFile(s.expand(path), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		opened, ended, done := make(chan os.Signal, 1), make(chan bool), make(chan error, 1)
		signal.Notify(opened, leaseBroken)
		lease := func(command int, kind uintptr) (uintptr, error) {
			now, _, errno := syscall.Syscall(syscall.SYS_FCNTL, f.Fd(), uintptr(command), kind)
			if errno != 0 {
				return 0, fmt.Errorf("lease of %s: %w", f.Name(), errno)
			}
			return now, nil
		}
		// A child that was forked while the file was written holds it until its exec is done.
		for until := time.Now().Add(leaseWait); ; runtime.Gosched() {
			_, err := lease(setLease, writeLease)
			if err == nil {
				break
			}
			if !errors.Is(err, syscall.EAGAIN) || time.Now().After(until) {
				return err
			}
		}
		go func() {
			defer f.Close()
			for {
				select {
				case <-ended:
					done <- fmt.Errorf("nobody opened %s", f.Name())
					return
				case <-opened: // this file, or that of another case
				}
				if now, err := lease(getLease, 0); err == nil && now == writeLease {
					continue
				}
				if change == nil {
					<-ended
					done <- nil
					return
				}
				err := change(f)
				if _, unlock := lease(setLease, givenUp); err == nil {
					err = unlock
				}
				done <- err
				return
			}
		}()
		s.later(func() error {
			signal.Stop(opened)
			close(ended)
			return <-done
		})
		return nil
	})
}

// The ways in which a file can change and keep two of its size, its time and its
// identity.

func sameSize(f *os.File) error {
	_, err := f.WriteAt([]byte("X"), 0)
	return err
}

// longer adds a byte and puts the time back.
func longer(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if _, err := f.WriteAt([]byte("X"), info.Size()); err != nil {
		return err
	}
	return os.Chtimes(f.Name(), info.ModTime(), info.ModTime())
}

// another puts a file of the same size and time in its place.
func another(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	text := make([]byte, info.Size())
	if err := os.WriteFile(f.Name()+".new", text, 0o644); err != nil {
		return err
	}
	if err := os.Chtimes(f.Name()+".new", info.ModTime(), info.ModTime()); err != nil {
		return err
	}
	return os.Rename(f.Name()+".new", f.Name())
}
