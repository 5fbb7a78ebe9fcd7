package main

import (
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"moirai/stresstest/rig"
)

// notOurs is how the kinds end when the token file cannot be believed: what
// decides blocks, what only records says so or keeps still (D9, D11).
const notOurs = "CCCNNC"

// onTokenFile lists what can stand in the place of the token file, or happen to it.
var onTokenFile = []fault{
	{name: "a FIFO", want: notOurs, says: "token file.*regular", apply: place(func() error { return syscall.Mkfifo(tokenPath, 0o600) })},
	{name: "a socket", want: notOurs, says: "token file", apply: place(func() error {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: tokenPath, Net: "unix"})
		if err != nil {
			return err
		}
		l.SetUnlinkOnClose(false)
		return l.Close()
	})},
	{name: "a device", want: notOurs, says: "token file", lacks: needPrivate, apply: func(s *scene, _ int) error {
		if err := s.write(""); err != nil {
			return err
		}
		s.later(func() { rig.Unmount(tokenPath) })
		return rig.Bind(os.DevNull, tokenPath)
	}},
	{name: "a directory", want: notOurs, says: "token file", apply: place(func() error { return os.Mkdir(tokenPath, 0o700) })},
	{name: "a link to a good file", want: notOurs, says: "token file", apply: func(s *scene, _ int) error {
		good := "/tmp/c/good"
		if err := os.WriteFile(good, []byte(records([]int{0, 1, 2, 3}, s.root)), 0o600); err != nil {
			return err
		}
		return s.put(func() error { return os.Symlink(good, tokenPath) })
	}},
	{name: "a dangling link", want: notOurs, says: "token file", apply: place(func() error { return os.Symlink("/tmp/c/nowhere", tokenPath) })},
	{name: "a link to itself", want: notOurs, says: "token file", apply: place(func() error { return os.Symlink(tokenPath, tokenPath) })},
	{name: "a hard link to a good file", want: notOurs, says: "token file.*hard link", apply: func(s *scene, _ int) error {
		if err := s.write(records([]int{0, 1, 2, 3}, s.root)); err != nil {
			return err
		}
		s.untrusted = true
		return os.Link(tokenPath, tokenDir+"/session-another")
	}},
	{name: "of another owner", want: notOurs, says: "token file.*(belongs|denied)", lacks: needForeign, tries: two, apply: func(s *scene, i int) error {
		if err := s.write(records([]int{0, 1, 2, 3}, s.root)); err != nil {
			return err
		}
		s.untrusted = true
		if err := os.Chmod(tokenPath, []os.FileMode{0o600, 0o644}[i]); err != nil {
			return err
		}
		return os.Lchown(tokenPath, 4242, 4242)
	}},
	{name: "mode 0000", want: notOurs, says: "token file.*denied", lacks: needPlain, apply: mode(0)},
	{name: "mode 0400", want: "CB0NNC", says: "token file.*denied", lacks: needPlain, apply: mode(0o400)},
	{name: "mode 0666, 0620, 0602", want: notOurs, says: "token file.*writable", tries: three, apply: func(s *scene, i int) error {
		s.untrusted = true
		return mode([]os.FileMode{0o666, 0o620, 0o602}[i])(s, 0)
	}},
	{name: "empty", want: "rCCrrr", says: "token file.*empty", apply: func(s *scene, _ int) error { return s.write("") }},
	{name: "one newline", want: notOurs, says: "token file.*corrupt", apply: text("\n")},
	{name: "not text", want: notOurs, says: "token file.*corrupt", apply: text("\x7fELF\x02\x01\x01\x00\x00\xff")},
	{name: "NUL at the end", want: notOurs, says: "token file.*corrupt", apply: added("\x00\n")},
	{name: "CRLF", want: notOurs, says: "token file.*corrupt", apply: func(s *scene, _ int) error {
		return s.write(strings.ReplaceAll(s.any(), "\n", "\r\n"))
	}},
	{name: "one byte a NUL, at every position", want: notOurs, says: "token file.*corrupt", tries: bytesOf, apply: func(s *scene, i int) error {
		return s.write(s.any()[:i] + "\x00" + s.any()[i+1:])
	}},
	{name: "torn off at every position", want: "rrrrrr", tries: bytesOf, apply: func(s *scene, i int) error { return s.write(s.any()[:i+1]) }},
	{name: "one bit wrong, at every position", want: "rrrrrr", tries: bytesOf, apply: func(s *scene, i int) error {
		return s.write(s.any()[:i] + string(s.any()[i]^1) + s.any()[i+1:])
	}},
	{name: "no newline at the end", want: same, apply: func(s *scene, _ int) error {
		if s.before == "" {
			return nil
		}
		return s.write(strings.TrimSuffix(s.before, "\n"))
	}},
	{name: "1 MiB", want: "CB0NN0", says: "token file.*over|has ended meanwhile", apply: func(s *scene, _ int) error { return s.write(padded(s.before, 1<<20)) }},
	{name: "1 MiB and one byte", want: notOurs, says: "token file.*over", apply: func(s *scene, _ int) error { return s.write(padded(s.before, 1<<20+1)) }},
	{name: "written by the bash version", want: same, apply: func(s *scene, _ int) error {
		if s.before == "" {
			return nil
		}
		if err := s.write(strings.ReplaceAll(s.before, "UserPromptSubmit main\n", "UserPromptSubmit main \n")); err != nil {
			return err
		}
		return os.Chmod(tokenPath, 0o644)
	}},
	{name: "another root's markers", want: "0BB000", apply: func(s *scene, _ int) error {
		if len(s.kind.have) == 0 {
			return nil
		}
		return s.write(records(s.kind.have, "/tmp/elsewhere/constellation-hades"))
	}},
	{name: "modified in 1970 and in 2100", want: same, tries: two, apply: func(s *scene, i int) error {
		if s.before == "" {
			return nil
		}
		t := []time.Time{time.Unix(0, 0), time.Unix(4_102_444_800, 0)}[i]
		return os.Chtimes(tokenPath, t, t)
	}},
	{name: "records of the year 0 and of 2100", want: same, tries: two, apply: func(s *scene, i int) error {
		if s.before == "" {
			return nil
		}
		return s.write(strings.ReplaceAll(s.before, "1700000", []string{"0000000", "4102444"}[i]))
	}},
	{name: "deleted during the call", want: "rrrrrr", tries: forty, apply: racing(func(s *scene) error { return os.Remove(tokenPath) })},
	{name: "truncated during the call", want: "rrrrrr", tries: forty, apply: racing(func(s *scene) error {
		return os.Truncate(tokenPath, int64(rand.IntN(len(s.any()))))
	})},
	{name: "replaced during the call", want: "rrrrrr", tries: forty, apply: racing(func(s *scene) error {
		// By one that is not open: a gate that was blocked stays so whichever it reads.
		if err := os.WriteFile(tokenPath+".new", []byte(records([]int{1, 2, 3}, s.root)), 0o600); err != nil {
			return err
		}
		return os.Rename(tokenPath+".new", tokenPath)
	})},
	{name: "written to during the call, without the lock", want: "rrrrrr", tries: forty, apply: racing(func(s *scene) error {
		f, err := os.OpenFile(tokenPath, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = f.WriteString("1700000200 LOAD_VO")
		return err
	})},
	{name: "locked by a live process", want: notOurs, says: "token file.*locked", slow: true, apply: func(s *scene, _ int) error {
		return s.lock(syscall.LOCK_EX, nil)
	}},
	{name: "locked by a stopped process", want: notOurs, says: "token file.*locked", slow: true, apply: func(s *scene, _ int) error {
		return s.lock(syscall.LOCK_EX, s.hold)
	}},
	{name: "locked shared by another reader", want: "CB0NNC", says: "token file.*locked", slow: true, apply: func(s *scene, _ int) error {
		return s.lock(syscall.LOCK_SH, nil)
	}},
}

