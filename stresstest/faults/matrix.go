package main

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"moirai/stresstest/rig"
)

// cell gathers the runs of one fault on one kind.
type cell struct {
	runs      int
	ends      map[byte]int
	condition string
	worst     float64 // seconds
	late      bool    // a call had not finished in time, and gets a second chance
	last      bool    // this is the second
	bad       []string
}

// row is one fault with its cells; lacks says why it was not run.
type row struct {
	class, name string
	lacks       string
	cells       [allKinds]*cell
}

// job is one fault on one kind, with all its variants.
type job struct {
	fault *fault
	kind  int
	cell  *cell
}

// matrix runs every fault on the kinds given, in as many arenas as asked for.
func (b *bench) matrix(faults []fault, on []int) []*row {
	rows := make([]*row, len(faults))
	var slow, quick, heavy []job
	for n := range faults {
		f := &faults[n]
		rows[n] = &row{class: f.class, name: f.name}
		if f.lacks != nil {
			rows[n].lacks = f.lacks(&b.platform)
		}
		if rows[n].lacks != "" {
			continue
		}
		for _, k := range on {
			if f.heavy && !b.full && k != f.weighs() {
				continue
			}
			j := job{f, k, &cell{ends: map[byte]int{}}}
			rows[n].cells[k] = j.cell
			switch {
			case f.heavy:
				heavy = append(heavy, j)
			case f.slow:
				slow = append(slow, j)
			default:
				quick = append(quick, j)
			}
		}
	}
	b.play(b.arenas, append(slow, quick...), b.runJob)
	b.play(1, heavy, b.runJob)
	b.secondChance(append(append(slow, quick...), heavy...))
	return rows
}

// secondChance runs what was late once more, alone: that the machine was busy is no
// fault of the hook.
func (b *bench) secondChance(jobs []job) {
	var late []job
	for _, j := range jobs {
		if j.cell.late {
			*j.cell = cell{ends: map[byte]int{}, last: true}
			late = append(late, j)
		}
	}
	b.play(1, late, b.runJob)
}

// bench is what all sections share.
type bench struct {
	platform platform
	iso      *rig.Isolation
	arenas   int
	full     bool
	cpus     int
	busy     chan struct{} // one for each call that may be at work at a time
}

// play works the jobs off in arenas of their own, in order of the list. Where there is
// one /tmp for all there is one arena.
func (b *bench) play(arenas int, jobs []job, run func(job)) {
	arenas = min(arenas, b.arenas)
	next := make(chan job)
	var group sync.WaitGroup
	for n := range arenas {
		group.Add(1)
		go func() {
			defer group.Done()
			err := enterArena(b.iso, n)
			for j := range next {
				if err != nil {
					j.cell.bad = append(j.cell.bad, "no arena: "+err.Error())
					continue
				}
				run(j)
			}
		}()
	}
	for _, j := range jobs {
		next <- j
	}
	close(next)
	group.Wait()
}

// inArena runs one thing in an arena.
func (b *bench) inArena(do func() error, t *tally) {
	j := job{cell: &cell{}}
	b.play(1, []job{j}, func(j job) {
		if err := do(); err != nil {
			j.cell.bad = append(j.cell.bad, err.Error())
		}
	})
	t.failed = append(t.failed, j.cell.bad...)
}

// runJob runs all variants of one job, and stops at the fifth bad one.
func (b *bench) runJob(j job) {
	if !j.fault.slow { // the slow ones only wait
		b.busy <- struct{}{}
		defer func() { <-b.busy }()
	}
	tries := 1
	for i := 0; i < tries && len(j.cell.bad) < 5; i += b.stride(j.kind, tries) {
		err := func() error {
			s, err := newScene(&theKinds[j.kind], b.iso.Hooks)
			if err != nil {
				return err
			}
			if i == 0 && j.fault.tries != nil {
				tries = j.fault.tries(s)
			}
			return b.attempt(s, j, i)
		}()
		if errors.Is(err, errLate) && !j.cell.last {
			j.cell.late = true
			return
		}
		if err != nil {
			j.cell.bad = append(j.cell.bad, fmt.Sprintf("variant %d: %v", i, err))
		}
	}
}

// stride is the step from one variant to the next: each, unless the fault has many
// and the kind is not the one that all is about.
func (b *bench) stride(kind, tries int) int {
	if b.full || kind == blocked {
		return 1
	}
	return 1 + (tries-1)/20
}

// attempt makes one call under one variant of the fault and judges it.
func (b *bench) attempt(s *scene, j job, i int) error {
	o, err := s.suffer(j.fault, i, false)
	if err != nil {
		return fmt.Errorf("the fault could not be brought about: %w", err)
	}
	if o.Signal != 0 && s.kind.guarded {
		again, err := newScene(s.kind, b.iso.Hooks)
		if err != nil {
			return err
		}
		w, err := again.suffer(j.fault, i, true)
		if err != nil {
			return err
		}
		o.wired = &w
	}
	j.cell.runs++
	j.cell.ends[s.letter(o)]++
	j.cell.worst = max(j.cell.worst, o.Took.Seconds())
	if c := o.Condition(); c != "" {
		j.cell.condition = c
	}
	return errors.Join(s.judge(o), j.fault.check(s, j.kind, o))
}

// suffer brings the fault about, makes the call, and takes the fault back.
func (s *scene) suffer(f *fault, i int, wired bool) (outcome, error) {
	defer s.end()
	if err := f.apply(s, i); err != nil {
		return outcome{}, err
	}
	res, err := s.run(wired)
	if err != nil {
		return outcome{}, err
	}
	return outcome{Result: res, after: stand()}, nil
}

// baseline runs every kind without a fault: what is not right without one says
// nothing with one.
func (b *bench) baseline() *row {
	none := []fault{{class: "none", name: "no fault", want: same, apply: func(*scene, int) error { return nil }}}
	all := append(slices.Clone(everyKind), again)
	return b.matrix(none, all)[0]
}
