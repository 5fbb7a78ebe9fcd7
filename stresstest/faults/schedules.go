package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"moirai/stresstest/rig"
)

// A schedule is fifty hooks at once on one session: loads of contexts that begin, go on
// or were compacted, pages with prompts, starts, calls of the main agent at several prompts and of subagents,
// required Reads, compactions, events of subagents, a rule file that is missing for a while, and some of
// the hooks killed. Its history is held against a model of the token file (fold.go). The file only
// grows, so what stands after any number of records is a state that the file really had,
// and a call sees one of the states between its beginning and its end. The model is:
//
//   - The file never loses or changes a byte, and every line is well formed.
//   - A record stands once for what it says: no marker is written that counts already.
//   - Each record belongs to a call that was at work when it was written, and a load's
//     to one whose output was complete. A subagent's load and compaction write none.
//   - Markers of a load in several pages come after the receipts of all of them, which
//     went to the same agent in the same context.
//   - What a call said at its end is true in one of the states that it can have seen.
const inSchedule = 50

// op is one hook of a schedule.
type op struct {
	what     string // loader, prompt, call, start, skill, read, compact
	source   string // of a loader
	page     int    // of a loader, or of a load with a prompt
	agent    string // of a subagent; empty: the main agent
	at       string // prompt_id
	kill     bool
	from, to int // length of the token file before it began, and after it ended
	result   rig.Result
	seen     string // token file after it ended
}

// pagesWired is the N of the loaders, and pagesNeeded what the larger contents take.
const pagesWired = 4

// history is a schedule that has been played.
type history struct {
	root  string
	ops   []*op
	final string
	pages []string // what each loader prints when nothing is wrong
}

// schedules is the section.
func (b *bench) schedules(t *tally) {
	if !t.wants("schedules") {
		return
	}
	n := 20
	if b.full {
		n = 1000
	}
	if !b.platform.private {
		t.lacking = append(t.lacking, "schedules: no private /tmp")
		return
	}
	jobs := make([]job, n)
	var lock sync.Mutex
	var ends = map[string]int{}
	for i := range jobs {
		jobs[i] = job{fault: &fault{name: fmt.Sprint("schedule ", i)}, kind: i, cell: &cell{}}
	}
	b.play(b.cpus, jobs, func(j job) {
		h, err := b.perform(uint64(j.kind))
		if err == nil {
			err = h.check()
			lock.Lock()
			for _, o := range h.ops {
				ends[o.end()]++
			}
			lock.Unlock()
			j.cell.runs = len(h.ops)
		}
		if err != nil {
			j.cell.bad = append(j.cell.bad, err.Error())
		}
	})
	for _, j := range jobs {
		t.add("schedules: "+j.fault.name, j.cell)
	}
	fmt.Printf("\nRandom schedules: %d of %d hooks each, held against the model of the token file\n ", n, inSchedule)
	names := []string{}
	for e := range ends {
		names = append(names, e)
	}
	slices.Sort(names)
	for _, e := range names {
		fmt.Printf(" %s ×%d,", e, ends[e])
	}
	fmt.Println()
}

// end names how an op ended, for the sum.
func (o *op) end() string {
	switch {
	case o.result.Signal != 0:
		return o.what + " killed"
	case strings.Contains(condition(o.result), "locked by another"):
		return o.what + " lock not got"
	}
	return fmt.Sprintf("%s %d", o.what, o.result.Code)
}

