package main

import (
	"fmt"
	"os"
	"strings"
	"syscall"

	"moirai/stresstest/rig"
)

// onTokenDir lists what can be wrong with the token directory or its parent. It is
// checked before any branch, so even a prompt is refused (§4.4, D3).
var onTokenDir = []fault{
	{name: "missing", want: "0BB000", tries: two, apply: func(s *scene, i int) error {
		s.before = ""
		return os.RemoveAll([]string{tokenParent, tokenDir}[i])
	}},
	{name: "missing, and no right to make it", want: "CCCCCC", says: "token directory", lacks: needPlain, apply: func(s *scene, _ int) error {
		s.before = ""
		if err := os.RemoveAll(tokenDir); err != nil {
			return err
		}
		return os.Chmod(tokenParent, 0o500)
	}},
	{name: "a file", want: "CCCCCC", says: "token directory.*not a directory", tries: two, apply: inPlace(func(dir string) error {
		return os.WriteFile(dir, []byte("x"), 0o600)
	})},
	{name: "a FIFO", want: "CCCCCC", says: "token directory.*not a directory", tries: two, apply: inPlace(func(dir string) error { return syscall.Mkfifo(dir, 0o600) })},
	{name: "a link to a good one", want: "CCCCCC", says: "token directory.*not a directory", tries: two, apply: func(s *scene, i int) error {
		dir := []string{tokenParent, tokenDir}[i]
		s.untrusted = true
		if err := s.token(s.any()); err != nil {
			return err
		}
		if err := os.Rename(dir, "/tmp/c/good"); err != nil {
			return err
		}
		return os.Symlink("/tmp/c/good", dir)
	}},
	{name: "a dangling link", want: "CCCCCC", says: "token directory.*not a directory", tries: two, apply: inPlace(func(dir string) error {
		return os.Symlink("/tmp/c/nowhere", dir)
	})},
	{name: "of another owner", want: "CCCCCC", says: "token directory.*belongs", lacks: needForeign, tries: two, apply: func(s *scene, i int) error {
		s.untrusted = true
		if err := s.token(s.any()); err != nil {
			return err
		}
		dir := []string{tokenParent, tokenDir}[i]
		s.later(func() { os.Lchown(dir, os.Geteuid(), os.Getegid()) })
		if err := os.Chmod(dir, 0o755); err != nil {
			return err
		}
		return os.Lchown(dir, 4242, 4242)
	}},
	{name: "mode 0777, 0720, 0702", want: "CCCCCC", says: "token directory.*writable", tries: six, apply: modes(0o777, 0o720, 0o702)},
	{name: "mode 0500, 0600, 0000", want: "CCCCCC", says: "token directory", lacks: needPlain, tries: six, apply: modes(0o500, 0o600, 0)},
	{name: "on a read-only mount", want: "CCCCCC", says: "token directory.*read-only", lacks: needPrivate, tries: two, apply: func(s *scene, i int) error {
		if err := s.token(s.any()); err != nil {
			return err
		}
		dir := []string{tokenParent, tokenDir}[i]
		s.later(func() { rig.Unmount(dir) })
		return rig.RemountReadOnly(dir)
	}},
	{name: "full, not a byte left", want: "CB0NNC", says: "token file.*(no space|short)", lacks: needPrivate, apply: func(s *scene, _ int) error { return s.small(0) }},
	{name: "full in the middle of a record", want: "CB0NNC", says: "token file.*(no space|short)", lacks: needPrivate, tries: func(*scene) int { return len("1700000000 LOAD_VOID PreCompact main") }, apply: func(s *scene, i int) error {
		return s.small(i + 1)
	}},
	{name: "no inodes left", want: "CB0N00", says: "token (file|directory).*no space", lacks: needPrivate, apply: func(s *scene, _ int) error {
		return s.mount(64<<10, 3, func() error {
			for i := 0; ; i++ {
				if err := os.WriteFile(fmt.Sprintf("%s/fill-%d", tokenDir, i), nil, 0o600); err != nil {
					return nil
				}
			}
		})
	}},
	{name: "a memory file system of its own", want: same, lacks: needPrivate, apply: func(s *scene, _ int) error {
		return s.mount(64<<10, 0, func() error { return nil })
	}},
}

func six(*scene) int { return 6 }

// inPlace puts something else in the place of the parent (0) or the directory (1).
func inPlace(make func(dir string) error) func(*scene, int) error {
	return func(s *scene, i int) error {
		s.before = ""
		dir := []string{tokenParent, tokenDir}[i]
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
		return make(dir)
	}
}

// modes tries each mode on the directory and on its parent.
func modes(m ...os.FileMode) func(*scene, int) error {
	return func(s *scene, i int) error {
		if err := s.token(s.any()); err != nil {
			return err
		}
		return os.Chmod([]string{tokenParent, tokenDir}[i%2], m[i/2])
	}
}

// mount puts the token directory on a small file system of its own.
func (s *scene) mount(bytes, inodes int, fill func() error) error {
	had := s.before
	if err := rig.MountSmall(tokenDir, bytes, inodes); err != nil {
		return err
	}
	s.later(func() { rig.Unmount(tokenDir) })
	if err := s.token(had); err != nil {
		return err
	}
	return fill()
}

// small fills a small file system so that a token file can take room more bytes,
// and no more: a file grows by pages, so the file ends that far before one.
func (s *scene) small(room int) error {
	page := os.Getpagesize()
	had := s.any()
	if len(s.kind.have) == 0 && room == 0 {
		had = "" // the file can be made, and takes nothing
	} else {
		had = padded(had, 2*page-room)
	}
	s.before = had
	return s.mount(16*page, 0, func() error {
		f, err := os.OpenFile(tokenDir+"/fill", os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer f.Close()
		for {
			if _, err := f.WriteString(strings.Repeat("x", page)); err != nil {
				return nil
			}
		}
	})
}
