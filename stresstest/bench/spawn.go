package main

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// stdin is a payload that is not held in memory: a process inherits the size of the
// one that made it, and that would count as the hook's memory.
type stdin struct {
	head, tail []byte
	chunk      []byte // repeated between head and tail
	times      int
}

func (in stdin) size() int { return len(in.head) + in.times*len(in.chunk) + len(in.tail) }

// process is one program as it is started.
type process struct {
	path string
	args []string // with the name
	dir  string
	in   stdin
	want int    // exit code
	out  string // a file for stdout; empty: the null device
}

// ended is how a process ended.
type ended struct {
	took   time.Duration
	memory int64   // bytes at the most
	faults float64 // pages that it touched for the first time and that no disk was asked for
}

// pipeRoom is what a pipe takes at once everywhere.
const pipeRoom = 16 << 10

// start makes the process. What fits the pipe is in it before; writing the rest is
// left to the caller, who gets the open end then, else -1.
func (p process) start(null uintptr) (pid, rest int, err error) {
	var pipe [2]int
	if err := syscall.Pipe(pipe[:]); err != nil {
		return 0, -1, err
	}
	syscall.CloseOnExec(pipe[0])
	syscall.CloseOnExec(pipe[1])
	rest = pipe[1]
	if p.in.size() <= pipeRoom {
		if err := p.in.write(rest); err != nil {
			return 0, -1, err
		}
		syscall.Close(rest)
		rest = -1
	}
	stdout := null
	if p.out != "" {
		fd, err := syscall.Open(p.out, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_TRUNC|syscall.O_CLOEXEC, 0o600)
		if err != nil {
			return 0, -1, err
		}
		defer syscall.Close(fd)
		stdout = uintptr(fd)
	}
	pid, err = syscall.ForkExec(p.path, p.args, &syscall.ProcAttr{
		Dir: p.dir, Env: []string{"PATH=/usr/bin:/bin", "HOME=/tmp"}, Files: []uintptr{uintptr(pipe[0]), stdout, null},
	})
	syscall.Close(pipe[0])
	return pid, rest, err
}

// write sends the payload. A hook may end before it has read all.
func (in stdin) write(fd int) error {
	send := func(b []byte) error {
		for len(b) > 0 {
			n, err := syscall.Write(fd, b)
			if err == syscall.EINTR {
				continue
			}
			if err != nil {
				return err
			}
			b = b[n:]
		}
		return nil
	}
	if err := send(in.head); err != nil {
		return err
	}
	for range in.times {
		if err := send(in.chunk); err != nil {
			return err
		}
	}
	return send(in.tail)
}

// run starts the process, waits for it and checks how it ended.
func (p process) run(null uintptr) (ended, error) {
	began := time.Now()
	pid, rest, err := p.start(null)
	if err != nil {
		return ended{}, err
	}
	if rest >= 0 {
		p.in.write(rest)
		syscall.Close(rest)
	}
	_, e, err := await(pid, p)
	e.took = time.Since(began)
	return e, err
}

// await waits for the process, or for any with pid -1.
func await(pid int, p process) (int, ended, error) {
	var status syscall.WaitStatus
	var usage syscall.Rusage
	for {
		got, err := syscall.Wait4(pid, &status, 0, &usage)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return 0, ended{}, os.NewSyscallError("wait4", err)
		}
		if !status.Exited() || status.ExitStatus() != p.want {
			return 0, ended{}, fmt.Errorf("%s ended with status %#x, expected exit %d", p.path, int(status), p.want)
		}
		return got, ended{memory: kilobytes(usage.Maxrss), faults: float64(usage.Minflt)}, nil
	}
}

// batch starts so many at once and returns the time until the last has ended, and the
// faults of all.
func (p process) batch(n int, null uintptr) (all ended, err error) {
	began := time.Now()
	for range n {
		if _, _, err := p.start(null); err != nil {
			return all, err
		}
	}
	for range n {
		_, e, err := await(-1, p)
		if err != nil {
			return all, err
		}
		all.faults += e.faults
	}
	all.took = time.Since(began)
	return all, nil
}
