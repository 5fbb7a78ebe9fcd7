//go:build linux

package untouched

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// clone is a copy of this clone with everything built, made once.
func clone(t *testing.T) string {
	once.Do(func() { cloned, cloneErr = buildClone() })
	if cloneErr != nil {
		t.Fatal(cloneErr)
	}
	return cloned
}

var (
	once     sync.Once
	cloned   string
	cloneErr error
)

func buildClone() (string, error) {
	dir, err := os.MkdirTemp("", "moirai-untouched-")
	if err != nil {
		return "", err
	}
	script := `set -e
		cd ../..
		tar cf - --exclude=./bin --exclude=./.cache --exclude=./.git . | tar xf - -C "$0"
		cd "$0"
		mkdir -p .cache/tests
		go build -o bin/ ./hades-session-load ./hades-gate ./operate
		mkdir bin/docs && cp README.md bin/ && cp docs/*.md bin/docs/
		go build -o .cache/tests/ ./stresstest/...
		go build -tags unisolated -o .cache/tests/e2e-unisolated ./stresstest/e2e
		printf '#!/bin/sh\necho 2.1.332\n' >.cache/tests/client && chmod +x .cache/tests/client
		go test -c -o .cache/tests/ ./moiraicore ./operate/... ./stresstest ./stresstest/rig
		chmod -R a+rX .`
	cmd := exec.Command("sh", "-c", script, dir)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false -trimpath")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", &os.PathError{Op: string(out), Path: dir, Err: err}
	}
	return dir, nil
}

// goCache lets what runs on the stage build with what is built already.
func goCache(t *testing.T) string {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	dir := strings.TrimSpace(string(out))
	if err != nil || strings.HasPrefix(dir, "/tmp/") {
		t.Skip("the build cache of go lies in /tmp, which the stage covers")
	}
	return dir
}

// withoutLive lists each program as it is started where it may have sessions beside it.
var withoutLive = []struct {
	name string
	args []string
	code int
	says string
	goes bool // builds with go, which an ordinary uid of ours has no cache for
}{
	{"stress", []string{".cache/tests/stresstest", "-bin", "bin"}, 0, "0 failed", false},
	{"faults", []string{".cache/tests/faults", "-bin", "bin"}, 1, "LIVE=1", false},
	{"bench", []string{".cache/tests/bench", "-bin", "bin", "-n", "1"}, 1, "LIVE=1", true},
	{"demo", []string{".cache/tests/demo", "-bin", "bin"}, 0, "The token file now", true},
	{"e2e", []string{".cache/tests/e2e", "-bin", "bin", "-claude", ".cache/tests/client"}, 1, "refusing to run", false},
	{"e2e as built for a platform without namespaces, asking nobody", []string{".cache/tests/e2e-unisolated", "-bin", "bin", "-claude", ".cache/tests/client"}, 1, "nobody can be asked here", false},
	{"test of moiraicore", []string{"sh", "-c", "cd moiraicore && exec ../.cache/tests/moiraicore.test"}, 0, "", false},
	{"test of rig", []string{"sh", "-c", "cd stresstest/rig && exec ../../.cache/tests/rig.test"}, 0, "", false},
	{"test of stresstest", []string{"sh", "-c", "cd stresstest && exec ../.cache/tests/stresstest.test"}, 0, "", false},
	{"test of operate", []string{"sh", "-c", "cd operate && exec ../.cache/tests/operate.test"}, 0, "", true},
	{"test of wiring", []string{"sh", "-c", "cd operate/wiring && exec ../../.cache/tests/wiring.test"}, 0, "", true},
	{"test of history", []string{"sh", "-c", "cd operate/history && exec ../../.cache/tests/history.test"}, 0, "", true},
	{"test of the probe", []string{"sh", "-c", "cd operate/moirai-hades-integrity && exec ../../.cache/tests/moirai-hades-integrity.test"}, 0, "", true},
}

func TestWithoutLive(t *testing.T) {
	for _, x := range withoutLive {
		for user, ordinary := range users() {
			if ordinary && x.goes {
				continue // it has no build cache that it can read
			}
			t.Run(x.name+" "+user, func(t *testing.T) {
				s := newStage(t, ordinary)
				if x.goes {
					s.env = append(s.env, "GOCACHE="+goCache(t))
				}
				before := s.state()
				code, out := s.play(x.args...)
				if code != x.code || !strings.Contains(out, x.says) {
					t.Errorf("exit %d, expected %d and %q\n%s", code, x.code, x.says, tail(out))
				}
				s.same(before, x.name, out)
			})
		}
	}
}

// TestRootElsewhere: root makes nothing for itself where a user's sessions are.
func TestRootElsewhere(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	s := newStage(t, true)
	s.ordinary = false
	before := s.state()
	code, out := s.play(".cache/tests/stresstest", "-bin", "bin", "-run", "^D4")
	if code != 1 || !strings.Contains(out, "belongs to uid 65534.\nNothing was done") {
		t.Errorf("exit %d\n%s", code, out)
	}
	s.same(before, "stress as root", out)
}

