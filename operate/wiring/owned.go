package wiring

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// OnlyRoot returns an error that names the first file or folder, from path up
// to /, that somebody other than root could write to or replace: its owner is
// not root, or group or others may write. Links are followed; what does not
// exist yet is passed over. Access control lists are not seen (docs/THREAT-MODEL.md).
func OnlyRoot(path string) error { return writableBy(path, 0) }

// OnlyUs is OnlyRoot for a path that the effective uid may own too.
func OnlyUs(path string) error { return writableBy(path, uint32(os.Geteuid())) }

func writableBy(path string, uid uint32) error {
	real, err := filepath.EvalSymlinks(path)
	for absent(err) && path != "/" {
		path = filepath.Dir(path)
		real, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return err
	}
	for ; ; real = filepath.Dir(real) {
		info, err := os.Lstat(real)
		if err != nil {
			return err
		}
		if owner := info.Sys().(*syscall.Stat_t).Uid; owner != 0 && owner != uid {
			return fmt.Errorf("%s belongs to uid %d", real, owner)
		}
		// In a sticky folder nobody takes the place of what another owns.
		sticky := uid != 0 && info.Mode()&os.ModeSticky != 0
		if info.Mode().Perm()&0o022 != 0 && !sticky {
			return fmt.Errorf("%s is writable by group or others (%v)", real, info.Mode())
		}
		if real == "/" {
			return nil
		}
	}
}
