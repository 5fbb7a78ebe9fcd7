package moiraicore

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

// CheckTokenDir makes the token directory if it is missing and checks it and
// its parent (D3). Each must be
//
//   - a real directory, not a link to one;
//   - owned by the effective uid;
//   - not writable by group or others;
//   - writable by us.
//
// /tmp itself may be a link and is sticky, so that nobody else can take the
// place of what was checked. Any error is Closed, with the one command that
// repairs it.
func CheckTokenDir() error {
	if err := checkDir(TokenParent); err != nil {
		return err
	}
	return checkDir(TokenDir)
}

func checkDir(dir string) error {
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return closed("the operator runs: ls -ld /tmp "+TokenParent+"; df /tmp; df -i /tmp   (/tmp must be writable and not full)",
				"token directory: %v", err)
		}
		info, err = os.Lstat(dir)
	}
	if err != nil {
		return closed(remove(), "token directory: %v", err)
	}
	if !info.IsDir() {
		return closed(remove(), "token directory: %s is not a directory (mode %v)", dir, info.Mode())
	}
	if owner := info.Sys().(*syscall.Stat_t).Uid; owner != uint32(os.Geteuid()) {
		return closed(remove(), "token directory: %s belongs to uid %d, not to us (uid %d)", dir, owner, os.Geteuid())
	}
	if info.Mode().Perm()&0o022 != 0 {
		return closed("the operator runs: chmod 700 "+dir, "token directory: %s is writable by group or others (mode %v)", dir, info.Mode())
	}
	if err := syscall.Access(dir, 2|1); err != nil { // W_OK|X_OK
		return closed("the operator runs: chmod 700 "+dir+"   (if that is denied, /tmp is read-only: mount)",
			"token directory: %s is not writable by us (mode %v): %v", dir, info.Mode(), err)
	}
	return nil
}

func remove() string {
	path := TokenParent
	if runtime.GOOS == "darwin" {
		path = "/private" + path
	}
	return "the operator runs: sudo rm -r " + path + "   (it is made anew at the next call)"
}