func forty(*scene) int { return 40 }

// any is the token file before, or for a kind that has none one that lacks what the
// call will earn.
func (s *scene) any() string {
	switch {
	case len(s.kind.have) > 0:
		return records(s.kind.have, s.root)
	case s.kind == &theKinds[loader]:
		return records([]int{3}, s.root)
	}
	return records([]int{0, 1, 2}, s.root)
}

func bytesOf(s *scene) int { return len(s.any()) }

// put takes the token file away and puts something else in its place.
func (s *scene) put(make func() error) error {
	if err := os.RemoveAll(tokenPath); err != nil {
		return err
	}
	s.before = ""
	return make()
}

func place(make func() error) func(*scene, int) error {
	return func(s *scene, _ int) error { return s.put(make) }
}

func mode(m os.FileMode) func(*scene, int) error {
	return func(s *scene, _ int) error {
		if err := s.write(s.any()); err != nil {
			return err
		}
		return os.Chmod(tokenPath, m)
	}
}

func text(t string) func(*scene, int) error {
	return func(s *scene, _ int) error { return s.write(t) }
}

func added(t string) func(*scene, int) error {
	return func(s *scene, _ int) error { return s.write(s.any() + t) }
}

// padded brings a token file to n bytes with records of an unknown marker before it.
func padded(t string, n int) string { return padding(0, n-len(t)) + t }

// padding is what fills a token file from one length to another: records of an unknown
// marker that end, where they can, at multiples of 1,024 bytes.
func padding(from, to int) string {
	const line, least = "1700000000 SPARE_ACK SessionStart main /", 100
	var b strings.Builder
	for at := from; at < to; {
		end := at/1024*1024 + 1024
		if end-at < least {
			end += 1024
		}
		if to-end < least {
			end = to
		}
		b.WriteString(line + strings.Repeat("p", end-at-len(line)-1) + "\n")
		at = end
	}
	return b.String()
}

// racing does something to the token file at a random instant of the call.
func racing(act func(*scene) error) func(*scene, int) error {
	return func(s *scene, _ int) error {
		s.racing = true
		if s.before == "" {
			if err := s.write(s.any()); err != nil {
				return err
			}
		}
		s.during = func(*rig.Process) error {
			time.Sleep(time.Duration(rand.IntN(int(typical)))) // an instant, not a synchronisation
			if err := act(s); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
			return nil
		}
		return nil
	}
}

// typical is how long a call takes without a fault; random instants lie within.
const typical = 15 * time.Millisecond

// lock holds the lock of the token file during the call; by may hand it on.
func (s *scene) lock(how int, by func(*os.File) error) error {
	if s.before == "" {
		if err := s.write(s.any()); err != nil {
			return err
		}
	}
	f, err := os.Open(tokenPath)
	if err != nil {
		return err
	}
	s.later(func() { f.Close() })
	if err := syscall.Flock(int(f.Fd()), how); err != nil || by == nil {
		return err
	}
	return by(f)
}

// hold gives the locked file to a process and stops it.
func (s *scene) hold(f *os.File) error {
	cmd := exec.Command("/bin/sleep", "60")
	cmd.ExtraFiles = []*os.File{f}
	if err := cmd.Start(); err != nil {
		return err
	}
	s.later(func() { cmd.Process.Kill(); cmd.Wait() })
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	return f.Close()
}