// perform plays the schedule with the given number.
func (b *bench) perform(number uint64) (*history, error) {
	rng := rand.New(rand.NewPCG(number, 6))
	s, err := newScene(&theKinds[loader], b.iso.Hooks)
	if err != nil {
		return nil, err
	}
	if number%2 == 1 {
		if s.root, err = rig.Constellation(s.root, rig.SizedContents(25_000)); err != nil {
			return nil, err
		}
	}
	h := &history{root: s.root}
	if h.pages, err = s.printed(); err != nil {
		return nil, err
	}
	// Seen through an open folder, since only this thread sees this /tmp.
	dir, err := os.OpenRoot(tokenDir)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	// Every other pair of schedules holds the payloads back until all hooks wait for
	// them: then they come to the file together.
	together := number%4 >= 2
	var group sync.WaitGroup
	var firstErr error
	var held []func()
	gone := false // a rule file is missing now
	for range inSchedule {
		o := &op{what: pick(rng), source: sources[rng.IntN(len(sources))], page: 1 + rng.IntN(pagesWired), kill: rng.IntN(10) == 0,
			at: fmt.Sprint("prompt-", rng.IntN(2))}
		if rng.IntN(6) == 0 {
			o.agent = fmt.Sprint("agent-", rng.IntN(3))
		}
		if number%3 == 0 && rng.IntN(8) == 0 {
			gone = !gone
			from, to := s.root+"/"+rig.Required[1], s.root+"/gone"
			if !gone {
				from, to = to, from
			}
			if err := os.Rename(from, to); err != nil {
				firstErr = err
				break
			}
		}
		h.ops = append(h.ops, o)
		o.from = len(standing(dir))
		p, release, err := s.begin(o, rng)
		if err != nil {
			firstErr = err
			break
		}
		held = append(held, release)
		at := time.Duration(rng.IntN(int(3 * typical)))
		group.Add(1)
		go func() {
			defer group.Done()
			if o.kill {
				time.Sleep(at)
				p.Signal(syscall.SIGKILL)
			}
			o.result, _ = p.Wait()
			o.seen = standing(dir)
			o.to = len(o.seen)
		}()
		if !together {
			release()
			time.Sleep(time.Duration(rng.IntN(int(typical / 4))))
		}
	}
	if together {
		for _, release := range held {
			release()
		}
	}
	group.Wait()
	h.final = standing(dir)
	return h, firstErr
}

// begin starts an op; release gives it its payload.
func (s *scene) begin(o *op, rng *rand.Rand) (*rig.Process, func(), error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	c := s.command(o, rng)
	c.In = r
	p, err := c.Start()
	if err != nil {
		w.Close()
		return nil, nil, err
	}
	return p, func() {
		w.Write(c.Stdin) // it fits the pipe
		w.Close()
	}, nil
}

// standing is the token file as it stands; "" is none.
func standing(dir *os.Root) string {
	b, err := dir.ReadFile(filepath.Base(tokenPath))
	if err != nil {
		return ""
	}
	return string(b)
}

func pick(rng *rand.Rand) string {
	return []string{"loader", "loader", "loader", "prompt", "prompt", "prompt", "call", "call", "call", "call", "start", "skill", "read", "compact"}[rng.IntN(14)]
}

// sources of a SessionStart; the rarer an event ends everything, the more the others show.
var sources = []string{"startup", "resume", "compact", "startup", "compact", "clear", "fork"}

// command is the hook call of an op.
func (s *scene) command(o *op, rng *rand.Rand) rig.Command {
	session := rig.Session{ID: sessionID, Cwd: s.root, Agent: o.agent, At: o.at}
	c := rig.Command{Path: filepath.Join(s.hooks, "hades-gate"), Dir: s.root, Limit: 2 * bound}
	switch o.what {
	case "loader", "prompt":
		c.Path = filepath.Join(s.hooks, "hades-session-load")
		c.Args = []string{fmt.Sprintf("%d/%d", o.page, pagesWired)}
		c.Stdin = session.SessionStart(o.source)
		if o.what == "prompt" {
			c.Stdin = session.Prompt("go on")
		}
	case "call":
		c.Stdin = session.Bash()
	case "start":
		c.Stdin = session.Prompt("/start")
	case "skill":
		c.Stdin = session.Skill("start")
	case "read":
		text, _ := os.ReadFile(s.root + "/" + rig.Required[2])
		c.Stdin = session.PostRead(s.root+"/"+rig.Required[2], string(text))
	case "compact":
		c.Stdin = session.PreCompact("auto")
	}
	return c
}

// printed is what each loader prints when it is alone; the token of it goes.
func (s *scene) printed() ([]string, error) {
	var pages []string
	for k := range pagesWired {
		res, err := s.command(&op{what: "loader", source: "startup", page: k + 1}, nil).Run()
		if err != nil {
			return nil, err
		}
		if res.Code != 0 {
			return nil, fmt.Errorf("page %d alone: exit %d: %s", k+1, res.Code, res.Stderr)
		}
		pages = append(pages, res.Stdout)
	}
	return pages, os.Remove(tokenPath)
}

