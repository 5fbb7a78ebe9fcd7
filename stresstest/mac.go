package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"moirai/stresstest/rig"
)

// A root folder that is shaped as a Mac's, for hooks that run in it: /tmp is a link to
// private/tmp, /Users is reached through a second mount too (a firmlink), the constellation
// bears its name in another case and its parent in another Unicode form as well (a file system
// that folds both), the programs lie in a folder with a blank, and bash is /bin/sh.

const (
	macHome  = "/Users/operator"
	macRoot  = macHome + "/constellation-hades"
	macUpper = macHome + "/Constellation-Hades"
	macData  = "/System/Volumes/Data"
	macLinks = macHome + "/.claude/hooks/moirai"
	macHooks = "/Library/Application Support/Moirai"

	// zo\u00eb, composed and decomposed.
	macComposed   = "/Users/zo\u00eb/constellation-hades"
	macDecomposed = "/Users/zoe\u0308/constellation-hades"
)

// onMac moves the case into such a root, and the session into the constellation there.
func onMac(cwd string) step {
	return fixture(func(s *scene) error {
		mac := s.dir + "/mac"
		for _, dir := range []string{"private/tmp", "private/etc", "private/var", "proc", "dev", "usr", "bin", macHooks, macLinks, macData + "/Users",
			macRoot, macUpper, filepath.Dir(macComposed), filepath.Dir(macDecomposed), "/users"} {
			if err := os.MkdirAll(mac+"/"+dir, 0o755); err != nil {
				return err
			}
		}
		for _, name := range []string{"tmp", "etc", "var"} {
			if err := os.Symlink("private/"+name, mac+"/"+name); err != nil {
				return err
			}
		}
		for _, name := range []string{gateName, loaderName} {
			if err := os.Symlink(macHooks+"/"+name, mac+macLinks+"/"+name); err != nil {
				return err
			}
		}
		if err := os.WriteFile(mac+"/bin/sh", nil, 0o755); err != nil {
			return err
		}
		bash, err := filepath.EvalSymlinks("/bin/bash")
		if err != nil {
			return err
		}
		s.mac = mac
		if err := s.settle(macRoot, s.files); err != nil {
			return err
		}
		if _, err := rig.Constellation(mac+macComposed, s.files); err != nil {
			return err
		}
		binds := [][2]string{
			{s.h.hooks(), macHooks}, {bash, "/bin/sh"}, {"/usr", "/usr"}, {"/proc", "/proc"}, {"/dev", "/dev"},
			{mac + macRoot, macUpper}, {mac + filepath.Dir(macComposed), filepath.Dir(macDecomposed)},
			{mac + "/Users", "/users"}, {mac + "/Users", macData + "/Users"}, // last: they show the binds below too
		}
		for _, lib := range []string{"/lib", "/lib64"} { // where bash has its libraries
			target, err := os.Readlink(lib)
			if err == nil {
				err = os.Symlink(target, mac+lib)
			} else if _, missing := os.Stat(lib); missing == nil {
				err = os.Mkdir(mac+lib, 0o755)
				binds = append(binds, [2]string{lib, lib})
			} else {
				err = nil
			}
			if err != nil {
				return err
			}
		}
		for _, b := range binds {
			if err := bound(b[0], mac+b[1]).do(s); err != nil {
				return err
			}
		}
		s.session.Cwd = cwd
		return nil
	})
}

// onDisk is where a path of the hooks lies for us.
func (s *scene) onDisk(path string) string { return s.mac + path }

// hooks is the folder of the programs, as the hooks see it.
func (s *scene) hooks() string {
	if s.mac != "" {
		return macHooks
	}
	return s.h.hooks()
}

// rootIs is the spelling of the root that the hooks use from here on.
func rootIs(root string) step {
	return fixture(func(s *scene) error { s.root = root; return nil })
}

// wired runs the call by the command line that operate prints for its event, in the session's
// working directory.
func (c call) wired(event string) call {
	return c.with(func(s *scene, cmd *rig.Command) error {
		line, err := s.wiredLine(event)
		if err != nil {
			return err
		}
		cmd.Path, cmd.Args, cmd.Dir = "/bin/sh", []string{"-c", line}, s.session.Cwd
		cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + macHome}
		return nil
	})
}

// wiredLine is the first shell command that operate prints for an event; it names the links
// below the home.
func (s *scene) wiredLine(event string) (string, error) {
	res, err := rig.Command{Path: s.h.hooks() + "/operate", Args: []string{"wiring"}, Env: []string{"HOME=" + s.dir, "PATH=/usr/bin:/bin"}}.Run()
	if err != nil {
		return "", err
	}
	var printed struct {
		Hooks map[string][]struct{ Hooks []struct{ Command string } }
	}
	if err := json.Unmarshal([]byte(res.Stdout), &printed); err != nil {
		return "", fmt.Errorf("operate wiring: exit %d, %w: %s%s", res.Code, err, res.Stdout, res.Stderr)
	}
	for _, group := range printed.Hooks[event] {
		for _, h := range group.Hooks {
			if strings.Contains(h.Command, strings.TrimPrefix(macLinks, macHome)) {
				return h.Command, nil
			}
		}
	}
	return "", fmt.Errorf("operate wiring prints no command for %s below the home: %s", event, res.Stdout)
}

// gateBecomes replaces what the wired command lines name as the gate.
func gateBecomes(spoil func(path string) error) step {
	return fixture(func(s *scene) error {
		path := s.onDisk(macLinks + "/" + gateName)
		if err := os.Remove(path); err != nil {
			return err
		}
		return spoil(path)
	})
}

func gone(string) error { return nil }

func notExecutable(path string) error { return os.WriteFile(path, []byte("#!/bin/sh\n"), 0o644) }

func killed(path string) error {
	return os.WriteFile(path, []byte("#!/bin/sh\nkill -9 $$\n"), 0o755)
}

// guarded is a call that the guard blocks in the place of a gate: exit 2, and no word of ours.
func guarded(p payload) call {
	c := gate(p).refuses()
	c.stderr = func(s *scene, got string) error {
		if strings.Contains(got, "Moirai") {
			return mismatch("the shell's words alone", got)
		}
		return nil
	}
	return c
}

// notBlocked: the call ends in a code that the client does not take for a block.
func (c call) notBlocked(code int) call {
	c.exit, c.stderr = code, nil
	return c
}

// macMade makes a constellation there.
func macMade(root string) step {
	return fixture(func(s *scene) error {
		_, err := rig.Constellation(s.onDisk(root), s.files)
		return err
	})
}

func macLink(path, target string) step {
	return fixture(func(s *scene) error { return os.Symlink(target, s.onDisk(path)) })
}

// macHas: a regular file lies there.
func macHas(path string) step {
	return expectation(func(s *scene) error {
		info, err := os.Lstat(s.onDisk(s.expand(path)))
		if err == nil && !info.Mode().IsRegular() {
			err = fmt.Errorf("%s is %v", path, info.Mode())
		}
		return err
	})
}
