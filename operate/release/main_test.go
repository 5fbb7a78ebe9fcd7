package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// stage is what make dist packs, for this machine.
func stage(t *testing.T) string {
	dir := t.TempDir()
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", dir+"/", "moirai/hades-session-load", "moirai/hades-gate", "moirai/operate", "moirai/operate/moirai-hades-integrity")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range append(pages, "../../README.md", "../../LICENSE", "install") {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		to, mode := filepath.Join(dir, filepath.Base(from)), os.FileMode(0o644)
		if strings.Contains(from, "/docs/") {
			to = filepath.Join(dir, "docs", filepath.Base(from))
		}
		if from == "install" {
			mode = 0o755
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, mode)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// unpacked packs dir, and unpacks it again.
func unpacked(t *testing.T, dir string) (folder string, archive []byte) {
	out := t.TempDir()
	if err := pack(dir, "moirai-test", out, time.Unix(1_700_000_000, 0)); err != nil {
		t.Fatal(err)
	}
	archive, err := os.ReadFile(out + "/moirai-test.tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return out + "/moirai-test", archive
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		path := filepath.Join(out, h.Name)
		if err := errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, os.FileMode(h.Mode))); err != nil {
			t.Fatal(err)
		}
	}
}

// TestInstallsWithoutGo: an archive unpacks, checks itself and wires a home, where no go
// command is; a changed byte stops it before anything is touched.
func TestInstallsWithoutGo(t *testing.T) {
	folder, _ := unpacked(t, stage(t))
	install := func(home string) (string, error) {
		if err := os.MkdirAll(home+"/.claude", 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(folder+"/install", "-yes", "-all")
		cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin"}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	home := t.TempDir()
	if out, err := install(home); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	settings, err := os.ReadFile(home + "/.claude/settings.json")
	if err != nil || !strings.Contains(string(settings), "hades-session-load 8/8") || !strings.Contains(string(settings), "hades-gate") {
		t.Errorf("wired: %v\n%s", err, settings)
	}
	gate := exec.Command(home + "/.claude/hooks/moirai/hades-gate")
	gate.Stdin = strings.NewReader("{")
	if out, err := gate.CombinedOutput(); gate.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "fail-closed") {
		t.Errorf("the installed gate: %v\n%s", err, out)
	}
	f, err := os.OpenFile(folder+"/hades-gate", os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("x")
	f.Close()
	home = t.TempDir()
	if out, err := install(home); err == nil {
		t.Errorf("installed with a changed program:\n%s", out)
	}
	if left, _ := filepath.Glob(home + "/.claude/*"); left != nil {
		t.Errorf("it left %v", left)
	}
}

// TestSameBytes: the archive depends on what the files hold, and on nothing else.
func TestSameBytes(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"b": 0o755, "a": 0o600, "docs/c": 0o664} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(name), mode)); err != nil {
			t.Fatal(err)
		}
	}
	_, first := unpacked(t, dir)
	past := time.Now().Add(-time.Hour)
	if err := errors.Join(os.Chtimes(dir+"/a", past, past), os.Chmod(dir+"/a", 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, second := unpacked(t, dir); !bytes.Equal(first, second) {
		t.Error("two archives of the same files differ")
	}
	if err := os.Symlink("a", dir+"/link"); err != nil {
		t.Fatal(err)
	}
	if err := pack(dir, "x", t.TempDir(), past); err == nil {
		t.Error("a link was packed")
	}
}
