package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"moirai/stresstest/rig"
)

// step is one thing that a case does.
type step interface{ do(*scene) error }

// fixture is a step that prepares and judges nothing.
type fixture func(*scene) error

func (f fixture) do(s *scene) error {
	if err := f(s); err != nil {
		return fmt.Errorf("the case itself is broken: %w", err)
	}
	return nil
}

// at moves the session to another working directory.
func at(cwd string) step {
	return fixture(func(s *scene) error { s.session.Cwd = s.expand(cwd); return nil })
}

// as makes the calls that follow those of a subagent; "" is the main agent.
func as(agent string) step {
	return fixture(func(s *scene) error { s.session.Agent = agent; return nil })
}

// promptID gives the calls that follow the id of another prompt.
func promptID(id string) step {
	return fixture(func(s *scene) error { s.session.At = id; return nil })
}

// session goes on in another session, told apart by a suffix; "" is the first.
func session(suffix string) step {
	return fixture(func(s *scene) error { s.session.ID = s.id + suffix; return nil })
}

// sessionID goes on in the session of exactly this id.
func sessionID(id string) step {
	return fixture(func(s *scene) error {
		s.session.ID = s.expand(id)
		token := s.token()
		s.later(func() error { os.Remove(token); return nil })
		return nil
	})
}

// client shapes the payloads that follow as this version of the client does.
func client(c rig.Client) step {
	return fixture(func(s *scene) error { s.session.Client = c; return nil })
}

// constellation makes a constellation there and moves the session into it.
func constellation(root string, files rig.Contents) step {
	return fixture(func(s *scene) error { return s.settle(s.expand(root), files) })
}

// holding puts other contents into the present constellation.
func holding(files rig.Contents) step {
	return fixture(func(s *scene) error {
		cwd := s.session.Cwd
		err := s.settle(s.root, files)
		s.session.Cwd = cwd
		return err
	})
}

func mkdir(path string) step {
	return fixture(func(s *scene) error { return os.MkdirAll(s.expand(path), 0o755) })
}

func write(path, content string) step {
	return fixture(func(s *scene) error {
		path := s.expand(path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return os.WriteFile(path, []byte(s.expand(content)), 0o644)
	})
}

func link(path, target string) step {
	return fixture(func(s *scene) error { return os.Symlink(s.expand(target), s.expand(path)) })
}

func hardLink(path, target string) step {
	return fixture(func(s *scene) error { return os.Link(s.expand(target), s.expand(path)) })
}

func fifo(path string) step {
	return fixture(func(s *scene) error { return syscall.Mkfifo(s.expand(path), 0o600) })
}

func remove(path string) step {
	return fixture(func(s *scene) error { return os.RemoveAll(s.expand(path)) })
}

func rename(from, to string) step {
	return fixture(func(s *scene) error { return os.Rename(s.expand(from), s.expand(to)) })
}

func chmod(path string, mode os.FileMode) step {
	return fixture(func(s *scene) error { return os.Chmod(s.expand(path), mode) })
}

// aged sets the modification time that long ago.
func aged(path string, ago time.Duration) step {
	return fixture(func(s *scene) error {
		then := time.Now().Add(-ago)
		return os.Chtimes(s.expand(path), then, then)
	})
}

// makeTokenDir makes the token directory as the hooks make it.
func makeTokenDir() step {
	return fixture(func(s *scene) error { return ownTokenDir() })
}

func ownTokenDir() error { return os.MkdirAll(tokenDir, 0o700) }

// token writes the session's token file. Lines are records without their
// newline; one that does not begin with a digit gets the present time.
func token(lines ...string) step {
	return fixture(func(s *scene) error {
		var b strings.Builder
		for _, line := range lines {
			b.WriteString(s.stamped(line) + "\n")
		}
		return s.putToken(b.String(), 0o600)
	})
}

// tokenBytes writes the session's token file byte for byte.
func tokenBytes(content string) step {
	return fixture(func(s *scene) error { return s.putToken(s.expand(content), 0o600) })
}

func (s *scene) putToken(content string, mode os.FileMode) error {
	if err := ownTokenDir(); err != nil {
		return err
	}
	if err := os.WriteFile(s.token(), []byte(content), mode); err != nil {
		return err
	}
	return os.Chmod(s.token(), mode)
}

func (s *scene) stamped(line string) string {
	line = s.expand(line)
	if line != "" && '0' <= line[0] && line[0] <= '9' {
		return line
	}
	return fmt.Sprintf("%d %s", time.Now().Unix(), line)
}

// small mounts a file system of that many bytes over path.
func small(path string, bytes int) step {
	return fixture(func(s *scene) error {
		path := s.expand(path)
		if err := rig.MountSmall(path, bytes, 0); err != nil {
			return err
		}
		s.later(func() error { return rig.Unmount(path) })
		return nil
	})
}

// readOnly makes what is below path read-only, whatever the mode bits say.
func readOnly(path string) step {
	return fixture(func(s *scene) error {
		path := s.expand(path)
		if err := rig.RemountReadOnly(path); err != nil {
			return err
		}
		s.later(func() error { return rig.Unmount(path) })
		return nil
	})
}
