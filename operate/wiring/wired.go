package wiring

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// wiredName is the file beside the programs that says what wire found.
const wiredName = "WIRED"

// Wired is one settings file that wire wrote: the checksum of what it wrote, and
// where it keeps what it found; empty where it found no file. As long as the file has that
// checksum, unwire gives back what was found, byte for byte.
type Wired struct{ File, SHA256, Backup string }

// WiredPath is where the list of the programs in folder lies.
func WiredPath(folder string) string { return filepath.Join(folder, wiredName) }

// ReadWired reads the list; none if there is no file.
func ReadWired(folder string) (list []Wired, err error) {
	text, err := os.ReadFile(WiredPath(folder))
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", WiredPath(folder), err)
	}
	return list, nil
}

// WiredText is the list as ReadWired reads it.
func WiredText(list []Wired) []byte { return encoded(list) }

// WithWired is the list with this entry for its file, and without one if it has no checksum.
func WithWired(list []Wired, w Wired) []Wired {
	list = slices.DeleteFunc(slices.Clone(list), func(o Wired) bool { return o.File == w.File })
	if w.SHA256 == "" {
		return list
	}
	return append(list, w)
}

// SettingsFile is the user settings of a config folder.
func SettingsFile(configDir string) string { return filepath.Join(configDir, userSettings) }
