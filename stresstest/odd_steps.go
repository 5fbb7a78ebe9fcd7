package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"moirai/stresstest/rig"
)

const (
	dir0700    = os.ModeDir | 0o700
	dir0755    = os.ModeDir | 0o755
	sticky     = os.ModeSticky
	halfSecond = 500 * time.Millisecond
)

// lockedFor holds the lock of the token file for that long.
func lockedFor(how int, d time.Duration) step {
	return fixture(func(s *scene) error {
		f, err := os.OpenFile(s.token(), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		if err := syscall.Flock(int(f.Fd()), how); err != nil {
			return err
		}
		time.AfterFunc(d, func() { f.Close() })
		return nil
	})
}

// tokenAt: another file holds exactly these records.
func tokenAt(path string, parts ...any) step {
	want := lines(parts...)
	return expectation(func(s *scene) error {
		data, err := os.ReadFile(s.expand(path))
		if err != nil {
			return err
		}
		return s.recordsAre(loaderRan.ReplaceAllString(string(data), ""), want)
	})
}

func sameFile(a, b string) bool {
	ai, aerr := os.Stat(a)
	bi, berr := os.Stat(b)
	return aerr == nil && berr == nil && os.SameFile(ai, bi)
}

func nested(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

// quoted is how a message shows a string that is not plain text.
func quoted(text string) string {
	for _, r := range text {
		if r <= ' ' || r > '~' || r == '"' {
			return strconv.QuoteToASCII(text)
		}
	}
	return text
}

// signalled sends every signal that would end a process to hooks that wait for
// the rest of their payload: they end by their watchdog, in exit 2.
type signalled struct{}

func (signalled) do(s *scene) error {
	type victim struct {
		proc *rig.Process
		sig  syscall.Signal
		cmd  rig.Command
	}
	var victims []victim
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE, syscall.SIGQUIT, syscall.SIGXCPU, syscall.SIGXFSZ, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU} {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		s.later(w.Close)
		cmd, err := gate(bash).command(s)
		if err != nil {
			return err
		}
		cmd.In = r
		proc, err := cmd.Start()
		r.Close()
		if err != nil {
			return err
		}
		// More than a pipe holds: when it is written, the hook is reading.
		if _, err := w.WriteString("{" + strings.Repeat(" ", 1<<20)); err != nil {
			return err
		}
		if err := proc.Signal(sig); err != nil {
			return err
		}
		victims = append(victims, victim{proc, sig, cmd})
	}
	var errs []error
	for _, v := range victims {
		res, err := v.proc.Wait()
		if err == nil {
			err = gate(bash).failsClosed("5s").verdict(s, res)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%v: %w\n%s", v.sig, err, describe(v.cmd, res)))
		}
	}
	return errors.Join(errs...)
}

// noCapability: what the harness keeps for mounting does not reach the hooks.
type noCapability struct{}

func (noCapability) do(s *scene) error {
	res, err := rig.Command{Path: "/bin/sh", Args: []string{"-c", "grep CapEff /proc/self/status"}}.Run()
	if err != nil {
		return err
	}
	if got := strings.TrimSpace(strings.TrimPrefix(res.Stdout, "CapEff:")); strings.Trim(got, "0") != "" || got == "" {
		return mismatch("CapEff: 0000000000000000", res.Stdout+res.Stderr)
	}
	return nil
}

// macTmp plays a session in a root directory of its own in which /tmp is a link
// to private/tmp, as on macOS, with the constellation below it.
type macTmp struct{}

func (macTmp) do(s *scene) error {
	mac := s.dir + "/mac"
	for _, dir := range []string{"private/tmp", "opt/moirai", "proc"} {
		if err := os.MkdirAll(filepath.Join(mac, dir), 0o755); err != nil {
			return err
		}
	}
	for _, st := range []step{
		link("{dir}/mac/tmp", "private/tmp"), bound("{hooks}", "{dir}/mac/opt/moirai"), bound("/proc", "{dir}/mac/proc"),
		fixture(func(s *scene) error { return s.settle(mac+"/private/tmp/constellation-hades", rig.SmallContents()) }),
	} {
		if err := st.do(s); err != nil {
			return err
		}
	}
	inside := func(c call) call {
		return c.with(func(s *scene, cmd *rig.Command) error {
			cmd.Path = strings.Replace(cmd.Path, s.h.hooks(), "/opt/moirai", 1)
			cmd.Attr = &syscall.SysProcAttr{Chroot: mac}
			return nil
		})
	}
	s.root, s.session.Cwd = "/private/tmp/constellation-hades", "/tmp/constellation-hades"
	closed := gate(bash).refuses()
	closed.stderr = func(s *scene, got string) error {
		return holds(s, got, []string{"BLOCKED by Moirai", "Session token: {token}", "Gate source:   /opt/moirai/hades-gate\n"})
	}
	for _, c := range []call{closed, load(), closed, start(), allowed(), gate(compact("auto")), closed, compacted(), allowed()} {
		if err := inside(c).do(s); err != nil {
			return err
		}
	}
	return tokenAt(mac+"/private"+s.token(), loadedLines, typedStart, voidLine, reloadedLines).do(s)
}
