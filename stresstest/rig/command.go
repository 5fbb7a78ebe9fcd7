package rig

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"
)

// Command is one process to run. Output goes to memory unless a stream is set.
type Command struct {
	Path  string
	Args  []string // without the program name
	Stdin []byte   // the payload; stdin is at its end after it
	Dir   string   // empty: the root directory
	Env   []string // nil: PATH alone

	// In, Out and Err replace the stream with a file that the caller owns.
	In, Out, Err *os.File
	// Closed lists the descriptors, of 0, 1 and 2, that the process starts without.
	Closed []int
	// Argv0 is the name that the process is given, Path if empty.
	Argv0 string
	// NoArgv gives the process an empty argv, not even a name.
	NoArgv bool
	// Limit ends the process by SIGKILL. Zero means 30 seconds.
	Limit time.Duration
	// Attr is changed before the start, for a chroot or a uid. May be nil.
	Attr *syscall.SysProcAttr
}

// Result is how a process ended.
type Result struct {
	Code    int            // exit code; -1 if a signal ended it
	Signal  syscall.Signal // 0 if it exited
	Stdout  string
	Stderr  string
	Took    time.Duration
	Overran bool // it was killed at Command.Limit
}

// Process is a command that was started and not yet waited for.
type Process struct {
	PID    int
	proc   *os.Process
	stdin  *os.File
	group  sync.WaitGroup
	stdout bytes.Buffer
	stderr bytes.Buffer
	began  time.Time
	limit  time.Duration
}

// Run starts the command and waits for it.
func (c Command) Run() (Result, error) {
	p, err := c.Start()
	if err != nil {
		return Result{}, err
	}
	return p.Wait()
}

// Start starts the command. The process leads a process group of its own.
func (c Command) Start() (*Process, error) {
	p := &Process{began: time.Now(), limit: c.Limit}
	if p.limit == 0 {
		p.limit = 30 * time.Second
	}
	var theirs []*os.File // our copies of the child's ends
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
	}()
	files := []*os.File{c.In, c.Out, c.Err}
	for i := range files {
		if slices.Contains(c.Closed, i) {
			files[i] = nil
			continue
		}
		if files[i] != nil {
			continue
		}
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		if i == 0 {
			files[0], p.stdin = r, w
			theirs = append(theirs, r)
			continue
		}
		files[i] = w
		theirs = append(theirs, w)
		sink := &p.stdout
		if i == 2 {
			sink = &p.stderr
		}
		p.group.Add(1)
		go func() {
			defer p.group.Done()
			defer r.Close()
			io.Copy(sink, r)
		}()
	}
	if err := p.launch(c, files); err != nil {
		if p.stdin != nil {
			p.stdin.Close()
		}
		return nil, err
	}
	if p.stdin != nil {
		go func() {
			defer p.stdin.Close()
			p.stdin.Write(c.Stdin) // a hook may end without reading: that is its right
		}()
	}
	return p, nil
}

func (p *Process) launch(c Command, files []*os.File) error {
	attr := c.Attr
	if attr == nil {
		attr = &syscall.SysProcAttr{}
	}
	attr.Setpgid = true
	env, dir, name := c.Env, c.Dir, c.Argv0
	if env == nil {
		env = []string{"PATH=/usr/bin:/bin"}
	}
	if dir == "" {
		dir = "/"
	}
	if name == "" {
		name = c.Path
	}
	argv := append([]string{name}, c.Args...)
	if c.NoArgv {
		argv = []string{}
	}
	proc, err := os.StartProcess(c.Path, argv, &os.ProcAttr{
		Dir: dir, Env: env, Files: files, Sys: attr,
	})
	if err != nil {
		return err
	}
	p.proc, p.PID = proc, proc.Pid
	return nil
}

// Signal sends s to the process.
func (p *Process) Signal(s syscall.Signal) error { return p.proc.Signal(s) }

// Wait waits for the process to end and for its output to be complete.
func (p *Process) Wait() (Result, error) {
	var overran bool
	timer := time.AfterFunc(p.limit, func() {
		overran = true
		syscall.Kill(-p.PID, syscall.SIGKILL)
	})
	state, err := p.proc.Wait()
	stopped := timer.Stop()
	if err != nil {
		return Result{}, err
	}
	res := Result{Took: time.Since(p.began), Overran: !stopped && overran}
	syscall.Kill(-p.PID, syscall.SIGKILL) // a child left behind would hold the pipes open
	p.group.Wait()
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok {
		return Result{}, errors.New("no wait status")
	}
	res.Code = status.ExitStatus()
	if status.Signaled() {
		res.Code, res.Signal = -1, status.Signal()
	}
	res.Stdout, res.Stderr = p.stdout.String(), p.stderr.String()
	return res, nil
}
