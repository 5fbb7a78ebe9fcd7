package main

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"moirai/moiraicore"
)

// tokenDirAlerts judges the token directory and its parent as D3 does, without
// making them.
func tokenDirAlerts() ([]alert, error) {
	for _, dir := range []string{moiraicore.TokenParent, moiraicore.TokenDir} {
		info, err := os.Lstat(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return []alert{alarm(dirMissing, "%s: no session in a constellation since the machine started, or the hooks do not run, or they run in a sandbox with a /tmp of its own", dir)}, nil
		}
		if err != nil {
			return nil, err
		}
		owner := info.Sys().(*syscall.Stat_t).Uid
		switch {
		case !info.IsDir():
			return []alert{alarm(dirNoDir, "%s (%v)", dir, info.Mode())}, nil
		case owner != uint32(os.Geteuid()):
			return []alert{alarm(dirForeign, "%s belongs to uid %d, not to us (uid %d)", dir, owner, os.Geteuid())}, nil
		case info.Mode().Perm()&0o022 != 0 || info.Mode().Perm()&0o300 != 0o300:
			return []alert{alarm(dirMode, "%s has mode %v: ours alone to write", dir, info.Mode())}, nil
		}
	}
	return nil, nil
}
