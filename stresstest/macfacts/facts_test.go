package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
)

func built(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", bin+"/", "moirai/hades-gate", "moirai/hades-session-load")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

// TestFacts: on this machine too the product can rely on all of them, and none is personal.
func TestFacts(t *testing.T) {
	bin := built(t)
	facts, err := measure(bin)
	if err != nil {
		t.Fatal(err)
	}
	personal := []string{bin, os.TempDir() + "/moirai-facts"}
	if u, err := user.Current(); err == nil && u.Uid != "0" {
		personal = append(personal, u.Username, u.HomeDir)
	}
	if host, err := os.Hostname(); err == nil {
		personal = append(personal, host)
	}
	for _, f := range facts {
		if !f.ok() {
			t.Errorf("%s: %s, relied on: %q", f.name, f.value, f.relies)
		}
		for _, p := range personal {
			if strings.Contains(fmt.Sprint(f), p) {
				t.Errorf("%s holds %s", f, p)
			}
		}
	}
}

// TestFactsDiffer: programs that do not do what is relied on are seen.
func TestFactsDiffer(t *testing.T) {
	bin := t.TempDir()
	for _, name := range []string{"hades-gate", "hades-session-load"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	facts, err := measure(bin)
	if err != nil {
		t.Fatal(err)
	}
	differ := 0
	for _, f := range facts {
		if !f.ok() {
			differ++
		}
	}
	if want := 6; differ < want { // four variables of dyld, a copy, and one that was replaced
		t.Errorf("%d facts differ, expected at least %d", differ, want)
	}
}

func TestOwned(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("private/tmp", dir+"/link"); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	who := "yours"
	if os.Geteuid() == 0 {
		who = "root's"
	}
	for path, want := range map[string]string{dir + "/link": "a link to private/tmp", dir + "/none": "missing", dir: "drwx------, " + who} {
		if got := owned(path); got != want {
			t.Errorf("%s, expected %s", got, want)
		}
	}
}
