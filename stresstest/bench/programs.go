package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// The floors: what a program in Go pays that does the least of what a hook must do. They
// are built the way the hooks are.
var (
	//go:embed floors/empty.go.txt
	emptyProgram string
	//go:embed floors/valid.go.txt
	validProgram string
	//go:embed floors/decode.go.txt
	decodeProgram string
	//go:embed floors/pages.go.txt
	pagesProgram string
	//go:embed floors/token.go.txt
	tokenProgram string
)

// gather builds the programs to compare with into dir, the way the hooks are built,
// and puts the hooks beside them.
func gather(dir, bin string) error {
	for name, source := range map[string]string{"empty": emptyProgram, "valid": validProgram, "decode": decodeProgram, "pages": pagesProgram, "token": tokenProgram} {
		src := filepath.Join(dir, "src", name)
		if err := os.MkdirAll(src, 0o755); err != nil {
			return err
		}
		for file, text := range map[string]string{"main.go": source, "go.mod": "module " + name + "\n\ngo 1.26\n"} {
			if err := os.WriteFile(filepath.Join(src, file), []byte(text), 0o644); err != nil {
				return err
			}
		}
		cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", name, ".")
		cmd.Dir = src
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", name, err, out)
		}
		if err := place(filepath.Join(src, name), dir); err != nil {
			return err
		}
	}
	for _, name := range []string{"hades-gate", "hades-session-load", "operate"} {
		if err := place(filepath.Join(bin, name), dir); err != nil {
			return fmt.Errorf("%w: make build makes it", err)
		}
	}
	return nil
}

// place copies a program. How a file came into the page cache shows in the time that
// its first touch takes, by some percent: so all come the same way.
func place(program, dir string) error {
	b, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	to := filepath.Join(dir, filepath.Base(program))
	if err := os.Remove(to); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.WriteFile(to, b, 0o755)
}
