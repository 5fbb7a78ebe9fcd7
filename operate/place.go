package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// putFile makes path a file with this content and mode, by rename. changed is
// false if it was that already.
func putFile(path string, content []byte, mode fs.FileMode) (changed bool, err error) {
	if info, err := os.Lstat(path); err == nil && info.Mode() == mode {
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
			return false, nil
		}
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".moirai-*")
	if err != nil {
		return false, err
	}
	defer os.Remove(f.Name()) // gone by then if all went well
	_, err = f.Write(content)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return false, err
	}
	return true, os.Rename(f.Name(), path)
}

// putLink makes path a link to target, by rename, whatever was there. changed
// is false if it was that already.
func putLink(path, target string) (changed bool, err error) {
	if isLinkTo(path, target) {
		return false, nil
	}
	next := path + ".moirai-next"
	if err := os.Remove(next); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if err := os.Symlink(target, next); err != nil {
		return false, err
	}
	return true, os.Rename(next, path)
}

func isLinkTo(path, target string) bool {
	have, err := os.Readlink(path)
	return err == nil && have == target
}

// makeDirs makes a folder and those above it, and returns the ones it made,
// outer ones first.
func makeDirs(path string) (made []string, err error) {
	_, err = os.Stat(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if made, err = makeDirs(filepath.Dir(path)); err != nil {
		return made, err
	}
	if err := os.Mkdir(path, 0o755); err != nil {
		return made, err
	}
	return append(made, path), os.Chmod(path, 0o755) // whatever the umask is
}

// removeDirs removes folders that makeDirs made and that are empty again.
func removeDirs(dirs []string) error {
	for i := len(dirs) - 1; i >= 0; i-- {
		err := os.Remove(dirs[i])
		if err == nil {
			fmt.Println("removed  ", dirs[i])
		} else if !errors.Is(err, syscall.ENOTEMPTY) && !errors.Is(err, syscall.EEXIST) && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// A file that is not ours is kept beside its old name, under this ending and a
// number if there is one already (D16).
const keptEnding = ".before-moirai"

// backups lists what was kept from path, the newest last, and the name of the next.
func backups(path string) (kept []string, next string) {
	next = path + keptEnding
	for n := 2; ; n++ {
		if _, err := os.Lstat(next); err != nil {
			return kept, next
		}
		kept = append(kept, next)
		next = fmt.Sprintf("%s%s-%d", path, keptEnding, n)
	}
}

// keep gives what is at path a second name, so that a rename over path loses
// nothing and path is never missing.
func keep(path string) (backup string, err error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	_, backup = backups(path)
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(path) // a hard link to a link is not portable
		if err != nil {
			return "", err
		}
		return backup, os.Symlink(target, backup)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is neither a file nor a link (%v): move it away first", path, info.Mode())
	}
	return backup, os.Link(path, backup)
}