// withLive lists the programs as they are started where no session lives.
var withLive = []struct {
	name string
	args []string
	says string
}{
	{"stress", []string{".cache/tests/stresstest", "-bin", "bin", "-live"}, "0 failed"},
	{"faults", []string{".cache/tests/faults", "-bin", "bin", "-live", "-run", "^(token dir|required|none)|^signals$"}, "0 failed"},
	{"faults that lack something to run", []string{".cache/tests/faults", "-bin", "bin", "-live", "-run", "^nothing of this name$"}, "nothing was run"},
}

func TestWithLive(t *testing.T) {
	for _, x := range withLive {
		for user, ordinary := range users() {
			if ordinary && x.name == "stress" {
				continue // half a minute that would tell nothing new
			}
			t.Run(x.name+" "+user, func(t *testing.T) {
				s := newStage(t, ordinary)
				before := s.state()
				_, out := s.play(x.args...)
				if !strings.Contains(out, x.says) {
					t.Errorf("does not say %q\n%s", x.says, tail(out))
				}
				s.same(before, x.name+" -live", out)
			})
		}
	}
	t.Run("where nothing lay", func(t *testing.T) {
		s := newStage(t, false)
		for _, top := range []string{"moirai", "c", "home"} {
			s.must(os.RemoveAll(s.path(top)))
		}
		before := s.state()
		_, out := s.play(".cache/tests/stresstest", "-bin", "bin", "-live", "-run", "^D3")
		s.same(before, "stress -live", out)
		_, out = s.play(".cache/tests/stresstest", "-bin", "bin", "-run", "^D4")
		s.same(before, "stress", out)
	})
}

// begin starts stress -live and returns when what lies there is put aside.
func (s *stage) begin(args ...string) (cmd *exec.Cmd, out *bytes.Buffer) {
	s.t.Helper()
	out = &bytes.Buffer{}
	cmd = s.command(out, append([]string{".cache/tests/stresstest", "-bin", "bin", "-live"}, args...)...)
	cmd.Stdout = nil
	stdout, err := cmd.StdoutPipe()
	s.must(err)
	s.must(cmd.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n') // the second process speaks
	if err != nil {
		cmd.Wait()
		s.t.Skip("no stage can be made here: ", err, out.String())
	}
	if _, err := os.Lstat(s.path(live)); !strings.HasPrefix(line, "hooks") || err == nil {
		s.t.Fatalf("nothing was put aside: %s%s", line, out)
	}
	go io.Copy(io.Discard, stdout)
	return cmd, out
}

func TestInterrupted(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGPIPE,
		syscall.SIGALRM, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGABRT, syscall.SIGSEGV, syscall.SIGXCPU} {
		t.Run(sig.String(), func(t *testing.T) {
			s := newStage(t, false)
			before := s.state()
			cmd, out := s.begin()
			s.must(cmd.Process.Signal(sig))
			cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != 128+int(sig) {
				t.Errorf("exit %d\n%s", code, out)
			}
			s.same(before, "stress -live", out.String())
		})
	}
}

// TestKilled: what a killed run left comes back with the next one, whichever it is.
func TestKilled(t *testing.T) {
	for name, args := range map[string][]string{
		"stress":       {".cache/tests/stresstest", "-bin", "bin", "-run", "^D4"},
		"stress -live": {".cache/tests/stresstest", "-bin", "bin", "-live", "-run", "^D4"},
		"faults":       {".cache/tests/faults", "-bin", "bin"}, // refuses, and gives back
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, false)
			before := s.state()
			cmd, _ := s.begin()
			s.must(cmd.Process.Kill())
			cmd.Wait()
			_, out := s.play(args...)
			if !strings.Contains(out, "an earlier run was killed") {
				t.Errorf("it does not say that it found anything\n%s", out)
			}
			s.same(before, name+" after a killed run", out)
		})
	}
}

// TestKilledThenLive: a session that began after the killed run keeps its token, and the
// older ones come back beside it.
func TestKilledThenLive(t *testing.T) {
	const began, text = "moirai/hades/session-ffffffff-6f3e-4f0e-9b7a-0123456789ab", "1700000001 START_ACK UserPromptSubmit main\n"
	s := newStage(t, false)
	cmd, _ := s.begin("-run", "^D1")
	s.must(cmd.Process.Kill())
	cmd.Wait()
	s.must(os.MkdirAll(filepath.Dir(s.path(began)), 0o700))
	s.must(os.WriteFile(s.path(began), []byte(text), 0o600))
	_, out := s.play(".cache/tests/stresstest", "-bin", "bin", "-run", "^D4")
	for name, want := range map[string]string{began: text, live: mine[live]} {
		if got, err := os.ReadFile(s.path(name)); string(got) != want {
			t.Errorf("%s: %v, %q\n%s", name, err, got, out)
		}
	}
	list, err := os.ReadDir(filepath.Dir(s.path(live)))
	if len(list) != 2 || err != nil {
		t.Errorf("%v, %v", list, err)
	}
}

// TestAtWork: nobody takes the claims of a run that is at work for those of a killed one.
func TestAtWork(t *testing.T) {
	s := newStage(t, false)
	before := s.state()
	cmd, _ := s.begin()
	code, out := s.play(".cache/tests/stresstest", "-bin", "bin", "-run", "^D4")
	if code != 1 || !strings.Contains(out, "is at work") {
		t.Errorf("exit %d\n%s", code, out)
	}
	s.must(cmd.Process.Signal(syscall.SIGTERM))
	cmd.Wait()
	s.same(before, "the run at work", out)
}
