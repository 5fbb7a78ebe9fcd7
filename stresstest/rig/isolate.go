package rig

import (
	"errors"
	"os"
	"path/filepath"
)

// withoutNamespaces is the isolation of a platform that gives none: the real
// /tmp, the present uid, and a scratch folder with a random name.
func withoutNamespaces(want Request, why string) (*Isolation, error) {
	iso := &Isolation{Unprivileged: os.Geteuid() != 0, Refused: why, Hooks: want.Hooks, PutAside: holding()}
	if iso.PutAside {
		os.Unsetenv(asideVar)
	} else if len(want.Claims) > 0 {
		if err := claim(want, why); err != nil {
			return nil, err
		}
		for _, path := range want.Claims {
			if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
				iso.missing = append(iso.missing, path)
			}
		}
	}
	dir, err := os.MkdirTemp("", "moirai-rig-")
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	iso.Scratch = dir
	return iso, nil
}

// Leave removes the scratch folder, and claims that came into being and are empty. A
// private /tmp goes with the program.
func (iso *Isolation) Leave() error {
	if iso.PrivateTmp {
		return nil
	}
	for _, path := range iso.missing {
		removeEmpty(path)
	}
	return removeWhole(iso.Scratch)
}
