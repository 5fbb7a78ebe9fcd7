// Command release packs a folder of built programs and pages into one archive, the
// same bytes each time: files in order of name, one time, no owner. It writes
// SHA256SUMS, which names every other file, into the folder first.
//
//	release -dir STAGE -name moirai-hades-VERSION-OS-ARCH -out DIST [-time SECONDS]
package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// sums is the file that names the others; its lines are what sha256sum prints.
const sums = "SHA256SUMS"

func main() {
	dir := flag.String("dir", "", "`folder` to pack")
	name := flag.String("name", "", "`name` of the archive without .tar.gz, and of the folder in it")
	out := flag.String("out", "", "`folder` that the archive is written into")
	at := flag.Int64("time", 0, "the time of every file, in `seconds` since 1970")
	flag.Parse()
	if err := pack(*dir, *name, *out, time.Unix(*at, 0)); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// pack writes out/name.tar.gz, and prints its path.
func pack(dir, name, out string, at time.Time) error {
	if err := writeSums(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	path := filepath.Join(out, name+".tar.gz")
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	packed := gzip.NewWriter(f)
	archive := tar.NewWriter(packed)
	err = eachFile(dir, func(file string, text []byte, mode fs.FileMode) error {
		header := &tar.Header{Name: name + "/" + file, Mode: int64(mode), Size: int64(len(text)), ModTime: at, Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		_, err := archive.Write(text)
		return err
	})
	for _, end := range []func() error{archive.Close, packed.Close, f.Sync} {
		if err == nil {
			err = end()
		}
	}
	if err == nil {
		fmt.Println(path)
	}
	return err
}

// writeSums writes SHA256SUMS of every other file of dir.
func writeSums(dir string) error {
	lines := ""
	err := eachFile(dir, func(file string, text []byte, _ fs.FileMode) error {
		if file != sums {
			lines += fmt.Sprintf("%x  %s\n", sha256.Sum256(text), file)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, sums), []byte(lines), 0o644)
}

// eachFile visits the regular files below dir in order of name, each with mode 0755 or
// 0644. Anything else but a folder is an error.
func eachFile(dir string, visit func(file string, text []byte, mode fs.FileMode) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s is not a regular file", path)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if info.Mode()&0o100 != 0 {
			mode = 0o755
		}
		return visit(filepath.ToSlash(file), text, mode)
	})
}
