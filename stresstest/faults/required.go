package main

import (
	"os"
	"strings"
	"syscall"

	"moirai/stresstest/rig"
)

// onRequired lists what can be wrong with the required files. The gate goes by the
// markers alone, so what it decides does not change.
var onRequired = []fault{
	{name: "missing, each", want: "CB00r0", says: "required files", tries: three, apply: on(os.Remove)},
	{name: "all missing", want: "CB00N0", says: "required files", apply: func(s *scene, _ int) error {
		for _, name := range rig.Required {
			if err := os.Remove(s.root + "/" + name); err != nil {
				return err
			}
		}
		return nil
	}},
	{name: "a directory, each", want: "CB00r0", says: "required files.*regular", tries: three, apply: on(func(p string) error {
		return afterRemoving(p, func() error { return os.Mkdir(p, 0o755) })
	})},
	{name: "a FIFO, each", want: "CB00r0", says: "required files.*regular", tries: three, apply: on(func(p string) error {
		return afterRemoving(p, func() error { return syscall.Mkfifo(p, 0o644) })
	})},
	{name: "a device, each", want: "CB00r0", says: "required files.*regular", tries: three, lacks: needPrivate, apply: func(s *scene, i int) error {
		p := s.root + "/" + rig.Required[i]
		s.later(func() { rig.Unmount(p) })
		return rig.Bind("/dev/zero", p)
	}},
	{name: "unreadable, each", want: "CB00r0", says: "required files.*denied", tries: three, lacks: needPlain, apply: on(func(p string) error { return os.Chmod(p, 0) })},
	{name: "in a folder that cannot be entered", want: "CB0000", says: "required files.*denied", lacks: needPlain, apply: func(s *scene, _ int) error {
		s.later(func() { os.Chmod(s.root+"/context", 0o755) })
		return os.Chmod(s.root+"/context", 0)
	}},
	{name: "empty, each", want: "CB00r0", says: "required files.*empty", tries: three, apply: on(func(p string) error { return os.Truncate(p, 0) })},
	{name: "50 MiB", want: "CB0000", says: "pages|had not finished", heavy: true, apply: on(func(p string) error {
		return os.WriteFile(p, []byte(strings.Repeat(strings.Repeat("x", 79)+"\n", 50<<20/80)), 0o644)
	})},
	{name: "50 MiB of nothing (a sparse file)", want: "CB0000", says: "pages|required files|had not finished", heavy: true, apply: on(func(p string) error { return os.Truncate(p, 50<<20) })},
	{name: "a terabyte of nothing, each", want: "CB00r0", says: "required files", tries: three, apply: on(func(p string) error { return os.Truncate(p, 1<<40) })},
	{name: "a link out of the root, each", want: same, tries: three, apply: on(func(p string) error {
		if err := os.Rename(p, "/tmp/c/outside"); err != nil {
			return err
		}
		return os.Symlink("/tmp/c/outside", p)
	})},
	{name: "a dangling link, each", want: "CB00r0", says: "required files", tries: three, apply: on(func(p string) error {
		return afterRemoving(p, func() error { return os.Symlink("/tmp/c/nowhere", p) })
	})},
	{name: "a link to itself, each", want: "CB00r0", says: "required files", tries: three, apply: on(func(p string) error {
		return afterRemoving(p, func() error { return os.Symlink(p, p) })
	})},
	{name: "changed since the Read showed it", want: "0B00N0", tries: three, apply: func(s *scene, i int) error {
		text := []string{other(contents[2]), contents[2] + "more\n", contents[2][:len(contents[2])/2]}[i]
		return os.WriteFile(s.root+"/"+rig.Required[2], []byte(text), 0o644)
	}},
	{name: "changed while read", want: "rrrrrr", tries: forty, apply: func(s *scene, i int) error {
		changing := s.root + "/" + rig.Required[i%3]
		texts := [2]string{contents[i%3], other(contents[i%3])}
		s.texts[i%3] = texts[:]
		return s.meanwhile(func(n int) error { return rewrite(changing, texts[n%2]) })
	}},
	{name: "growing and shrinking while read", want: "rrrrrr", tries: forty, apply: func(s *scene, i int) error {
		changing := s.root + "/" + rig.Required[i%3]
		whole := contents[i%3]
		s.texts[i%3] = []string{whole[:1], whole[:1] + strings.Repeat("\x00", 4000)}
		return s.meanwhile(func(n int) error { return os.Truncate(changing, int64(n%2*4000+1)) })
	}},
	{name: "deleted and made again while read", want: "rrrrrr", tries: forty, apply: func(s *scene, i int) error {
		changing := s.root + "/" + rig.Required[i%3]
		return s.meanwhile(func(n int) error {
			if n%2 == 0 {
				return os.Remove(changing)
			}
			return os.WriteFile(changing, []byte(contents[i%3]), 0o644)
		})
	}},
}

// on does something to the i-th required file.
func on(act func(path string) error) func(*scene, int) error {
	return func(s *scene, i int) error { return act(s.root + "/" + rig.Required[i]) }
}

func afterRemoving(path string, make func() error) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return make()
}

// rewrite changes a file in place, without making it shorter in between.
func rewrite(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(text)
	return err
}

// meanwhile repeats act until the hook has ended. What the files hold afterwards is
// then not what the hook saw.
func (s *scene) meanwhile(act func(n int) error) error {
	s.changing = true
	s.until = act
	return nil
}