// needed is how many of the wired pages the contents take.
func (h *history) needed() int {
	n := 0
	for _, p := range h.pages {
		if p != "" {
			n++
		}
	}
	return n
}

// states returns the state after each number of records, and where each record ends.
func (h *history) states() (all []*fold, ends []int, records [][5]string, err error) {
	now := newFold(h.root)
	all, ends = []*fold{now}, []int{0}
	at := 0
	for _, line := range strings.SplitAfter(h.final, "\n") {
		if line == "" {
			continue
		}
		at += len(line)
		r, err := fields(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, nil, nil, fmt.Errorf("line %d %w", len(records)+1, err)
		}
		now = now.clone()
		now.add(r)
		all, ends, records = append(all, now), append(ends, at), append(records, r)
	}
	return all, ends, records, nil
}

// check holds the history against the model.
func (h *history) check() error {
	all, ends, records, err := h.states()
	if err != nil {
		return fmt.Errorf("the file is corrupt: %w\n%s", err, h.final)
	}
	for n, o := range h.ops {
		if !strings.HasPrefix(h.final, o.seen) {
			return fmt.Errorf("after op %d (%s) the file lost or changed what stood", n, o.what)
		}
		if err := h.checkOp(o, all, ends); err != nil {
			return fmt.Errorf("op %d (%s %s %d at %s by %q, exit %d %v, %q): %w\n%s", n, o.what, o.source, o.page, o.at, o.agent, o.result.Code, o.result.Signal, condition(o.result), err, h.final)
		}
	}
	for i, r := range records {
		if err := h.checkRecord(r, all[i], ends[i], ends[i+1]); err != nil {
			return fmt.Errorf("record %d, %q: %w\n%s", i+1, r, err, h.final)
		}
	}
	return nil
}

// viewer is the agent that the op's call is of, as records name it.
func (o *op) viewer() string {
	if o.agent != "" {
		return o.agent
	}
	return "main@" + o.at
}

// to is to whom a load of the op goes: to the main agent at the root of a context, or at
// a prompt. A resume belongs to none.
func (o *op) goesTo() string {
	switch {
	case o.what == "prompt" || o.source == "compact":
		return "main@" + o.at
	case o.source == "resume" || o.source == "fork":
		return "main@"
	}
	return "main"
}

// checkOp: what a call said is true in a state that it can have seen.
func (h *history) checkOp(o *op, all []*fold, ends []int) error {
	if o.result.Signal != 0 {
		return nil
	}
	if o.result.Overran || o.result.Took > bound {
		return fmt.Errorf("took %v", o.result.Took)
	}
	sometimes := func(is func(*fold) bool) bool {
		for i, end := range ends {
			if o.from <= end && end <= o.to && is(all[i]) {
				return true
			}
		}
		return false
	}
	said := condition(o.result)
	failed := strings.Contains(said, "locked by another") || strings.Contains(said, "has ended meanwhile") || strings.Contains(said, "required files")
	whole := func(f *fold) bool { return f.acked(o.goesTo()) == [3]bool{true, true, true} }
	page := fmt.Sprintf("PAGE_%d_OF_%d ", o.page, h.needed())
	paged := func(f *fold) bool {
		for p := range f.pages {
			if strings.HasPrefix(p, page) && strings.HasSuffix(p, " "+o.goesTo()) {
				return true
			}
		}
		return false
	}
	ok := true
	switch {
	case o.result.Code != 0 && o.result.Code != 2:
		ok = false
	case o.agent != "" && (o.what == "loader" || o.what == "prompt" || o.what == "compact"):
		ok = o.result.Code == 0 && o.result.Stdout == "" // another agent's context
	case o.what == "call" && o.result.Code == 0:
		ok = sometimes(func(f *fold) bool { return f.open(o.viewer()) })
	case o.what == "call" && said == "BLOCKED":
		ok = sometimes(func(f *fold) bool { return !f.open(o.viewer()) && checklist(o.result.Stderr, f, o.viewer()) })
	case o.what == "prompt" && o.result.Code == 0 && o.result.Stdout == "":
		ok = true // nothing to bring, no such page, or another speaks for all
	case o.what == "prompt" && o.result.Code == 0 && o.result.Stdout == h.pages[o.page-1]:
		ok = o.page > 1 || sometimes(func(f *fold) bool { return whole(f) || paged(f) }) // page 1 says it where it failed
	case o.what == "prompt":
		ok = o.result.Code == 0 && o.page == 1 && failed
	case o.result.Code == 2:
		ok = failed
	case o.what == "loader" && o.page > h.needed():
		ok = o.result.Stdout == ""
	case o.what == "loader":
		ok = o.result.Stdout == h.pages[o.page-1] && sometimes(func(f *fold) bool { return whole(f) || paged(f) })
	case o.what == "start":
		ok = strings.Contains(o.result.Stdout, "not recorded") && failed || sometimes(func(f *fold) bool { return f.started })
	case o.what == "skill":
		ok = sometimes(func(f *fold) bool { return f.started })
	case o.what == "compact":
		ok = sometimes(func(f *fold) bool { return f.rooted == [3]bool{} && len(f.marks)+len(f.pages) == 0 })
	}
	if !ok {
		return fmt.Errorf("no state between byte %d and %d explains it", o.from, o.to)
	}
	return nil
}

