package main

import (
	"os"
	"strings"
	"syscall"

	"moirai/stresstest/rig"
)

// Ways to start a hook in odd surroundings. Each changes one thing of a call.

// open connects descriptor fd to path, opened with these flags.
func (c call) open(fd int, path string, flags int) call {
	return c.with(func(s *scene, cmd *rig.Command) error {
		f, err := os.OpenFile(s.expand(path), flags, 0)
		if err != nil {
			return err
		}
		s.later(f.Close)
		connect(cmd, fd, f)
		return nil
	})
}

func (c call) stream(fd int, path string) call { return c.open(fd, path, os.O_RDWR) }
func (c call) directoryIn(path string) call    { return c.open(0, path, os.O_RDONLY) }
func (c call) writeOnlyIn(path string) call    { return c.open(0, path, os.O_WRONLY) }
func (c call) readOnlyOut(path string) call    { return c.open(1, path, os.O_RDONLY) }
func (c call) appendTo(path string) call       { return c.open(1, path, os.O_WRONLY|os.O_APPEND) }
func (c call) args(args ...string) call        { c.arguments = args; return c }
func (c call) noEnv() call {
	return c.with(func(_ *scene, cmd *rig.Command) error { cmd.Env = []string{}; return nil })
}

// noArgv starts it without even a name.
func (c call) noArgv() call {
	return c.with(func(_ *scene, cmd *rig.Command) error { cmd.NoArgv = true; return nil })
}

// in starts it in another working directory.
func (c call) in(dir string) call {
	return c.with(func(s *scene, cmd *rig.Command) error { cmd.Dir = s.expand(dir); return nil })
}

// shell starts it from a shell that first runs these words.
func (c call) shell(words string) call {
	return c.with(func(s *scene, cmd *rig.Command) error {
		cmd.Args = append([]string{"-c", s.expand(words) + ` && exec "$@"`, "sh", cmd.Path}, cmd.Args...)
		cmd.Path, cmd.Argv0 = "/bin/sh", "sh"
		return nil
	})
}

// umask starts it with these bits masked.
func (c call) umask(mask int) call {
	if mask == 0 {
		return c.shell("umask 0")
	}
	return c.shell("umask 777")
}

// limited starts it under a limit of the shell's ulimit.
func (c call) limited(limit string) call { return c.shell("ulimit " + limit) }

// inDeleted starts it in a working directory that is then gone.
func (c call) inDeleted(dir string) call {
	return c.shell("mkdir -p " + dir + " && cd " + dir + " && rmdir " + dir)
}

// bound makes what lies at from appear at to as well.
func bound(from, to string) step {
	return fixture(func(s *scene) error {
		to := s.expand(to)
		if err := rig.Bind(s.expand(from), to); err != nil {
			return err
		}
		s.later(func() error { return rig.Unmount(to) })
		return nil
	})
}

// foreignOwner makes path another uid's: given away, or where only one uid is
// mapped, covered by something of root's.
func foreignOwner(path string) step {
	return fixture(func(s *scene) error {
		path := s.expand(path)
		if s.h.iso.Foreign {
			s.later(func() error { return os.Chown(path, os.Geteuid(), os.Getegid()) })
			return os.Chown(path, 1, 1)
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		if info.IsDir() {
			return bound("/usr", path).do(s)
		}
		return bound("/etc/passwd", path).do(s)
	})
}

// filler writes a file of that many bytes, or as many as there is room for.
func filler(path string, size int) step {
	return fixture(func(s *scene) error {
		err := os.WriteFile(s.expand(path), []byte(strings.Repeat("f", size)), 0o600)
		if pathErr, ok := err.(*os.PathError); ok && pathErr.Err == syscall.ENOSPC {
			return nil
		}
		return err
	})
}

// fullOfInodes mounts a file system over path that can hold no further file.
func fullOfInodes(path string) step {
	return fixture(func(s *scene) error {
		path := s.expand(path)
		if err := rig.MountSmall(path, 1<<16, 1); err != nil {
			return err
		}
		s.later(func() error { return rig.Unmount(path) })
		return nil
	})
}

// socket makes a socket, under a short name first since those are limited.
func socket(path string) step {
	return fixture(func(s *scene) error {
		fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		s.later(func() error { return syscall.Close(fd) })
		short := s.dir + "/s"
		if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: short}); err != nil {
			return err
		}
		return os.Rename(short, s.expand(path))
	})
}

// fedFIFO keeps the FIFO open for reading and writing, with a whole token in it.
func fedFIFO(path string) step {
	return fixture(func(s *scene) error {
		f, err := os.OpenFile(s.expand(path), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		s.later(f.Close)
		_, err = f.WriteString(s.expand(handWritten))
		return err
	})
}

// bashToken writes a token file as the bash version left it.
func bashToken(content string) step {
	return fixture(func(s *scene) error { return s.putToken(s.expand(content), 0o644) })
}
