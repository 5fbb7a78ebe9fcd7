package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"moirai/stresstest/rig"
)

// patience is how long a hook may take at all: its watchdog bites at five
// seconds (D13), the rest is for a machine under load.
const patience = 20 * time.Second

// judge compares what was printed with what must be.
type judge func(s *scene, got string) error

// call is a step that runs one hook. As made by gate and loader it must exit 0
// and print nothing.
type call struct {
	program   string
	arguments []string
	payload   payload
	alter     []func(*scene, *rig.Command) error
	exit      int
	stdout    judge
	stderr    judge
	mayEnd    bool
}

func gate(p payload) call {
	return call{program: gateName, payload: p, stdout: nothing, stderr: nothing}
}

func loader(p payload, args ...string) call {
	return call{program: loaderName, arguments: args, payload: p, stdout: nothing, stderr: nothing}
}

// load is a loader wired alone that delivers everything.
func load() call { return loader(startup).prints(theWholeBlock) }

// page is the k-th of n wired loaders, which prints page k of m.
func page(k, n, m int) call {
	return loader(startup, fmt.Sprintf("%d/%d", k, n)).prints(thePage(k, m))
}

// start types /start in a session that is loaded.
func start() call { return gate(prompt("/start")) }

func (c call) prints(j judge) call { c.stdout = j; return c }

// says: exit 0, and one line on stdout that holds the fragments.
func (c call) says(fragments ...string) call {
	c.stdout = func(s *scene, got string) error {
		if strings.Count(got, "\n") != 1 || !strings.HasSuffix(got, "\n") {
			return mismatch("one line", got)
		}
		return holds(s, got, fragments)
	}
	return c
}

// tells: exit 0, and something on stdout that holds the fragments.
func (c call) tells(fragments ...string) call {
	c.stdout = func(s *scene, got string) error { return holds(s, got, fragments) }
	return c
}

// failsClosed: exit 2, nothing on stdout, and on stderr the two lines of D13
// with the fragments in them.
func (c call) failsClosed(fragments ...string) call {
	c.exit = 2
	c.stderr = func(s *scene, got string) error { return failClosedLines(s, got, fragments) }
	return c
}

// eitherClosed: as failsClosed, with one of two conditions; on a slow machine
// the watchdog comes first.
func (c call) eitherClosed(one, other string) call {
	c = c.failsClosed()
	lines := c.stderr
	c.stderr = func(s *scene, got string) error {
		if err := lines(s, got); err != nil || strings.Contains(got, other) {
			return err
		}
		return holds(s, got, []string{one})
	}
	return c
}

// orEnded: or the loader finds that its context has ended meanwhile, since another one
// of the same K/N ran, and fails closed.
func (c call) orEnded() call { c.mayEnd = true; return c }

// refuses: exit 2 and nothing on stdout, in cases where stderr cannot be read.
func (c call) refuses() call {
	c.exit, c.stderr = 2, nil
	return c
}

// blocks: exit 2 with the message of §4.6 for this tool, whose checklist shows
// marks ("xxx_": the fourth is missing) and whose resolution holds the fragments.
func (c call) blocks(tool, marks string, fragments ...string) call {
	c.exit = 2
	c.stderr = func(s *scene, got string) error { return theBlockMessage(s, got, tool, marks, fragments) }
	return c
}

// blocked is a Bash call that the gate blocks.
func blocked(marks string, fragments ...string) call {
	return gate(bash).blocks("Bash", marks, fragments...)
}

// allowed is a Bash call that the gate lets run.
func allowed() call { return gate(bash) }

// env sets the environment on top of PATH.
func (c call) env(vars ...string) call {
	return c.with(func(s *scene, cmd *rig.Command) error {
		cmd.Env = []string{"PATH=/usr/bin:/bin"}
		for _, v := range vars {
			cmd.Env = append(cmd.Env, s.expand(v))
		}
		return nil
	})
}

// closing closes descriptors of 0, 1 and 2. What was closed is not judged.
func (c call) closing(fds ...int) call {
	for _, fd := range fds {
		if fd == 1 {
			c.stdout = nil
		}
		if fd == 2 {
			c.stderr = nil
		}
	}
	return c.with(func(s *scene, cmd *rig.Command) error { cmd.Closed = fds; return nil })
}

// broken connects descriptor fd to a pipe whose reader is gone.
func (c call) broken(fd int) call {
	return c.with(func(s *scene, cmd *rig.Command) error {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		r.Close()
		s.later(w.Close)
		connect(cmd, fd, w)
		return nil
	})
}

// stuffed connects descriptor fd to a full pipe that nobody reads.
func (c call) stuffed(fd int) call {
	return c.with(func(s *scene, cmd *rig.Command) error {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		s.later(r.Close)
		s.later(w.Close)
		if err := fill(w); err != nil {
			return err
		}
		connect(cmd, fd, w)
		return nil
	})
}