// checklist tells whether the block message shows the state.
func checklist(message string, f *fold, viewer string) bool {
	acked := f.acked(viewer)
	for i, marker := range append(slices.Clone(rig.Markers[:]), "START_ACK") {
		set := f.started
		if i < 3 {
			set = acked[i]
		}
		if strings.Contains(message, "[x] "+marker) != set {
			return false
		}
	}
	return true
}

// checkRecord: a record is news, and belongs to a call that was at work and, for a load, delivered.
func (h *history) checkRecord(r [5]string, before *fold, from, to int) error {
	marker, tool, agent, path := r[1], r[2], r[3], r[4]
	i := slices.Index(rig.Markers[:], marker)
	whole := 0 // pages of the same load
	for p := range before.pages {
		if strings.HasSuffix(p, " "+agent) {
			whole++
		}
	}
	switch {
	case marker == "START_ACK" && before.started, i >= 0 && before.acked(agent)[i] && agent != "main", i >= 0 && agent == "main" && before.rooted[i],
		before.pages[marker+" "+path+" "+agent]:
		return fmt.Errorf("it stood already")
	case i >= 0 && tool != "Read" && h.needed() > 1 && whole < h.needed():
		return fmt.Errorf("a marker of a load of which %d of %d pages went out", whole, h.needed())
	}
	for _, o := range h.ops {
		if o.from <= from && o.to >= to && h.mayWrite(o, r) {
			return nil
		}
	}
	return fmt.Errorf("no call that was at work can have written it")
}

// ended is the marker that each source of a SessionStart stands for.
var ended = map[string]string{"startup": "CONTEXT_NEW", "clear": "CONTEXT_NEW", "resume": "CONTEXT_RESUMED", "fork": "CONTEXT_RESUMED", "compact": "LOAD_VOID"}

// mayWrite tells whether the op is one that writes such a record.
func (h *history) mayWrite(o *op, r [5]string) bool {
	marker, tool, agent, path := r[1], r[2], r[3], r[4]
	earns := o.agent == "" && agent == o.goesTo() && o.page <= h.needed() && o.result.Stdout == h.pages[o.page-1] &&
		(!strings.HasPrefix(marker, "PAGE_") || marker == fmt.Sprintf("PAGE_%d_OF_%d", o.page, h.needed()))
	switch {
	case tool == "SessionStart" && marker == ended[o.source] && o.what == "loader": // it ran, or failed
		ran := strings.HasPrefix(path, fmt.Sprintf("%d/%d ", o.page, pagesWired))
		return o.agent == "" && agent == o.goesTo() && (ran || path == "" && (o.result.Code == 2 || o.result.Signal != 0))
	case tool == "SessionStart":
		return o.what == "loader" && earns
	case tool == "UserPromptSubmit" && marker != "START_ACK":
		return o.what == "prompt" && earns
	case tool == "UserPromptSubmit":
		return o.what == "start" && agent == cmp.Or(o.agent, "main")
	case tool == "Skill":
		return o.what == "skill" && agent == cmp.Or(o.agent, "main")
	case tool == "Read":
		return o.what == "read" && o.agent == "" && agent == o.viewer()
	}
	return o.what == "compact" && o.agent == "" && tool == "PreCompact" && marker == "LOAD_VOID" && path == ""
}
