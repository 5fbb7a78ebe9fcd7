package wiring

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Machine says whose settings and programs are meant.
type Machine struct {
	Home      string // the user's home folder, absolute
	ConfigDir string // where this user's client keeps its settings, absolute
}

// Here is the machine as the environment says it: HOME, and CLAUDE_CONFIG_DIR
// if it is set, else ~/.claude (D15).
func Here() (Machine, error) {
	home := filepath.Clean(os.Getenv("HOME"))
	if !filepath.IsAbs(home) {
		return Machine{}, errors.New("HOME is not set to an absolute path")
	}
	dir := os.Getenv("CLAUDE_CONFIG_DIR")
	if dir == "" {
		dir = filepath.Join(home, ".claude")
	}
	dir, err := filepath.Abs(dir)
	return Machine{home, dir}, err
}

// Programs is the folder of the installed binaries. It is their own, so that
// neither make clean nor another branch takes them away (D16).
func (m Machine) Programs() string { return filepath.Join(m.Home, ".local/libexec/moirai") }

// Links is the folder that the wired commands name (D16).
func (m Machine) Links() string { return filepath.Join(m.ConfigDir, "hooks/moirai") }

// ConfigDirs lists every folder that a client of this user may read its
// settings from: ~/.claude, CLAUDE_CONFIG_DIR, and each ~/.claude* with a settings.json,
// or with the .claude.json that a client makes in the folder of an account.
func (m Machine) ConfigDirs() ([]string, error) {
	dirs := []string{filepath.Join(m.Home, ".claude")}
	if m.ConfigDir != dirs[0] {
		dirs = append(dirs, m.ConfigDir)
	}
	entries, err := os.ReadDir(m.Home)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		dir := filepath.Join(m.Home, e.Name())
		if !strings.HasPrefix(e.Name(), ".claude") || slices.Contains(dirs, dir) {
			continue
		}
		for _, name := range []string{userSettings, ".claude.json"} {
			_, err := os.Stat(filepath.Join(dir, name))
			if err == nil {
				dirs = append(dirs, dir)
				break
			} else if !absent(err) {
				return nil, err
			}
		}
	}
	return dirs, nil
}

// Names of the client's files.
const (
	userSettings   = "settings.json"
	remoteSettings = "remote-settings.json"
	dropIns        = "managed-settings.d"
	managedFile    = "managed-settings.json"
	DropInName     = "moirai-hades.json" // ours
)

// DropIn is the path of our managed drop-in (D15).
func DropIn() string { return filepath.Join(ManagedSettings, dropIns, DropInName) }

// absent tells whether an error says that a file is not there, a file in the
// place of one of its folders included.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
