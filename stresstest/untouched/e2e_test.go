//go:build linux

package untouched

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// pinned is the client that make e2e installs.
const pinned = "2.1.332"

// TestUnisolatedE2E plays the real client with the runner as it is built for a platform
// without namespaces, beside a live session, with no network but lo.
func TestUnisolatedE2E(t *testing.T) {
	cache, err := filepath.EvalSymlinks("../../.cache/client")
	if err == nil {
		_, err = os.Stat(filepath.Join(cache, pinned))
	}
	if err != nil {
		t.Skip("make e2e installs the client: ", err)
	}
	if strings.HasPrefix(cache, "/tmp/") {
		t.Skip("the client lies in /tmp, which the stage covers")
	}
	s := newStage(t, false)
	s.offline = true
	before := s.state()
	code, out := s.play(".cache/tests/e2e-unisolated", "-bin", "bin", "-cache", cache, "-live", "-parallel", "2",
		"-run", "eight steps|resume, continue|whose void|token is out of reach|elsewhere notices")
	if code != 0 || !strings.Contains(out, " 0 failed") || !strings.Contains(out, "NOT isolated") {
		t.Errorf("exit %d\n%s", code, tail(out))
	}
	t.Log(tail(out))
	s.same(before, "e2e without isolation", out)
}

// TestUnisolatedE2EAsks: beside live sessions it runs only if somebody at a terminal says yes.
func TestUnisolatedE2EAsks(t *testing.T) {
	for answer, goes := range map[string]bool{"n\n": false, "\n": false, "y\n": true} {
		t.Run(strings.TrimSpace(answer)+" typed", func(t *testing.T) {
			s := newStage(t, false)
			before := s.state()
			keyboard, terminal := newTerminal(t)
			var out bytes.Buffer
			cmd := s.command(&out, ".cache/tests/e2e-unisolated", "-bin", "bin", "-claude", ".cache/tests/client", "-run", "^nothing of this name$")
			cmd.Stdin = terminal
			if _, err := keyboard.WriteString(answer); err != nil {
				t.Fatal(err)
			}
			cmd.Run()
			if cmd.ProcessState.ExitCode() == 125 {
				t.Skip("no stage can be made here: ", out.String())
			}
			if went := strings.Contains(out.String(), "===== Claude Code"); went != goes || !strings.Contains(out.String(), "[y/N]") {
				t.Errorf("it went on: %v\n%s", went, tail(out.String()))
			}
			s.same(before, "e2e that asks", out.String())
		})
	}
}

// newTerminal is a terminal, by its two ends.
func newTerminal(t *testing.T) (keyboard, terminal *os.File) {
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminal can be made here: ", err)
	}
	t.Cleanup(func() { keyboard.Close() })
	var number, unlock uint32
	for request, p := range map[uintptr]*uint32{syscall.TIOCGPTN: &number, syscall.TIOCSPTLCK: &unlock} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, keyboard.Fd(), request, uintptr(unsafe.Pointer(p))); errno != 0 {
			t.Skip("no terminal can be made here: ", errno)
		}
	}
	terminal, err = os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminal can be made here: ", err)
	}
	t.Cleanup(func() { terminal.Close() })
	return keyboard, terminal
}
