package moiraicore

import (
	"os"
	"path/filepath"
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
// place of what was checked. Every error is Closed, with the one command that
// repairs it.
func CheckTokenDir() error {
	if err := checkDir(TokenParent); err != nil {
		return err
	}
	return checkDir(TokenDir)
}

// isForeign tells whether another user owns dir: it then holds no token that any gate
// of ours believes (D8).
func isForeign(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.Sys().(*syscall.Stat_t).Uid != uint32(os.Geteuid())
}

// checkDir makes one directory if it is missing and checks it, as CheckTokenDir says.
func checkDir(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) {
		return Fail("the operator runs: ls -ld /tmp; df /tmp; df -i /tmp   (/tmp must be a directory, writable, not full)",
			"token directory: %v", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return Fail("the operator runs: ls -ld "+dir, "token directory: %v", err)
	}
	switch owner := info.Sys().(*syscall.Stat_t).Uid; {
	case !info.IsDir():
		return Fail(remove(), "token directory: %s is not a directory (%v)", dir, info.Mode())
	case owner != uint32(os.Geteuid()):
		return Fail(remove(), "token directory: %s belongs to uid %d, not to us, uid %d", dir, owner, os.Geteuid())
	case info.Mode().Perm()&0o022 != 0:
		return Fail("the operator runs: chmod 700 "+dir, "token directory: %s is writable by group or others (%v)", dir, info.Mode())
	}
	if err := syscall.Access(dir, 3); err != nil { // W_OK|X_OK
		return Fail("the operator runs: chmod 700 "+dir+"   (if that is denied, /tmp is read-only: mount)",
			"token directory: %s is not writable by us (%v): %v", dir, info.Mode(), err)
	}
	return nil
}

// remove is the command that takes the token directory away. Only /tmp is
// resolved: what our own name leads to is not ours to remove.
func remove() string {
	return "the operator runs: sudo rm -r " + filepath.Join(Resolve(filepath.Dir(TokenParent)), filepath.Base(TokenParent)) + "   (it is made anew; every session that is open must then load and start again)"
}
