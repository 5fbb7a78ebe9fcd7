package rig

import (
	"os"
	"path/filepath"
)

// withoutNamespaces is the isolation of a platform that gives none: the real
// /tmp, the present uid, and a scratch folder with a random name.
func withoutNamespaces(want Request, why string) (*Isolation, error) {
	dir, err := os.MkdirTemp("", "moirai-rig-")
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	return &Isolation{
		Unprivileged: os.Geteuid() != 0,
		Refused:      why,
		Hooks:        want.Hooks,
		Scratch:      dir,
	}, nil
}

// Leave removes the scratch folder. A private /tmp goes with the program.
func (iso *Isolation) Leave() error {
	if iso.PrivateTmp {
		return nil
	}
	filepath.WalkDir(iso.Scratch, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			os.Chmod(path, 0o700) // a case may have taken its own rights away
		}
		return nil
	})
	return os.RemoveAll(iso.Scratch)
}
