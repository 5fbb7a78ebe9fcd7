package main

import (
	"os"
	"syscall"
)

// onStreams lists what can be wrong with where the hook writes. Only the loader
// delivers on stdout; to every other kind a lost word changes nothing.
var onStreams = []fault{
	{name: "stdout closed", want: "C=====", says: "delivered", apply: out(func(s *scene) error { s.cmd.Closed = append(s.cmd.Closed, 1); return nil })},
	{name: "stdout a broken pipe", want: "C=====", says: "delivered.*broken pipe", apply: out(func(s *scene) (err error) { s.cmd.Out, err = s.broken(); return })},
	{name: "stdout full", want: "C=====", says: "delivered.*device", lacks: needLinux, apply: out(func(s *scene) (err error) { s.cmd.Out, err = s.device("/dev/full"); return })},
	{name: "stdout a pipe that nobody reads", want: "C=====", says: "had not finished", slow: true, apply: out(func(s *scene) (err error) { s.cmd.Out, err = s.stuffed(); return })},
	{name: "stdout /dev/null", want: "C=====", says: "delivered", apply: out(func(s *scene) (err error) { s.cmd.Out, err = s.device(os.DevNull); return })},
	{name: "stdout read-only", want: "C=====", says: "delivered", apply: out(func(s *scene) (err error) {
		s.cmd.Out, err = os.Open("/etc/passwd")
		s.later(func() { s.cmd.Out.Close() })
		return
	})},
	{name: "stderr closed", want: same, apply: errs(func(s *scene) error { s.cmd.Closed = append(s.cmd.Closed, 2); return nil })},
	{name: "stderr a broken pipe", want: same, apply: errs(func(s *scene) (err error) { s.gone = true; s.cmd.Err, err = s.broken(); return })},
	{name: "stderr full", want: same, lacks: needLinux, apply: errs(func(s *scene) (err error) { s.cmd.Err, err = s.device("/dev/full"); return })},
	{name: "stderr a pipe that nobody reads", want: same, slow: true, apply: errs(func(s *scene) (err error) { s.cmd.Err, err = s.stuffed(); return })},
	{name: "stderr /dev/null", want: same, apply: errs(func(s *scene) (err error) { s.cmd.Err, err = s.device(os.DevNull); return })},
	{name: "stdout and stderr closed", want: "C=====", says: "delivered", apply: func(s *scene, _ int) error {
		s.deafOut, s.deafErr = true, true
		s.cmd.Closed = append(s.cmd.Closed, 1, 2)
		return nil
	}},
	{name: "stdin, stdout and stderr closed", want: "CCCCCC", says: "empty", apply: func(s *scene, _ int) error {
		s.deafOut, s.deafErr = true, true
		s.cmd.Closed = append(s.cmd.Closed, 0, 1, 2)
		return nil
	}},
}

// out and errs say which stream the hook cannot be heard on.
func out(f func(*scene) error) func(*scene, int) error {
	return func(s *scene, _ int) error { s.deafOut = true; return f(s) }
}

func errs(f func(*scene) error) func(*scene, int) error {
	return func(s *scene, _ int) error { s.deafErr = true; return f(s) }
}

func (s *scene) device(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		s.later(func() { f.Close() })
	}
	return f, err
}

// broken is the end of a pipe that has lost its reader.
func (s *scene) broken() (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	r.Close()
	s.later(func() { w.Close() })
	return w, nil
}

// stuffed is the end of a pipe that is full and that nobody reads.
func (s *scene) stuffed() (*os.File, error) {
	var p [2]int
	if err := syscall.Pipe(p[:]); err != nil {
		return nil, err
	}
	syscall.CloseOnExec(p[0])
	syscall.CloseOnExec(p[1])
	syscall.SetNonblock(p[1], true)
	for chunk := make([]byte, 4096); ; {
		if _, err := syscall.Write(p[1], chunk); err != nil {
			break
		}
	}
	syscall.SetNonblock(p[1], false)
	w := os.NewFile(uintptr(p[1]), "stuffed pipe")
	s.later(func() { w.Close(); syscall.Close(p[0]) })
	return w, nil
}
