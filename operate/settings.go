package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"moirai/operate/wiring"
)

// settingsFile is the user settings of one config folder, as they were read. A
// file that is a link is written where the link leads; the link stays.
type settingsFile struct {
	path   string // in the config folder
	target string // where it really lies
	text   []byte
	info   fs.FileInfo // of the target; nil if there is no file
}

// readSettings reads the settings of a config folder.
func readSettings(configDir string) (f settingsFile, err error) {
	f.path = wiring.SettingsFile(configDir)
	if f.target, err = filepath.EvalSymlinks(f.path); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(f.path); err == nil {
			return f, fmt.Errorf("%s is a link that leads nowhere: mend it, or take it away", f.path)
		}
		f.target = f.path
		return f, nil
	}
	if err != nil {
		return f, err
	}
	if f.info, err = os.Stat(f.target); err != nil {
		return f, err
	}
	if !f.info.Mode().IsRegular() {
		return f, fmt.Errorf("%s is no regular file (%v)", f.target, f.info.Mode())
	}
	f.text, err = os.ReadFile(f.target)
	return f, err
}

// mayWrite tells why the file must not be replaced by us.
func (f settingsFile) mayWrite() error {
	if f.info == nil {
		return nil
	}
	stat := f.info.Sys().(*syscall.Stat_t)
	if uid := os.Geteuid(); int(stat.Uid) != uid {
		return fmt.Errorf("%s belongs to uid %d and not to you (%d): run this as its owner", f.target, stat.Uid, uid)
	}
	if stat.Nlink > 1 {
		return fmt.Errorf("%s has %d names (hard links), and only one of them would change: paste what make wiring prints", f.target, stat.Nlink)
	}
	return nil
}

// backup keeps what was read beside the settings, under a name with the date.
func (f settingsFile) backup(now time.Time) (path string, err error) {
	base := f.path + keptEnding + now.UTC().Format("-20060102T150405Z")
	for n := 1; ; n++ {
		path = base
		if n > 1 {
			path = fmt.Sprintf("%s-%d", base, n)
		}
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.info.Mode().Perm())
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = file.Write(f.text)
		return path, errors.Join(err, file.Chmod(f.info.Mode().Perm()), file.Sync(), file.Close())
	}
}

// replace writes the text in one rename, with the mode that the file had, unless
// somebody has written to the file since it was read.
func (f settingsFile) replace(text []byte) error {
	next, err := os.CreateTemp(filepath.Dir(f.target), ".moirai-*")
	if err != nil {
		return err
	}
	defer os.Remove(next.Name()) // gone by then if all went well
	mode := fs.FileMode(0o644)
	if f.info != nil {
		mode = f.info.Mode().Perm()
		next.Chown(-1, int(f.info.Sys().(*syscall.Stat_t).Gid)) // as far as we may
	}
	_, err = next.Write(text)
	if err = errors.Join(err, next.Chmod(mode), next.Sync(), next.Close()); err != nil {
		return err
	}
	if err := f.unchanged(); err != nil {
		return err
	}
	if f.info == nil { // a link cannot take the place of a file that has come meanwhile
		return os.Link(next.Name(), f.target)
	}
	return os.Rename(next.Name(), f.target)
}

// remove takes away a file that was not there before.
func (f settingsFile) remove() error {
	if err := f.unchanged(); err != nil {
		return err
	}
	return os.Remove(f.target)
}

// unchanged is an error if the file is not what was read.
func (f settingsFile) unchanged() error {
	now, err := readSettings(filepath.Dir(f.path))
	if err != nil {
		return err
	}
	if now.target != f.target || (now.info == nil) != (f.info == nil) || !bytes.Equal(now.text, f.text) {
		return fmt.Errorf("%s has changed since it was read (a client writes there too): run this again", f.path)
	}
	return nil
}

func sum(text []byte) string {
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:])
}
