package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"moirai/moiraicore"
	"moirai/operate/wiring"
)

// The programs that are installed together. Whatever the hooks say of
// themselves, they say of the folder that they lie in: the README too.
var programs = [...]string{moiraicore.GateName, moiraicore.LoaderName, probeName, "operate"}

const probeName = "moirai-hades-integrity"

// docs is the folder of the pages that the README and the findings name.
const docs = "docs"

// putPrograms copies the programs, the README and the pages from the folder of this
// program into folder, and enters them in the record.
func putPrograms(folder string, record *wiring.Record) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	from := filepath.Dir(self)
	for _, name := range programs {
		if err := putProgram(from, folder, name, 0o755, record); err != nil {
			return err
		}
	}
	pages, err := filepath.Glob(filepath.Join(from, docs, "*.md"))
	if err != nil || pages == nil {
		return fmt.Errorf("no pages in %s (make build first)", filepath.Join(from, docs))
	}
	if err := addDirs(record, filepath.Join(folder, docs)); err != nil {
		return err
	}
	for _, page := range append(pages, moiraicore.ReadmeName) {
		if err := putProgram(from, folder, strings.TrimPrefix(page, from+"/"), 0o644, record); err != nil {
			return err
		}
	}
	return nil
}

// page is the path of one of the pages beside this program.
func page(name string) string {
	self, err := os.Executable()
	if err != nil {
		return filepath.Join(docs, name)
	}
	return filepath.Join(filepath.Dir(moiraicore.Resolve(self)), docs, name)
}

func putProgram(from, folder, name string, mode fs.FileMode, record *wiring.Record) error {
	content, err := os.ReadFile(filepath.Join(from, name))
	if err != nil {
		return fmt.Errorf("%w (make build first)", err)
	}
	path := filepath.Join(folder, name)
	changed, err := putFile(path, content, mode)
	if err != nil {
		return err
	}
	said(changed, "installed", path)
	sum := sha256.Sum256(content)
	record.Sums[path] = hex.EncodeToString(sum[:])
	return nil
}

// said prints what was done to path, or that nothing had to be done.
func said(changed bool, done, path string) {
	if !changed {
		done = "unchanged"
	}
	fmt.Printf("%-9s %s\n", done, path)
}

// openRecord reads the record of folder, to be added to, after making folder.
func openRecord(folder string) (wiring.Record, error) {
	record, _, err := wiring.ReadRecord(folder)
	if err != nil {
		return record, err
	}
	return record, addDirs(&record, folder)
}

// addDirs makes folder and enters what it made in the record.
func addDirs(record *wiring.Record, folder string) error {
	made, err := makeDirs(folder)
	record.Dirs = append(record.Dirs, made...)
	return err
}

// removePrograms removes the files and folders of the record and the record.
func removePrograms(folder string, record wiring.Record) error {
	var paths []string
	for path := range record.Sums {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range append(paths, wiring.RecordPath(folder)) {
		if err := remove(path); err != nil {
			return err
		}
	}
	return removeDirs(record.Dirs)
}

func remove(path string) error {
	err := os.Remove(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err == nil {
		said(true, "removed", path)
	}
	return err
}
