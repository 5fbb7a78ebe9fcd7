package main

import (
	"fmt"
	"os"
	"syscall"

	"moirai/stresstest/rig"
)

// newRun is the record that the loader ran, as K/N, for an empty context.
func newRun(argument string) string {
	return "CONTEXT_NEW SessionStart main " + argument + " {hooks}/hades-session-load"
}

// eachBegins: a SessionStart of each source ends a loaded and started session.
func eachBegins(sources ...string) []step {
	var steps []step
	for i, source := range sources {
		steps = append(steps, session(fmt.Sprint("s", i)), load(), start(), allowed(), loader(sessionStart(source), "2/2"), blocked("____", "the context is new"))
	}
	return append(steps, session("none"), load(), start(), loader(without(startup, "source"), "2/2"), blocked("____"))
}

// page4 is the k-th of four loaders of a constellation whose files fit one page.
func page4(k int) call {
	c := loader(startup, fmt.Sprintf("%d/4", k))
	if k == 1 {
		return c.prints(theWholeBlock)
	}
	return c
}

// by calls the program by another path.
func (c call) by(path string) call {
	return c.with(func(s *scene, cmd *rig.Command) error { cmd.Path = s.expand(path); return nil })
}

// doubledPages runs the pages of two wirings at once.
func doubledPages(p payload) step {
	var all together
	for k := 1; k <= 4; k++ {
		c := loader(p, fmt.Sprintf("%d/4", k)).prints(thePage(k, 4))
		all = append(all, c, c.by("{dir}/other"))
	}
	return all
}

// twoStarts plays two starts of one session, the loaders of each in every order: after
// the first loader of the second start nothing of the first one stands, and after its
// last one all of the second.
type twoStarts struct{ pages, wired int }

func (t twoStarts) do(s *scene) error {
	if err := holding(rig.SizedContents(25_000)).do(s); err != nil {
		return err
	}
	orders := permutations(t.wired)
	for i, first := range orders {
		second := orders[(i*7+3)%len(orders)]
		s.session.ID = fmt.Sprintf("%s-%d", s.id, i)
		for _, st := range append(append(t.run(first), start(), allowed()), append(t.run(second), blocked("xxx_"), start(), allowed())...) {
			if err := st.do(s); err != nil {
				return fmt.Errorf("first %v, then %v: %w", first, second, err)
			}
		}
		if err := t.prefixes(s, second); err != nil {
			return fmt.Errorf("after the loaders %v of a third start: %w", second, err)
		}
	}
	return nil
}

func (t twoStarts) run(order []int) []step {
	var steps []step
	for _, k := range order {
		c := loader(startup, fmt.Sprintf("%d/%d", k, t.wired))
		if k <= t.pages {
			c = c.prints(thePage(k, t.pages))
		}
		steps = append(steps, c)
	}
	return steps
}

// prefixes: no loader of a start but the last one opens anything.
func (t twoStarts) prefixes(s *scene, order []int) error {
	done := 0
	for i, st := range t.run(order) {
		if err := st.do(s); err != nil {
			return err
		}
		if order[i] <= t.pages {
			done++
		}
		want := "____"
		if done == t.pages {
			want = "xxx_"
		}
		if err := blocked(want).do(s); err != nil {
			return err
		}
	}
	return nil
}

func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, p := range permutations(n - 1) {
		for at := range n {
			q := append(append(append([]int{}, p[:at]...), n), p[at:]...)
			all = append(all, q)
		}
	}
	return all
}

// stale starts the k-th of n loaders, lets the same and the next start run their
// k-th while it writes its page, and then lets it end: it fails closed.
func stale(k, n, m int) step {
	return expectation(func(s *scene) error {
		const setPipeSize, small = 1031, 4096 // F_SETPIPE_SZ; less than a page
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		defer r.Close()
		defer w.Close()
		if _, _, errno := syscall.Syscall(syscall.SYS_FCNTL, w.Fd(), setPipeSize, small); errno != 0 {
			return errno
		}
		cmd, err := loader(startup, fmt.Sprintf("%d/%d", k, n)).command(s)
		if err != nil {
			return err
		}
		cmd.Out = w
		proc, err := cmd.Start()
		if err != nil {
			return err
		}
		if _, err := r.Read(make([]byte, 1)); err != nil { // it is in the middle of its write now
			return err
		}
		if err := page(k, n, m).do(s); err != nil { // the next start
			return err
		}
		go func() {
			for buf := make([]byte, 4096); ; {
				if n, err := r.Read(buf); n == 0 || err != nil {
					return
				}
			}
		}()
		res, err := proc.Wait()
		if err != nil {
			return err
		}
		if res.Code != 2 {
			return fmt.Errorf("expected exit 2, got exit %d", res.Code)
		}
		return failClosedLines(s, res.Stderr, []string{"has ended meanwhile"})
	})
}