// fill writes to a pipe until it takes no more.
func fill(w *os.File) error {
	fd := int(w.Fd()) // Fd makes it blocking
	if err := syscall.SetNonblock(fd, true); err != nil {
		return err
	}
	block := make([]byte, 512)
	for {
		if _, err := syscall.Write(fd, block); errors.Is(err, syscall.EAGAIN) {
			return syscall.SetNonblock(fd, false)
		} else if err != nil {
			return err
		}
	}
}

// endless gives a stdin that holds the payload and never ends.
func (c call) endless() call {
	return c.with(func(s *scene, cmd *rig.Command) error {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		s.later(r.Close)
		s.later(w.Close)
		if _, err := w.Write(cmd.Stdin); err != nil {
			return err
		}
		cmd.In = r
		return nil
	})
}

func connect(cmd *rig.Command, fd int, f *os.File) {
	switch fd {
	case 0:
		cmd.In = f
	case 1:
		cmd.Out = f
	case 2:
		cmd.Err = f
	}
}

func (c call) with(change func(*scene, *rig.Command) error) call {
	c.alter = append(c.alter[:len(c.alter):len(c.alter)], change)
	return c
}

func (c call) command(s *scene) (rig.Command, error) {
	cmd := rig.Command{
		Path: s.hooks() + "/" + c.program, Args: c.arguments,
		Stdin: c.payload(s), Limit: patience,
	}
	if s.mac != "" {
		cmd.Attr = &syscall.SysProcAttr{Chroot: s.mac}
	}
	for _, change := range c.alter {
		if err := change(s, &cmd); err != nil {
			return cmd, fmt.Errorf("the case itself is broken: %w", err)
		}
	}
	return cmd, nil
}

func (c call) do(s *scene) error {
	cmd, err := c.command(s)
	if err != nil {
		return err
	}
	res, err := cmd.Run()
	if err != nil {
		return fmt.Errorf("%s did not start: %w", c.program, err)
	}
	s.note("%s", describe(cmd, res))
	if err := c.verdict(s, res); err != nil {
		return fmt.Errorf("%w\n%s", err, describe(cmd, res))
	}
	return nil
}

func (c call) verdict(s *scene, res rig.Result) error {
	switch {
	case res.Overran:
		return fmt.Errorf("expected an end by itself, got none within %v", patience)
	case res.Signal != 0:
		return fmt.Errorf("expected exit %d, got signal %v", c.exit, res.Signal)
	case c.mayEnd && res.Code == 2:
		return failClosedLines(s, res.Stderr, []string{"has ended meanwhile"})
	case res.Code != c.exit:
		return fmt.Errorf("expected exit %d, got exit %d", c.exit, res.Code)
	}
	// What fmt writes where a format and its arguments do not fit (no case sends it).
	if text := res.Stdout + res.Stderr; strings.Contains(text, "%!") {
		return mismatch("a message whose format fits its arguments", text)
	}
	if c.stderr != nil {
		if err := c.stderr(s, res.Stderr); err != nil {
			return fmt.Errorf("stderr: %w", err)
		}
	}
	if c.stdout != nil {
		if err := c.stdout(s, res.Stdout); err != nil {
			return fmt.Errorf("stdout: %w", err)
		}
	}
	return nil
}

// describe shows a call and its end, cut to what a person reads.
func describe(cmd rig.Command, res rig.Result) string {
	return fmt.Sprintf("    $ %s %s\n      stdin  %s\n      exit   %d in %.1f ms\n      stdout %s\n      stderr %s",
		cmd.Path, strings.Join(cmd.Args, " "), short(string(cmd.Stdin)), res.Code, ms(res.Took), short(res.Stdout), short(res.Stderr))
}

func short(text string) string {
	const most = 4000
	if len(text) > most {
		text = fmt.Sprintf("%s… (%d bytes)", text[:most], len(text))
	}
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n             ")
}

// together is a step that runs several calls at once, in random order.
type together []call

func (t together) do(s *scene) error {
	errs := make([]error, len(t))
	var group sync.WaitGroup
	for _, i := range rand.Perm(len(t)) {
		cmd, err := t[i].command(s)
		if err != nil {
			return err
		}
		group.Add(1)
		go func() {
			defer group.Done()
			res, err := cmd.Run()
			if err == nil {
				err = t[i].verdict(s, res)
			}
			if err != nil {
				errs[i] = fmt.Errorf("%w\n%s", err, describe(cmd, res))
			}
		}()
	}
	group.Wait()
	return errors.Join(errs...)
}

// times is the same call n times.
func times(n int, c call) together {
	var t together
	for range n {
		t = append(t, c)
	}
	return t
}
