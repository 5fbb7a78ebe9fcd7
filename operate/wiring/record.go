package wiring

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// recordName is the file in the programs' folder that says what install did.
const recordName = "INSTALLED"

// Record is what an install did, so that uninstall undoes that and nothing
// else, and the probe can tell changed binaries. One entry a line:
//
//	sha256 HEX PATH    a file that was copied, and its checksum
//	link PATH          a link that was made
//	dir PATH           a folder that was made
type Record struct {
	Sums  map[string]string // path to SHA-256 in hex
	Links []string
	Dirs  []string // outer ones first
}

// ReadRecord reads the record of the programs in folder; exists is false if
// nothing was installed there.
func ReadRecord(folder string) (r Record, exists bool, err error) {
	r.Sums = map[string]string{}
	f, err := os.Open(filepath.Join(folder, recordName))
	if absent(err) {
		return r, false, nil
	}
	if err != nil {
		return r, false, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if err := r.addLine(lines.Text()); err != nil {
			return r, true, fmt.Errorf("%s: %w", f.Name(), err)
		}
	}
	return r, true, lines.Err()
}

func (r *Record) addLine(line string) error {
	kind, rest, _ := strings.Cut(line, " ")
	switch kind {
	case "sha256":
		sum, path, ok := strings.Cut(rest, " ")
		if !ok {
			return errors.New("a checksum without its path: " + line)
		}
		r.Sums[path] = sum
	case "link":
		r.Links = append(r.Links, rest)
	case "dir":
		r.Dirs = append(r.Dirs, rest)
	default:
		return errors.New("not an entry: " + line)
	}
	return nil
}

// Text is the record as ReadRecord reads it.
func (r Record) Text() []byte {
	var b strings.Builder
	var paths []string
	for path := range r.Sums {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		fmt.Fprintf(&b, "sha256 %s %s\n", r.Sums[path], path)
	}
	for _, path := range r.Links {
		fmt.Fprintf(&b, "link %s\n", path)
	}
	for _, path := range r.Dirs {
		fmt.Fprintf(&b, "dir %s\n", path)
	}
	return []byte(b.String())
}

// RecordPath is where the record of the programs in folder lies.
func RecordPath(folder string) string { return filepath.Join(folder, recordName) }
