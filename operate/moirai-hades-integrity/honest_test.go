package main_test

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"moirai/moiraicore"
	"moirai/operate/trial"
	"moirai/stresstest/rig"
)

// world is where honest sessions are played: two constellations, the files of
// the first in several sizes over time.
type world struct {
	*trial.Trial
	random *rand.Rand
	roots  [2]string
}

// player is one session in it. Any step may come at any time, as in life.
type player struct {
	rig.Session
	w       *world
	prompts int
}

// steps are what happens to sessions: all through the built hooks.
var steps = []struct {
	name string
	play func(p *player)
}{
	{"start of a session", func(p *player) { p.load("startup", 1, 2, 3, 4) }},
	{"a session of no source", func(p *player) { p.load("", 1, 2, 3, 4) }},
	{"clear", func(p *player) { p.load("clear", 2, 4, 3, 1) }},
	{"resume", func(p *player) { p.load("resume", 4, 3, 2, 1) }},
	{"resume, and the load fails", func(p *player) { p.failing(func() { p.load("resume", 4, 3, 2, 1) }) }},
	{"fork", func(p *player) { p.load("fork", 1, 3, 2, 4) }},
	{"start with eight wired", func(p *player) { p.deliver(p.SessionStart("startup"), 8, 8, 7, 6, 5, 4, 3, 2, 1) }},
	{"pages missing", func(p *player) { p.load("startup", p.w.random.Intn(4)+1) }},
	{"a loader killed", func(p *player) {
		c := p.command("hades-session-load", p.SessionStart("startup"), "1/4")
		running, err := c.Start()
		p.w.Must(err)
		p.w.Must(running.Signal(syscall.SIGKILL))
		_, err = running.Wait()
		p.w.Must(err)
	}},
	{"compaction", func(p *player) {
		p.gate(p.PreCompact("auto"))
		p.load("compact", 2, 1, 3, 4)
	}},
	{"compaction, and the load fails", func(p *player) {
		p.gate(p.PreCompact("manual"))
		p.failing(func() { p.load("compact", 1, 2, 3, 4) })
	}},
	{"compaction that nobody announced", func(p *player) { p.load("compact", 1, 2, 3, 4) }},
	{"compaction of a subagent", func(p *player) {
		p.subagent().gate(p.subagent().PreCompact("auto"))
		p.subagent().load("compact", 1, 2, 3, 4)
	}},
	{"/start", func(p *player) { p.prompt("/start", 1, 2, 3, 4) }},
	{"/war-room-start by expansion", func(p *player) {
		p.prompt("<command-message>x</command-message> <command-name>/war-room-start</command-name>", 4, 3, 2, 1)
	}},
	{"a prompt", func(p *player) { p.prompt("go on, and type /start", 2, 1, 4, 3) }},
	{"the same prompt, submitted again", func(p *player) { p.deliver(p.Prompt("go on"), 4, 1, 2, 3, 4) }},
	{"a prompt, and pages missing", func(p *player) { p.prompt("go on", p.w.random.Intn(4)+1) }},
	{"a prompt, and the load fails", func(p *player) { p.failing(func() { p.prompt("go on", 1, 2, 3, 4) }) }},
	{"a night, and a call", func(p *player) {
		night := time.Now().Add(-13 * time.Hour)
		os.Chtimes(moiraicore.TokenPath(p.ID), night, night)
		p.gate(p.Bash())
	}},
	{"Skill start", func(p *player) { p.gate(p.Skill("start")) }},
	{"Skill start by a subagent", func(p *player) { p.subagent().gate(p.subagent().Skill("start")) }},
	{"required Reads", func(p *player) {
		for _, name := range rig.Required {
			p.read(filepath.Join(p.Cwd, name))
		}
	}},
	{"one required Read", func(p *player) { p.read(filepath.Join(p.Cwd, rig.Required[p.w.random.Intn(3)])) }},
	{"a required Read by a subagent", func(p *player) { p.subagent().read(filepath.Join(p.Cwd, rig.Required[1])) }},
	{"a gated call", func(p *player) { p.gate(p.Bash()) }},
	{"a gated call by a subagent", func(p *player) { p.subagent().gate(p.subagent().Bash()) }},
	{"cd into the other constellation", func(p *player) { p.Cwd = p.w.roots[p.w.random.Intn(2)] }},
	{"cd out and compaction there", func(p *player) {
		out := *p
		out.Cwd = p.w.Home
		out.gate(out.PreCompact("auto"))
	}},
	{"cd out and clear there", func(p *player) {
		out := *p
		out.Cwd = p.w.Home
		out.load("clear", 1, 2, 3, 4)
	}},
}

func (p *player) command(program string, payload []byte, args ...string) rig.Command {
	return p.w.Command(rig.Command{Path: installed(p.w.Trial, program), Args: args, Stdin: payload})
}

func (p *player) run(program string, payload []byte, args ...string) {
	p.w.Helper()
	res, err := p.command(program, payload, args...).Run()
	if err != nil || res.Code != 0 && res.Code != 2 {
		p.w.Errorf("%s: %v, exit %d: %s", program, err, res.Code, res.Stderr)
	}
}

func (p *player) gate(payload []byte) { p.run("hades-gate", payload) }

func (p *player) load(source string, pages ...int) { p.deliver(p.SessionStart(source), 4, pages...) }

// deliver runs some of so many wired loaders at once, as the client does.
func (p *player) deliver(payload []byte, wired int, pages ...int) {
	var group sync.WaitGroup
	for _, k := range pages {
		group.Go(func() { p.run("hades-session-load", payload, fmt.Sprintf("%d/%d", k, wired)) })
	}
	group.Wait()
}

// prompt submits the next prompt, for which the client runs the gate and the loaders at
// once.
func (p *player) prompt(text string, pages ...int) {
	p.prompts++
	p.At = fmt.Sprint("prompt-", p.prompts)
	var group sync.WaitGroup
	group.Go(func() { p.gate(p.Prompt(text)) })
	group.Go(func() { p.deliver(p.Prompt(text), 4, pages...) })
	group.Wait()
}

// failing does something while a required file is away.
func (p *player) failing(do func()) {
	path := filepath.Join(p.Cwd, rig.Required[0])
	p.w.Must(os.Rename(path, path+".away"))
	do()
	p.w.Must(os.Rename(path+".away", path))
}

func (p *player) read(path string) {
	content, err := os.ReadFile(path)
	p.w.Must(err)
	p.gate(p.Read(path))
	p.gate(p.PostRead(path, string(content)))
}

func (p *player) subagent() *player {
	sub := *p
	sub.Agent = "agent-7"
	return &sub
}

// TestHonest: whatever honest sessions do, in any order, the probe never sees an
// orphan, nor anything else. After each round it looks at all of them.
func TestHonest(t *testing.T) {
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	w := &world{Trial: trial.New(t), random: rand.New(rand.NewSource(seed))}
	w.Wire()
	w.roots = [2]string{w.Root, filepath.Join(w.Home, "Constellation-Hades")}
	_, err := rig.Constellation(w.roots[1], rig.SizedContents(36_000))
	w.Must(err)
	ago := time.Now().Add(-time.Minute) // so that the probe holds all to what our hooks write
	w.Must(os.Chtimes(installed(w.Trial, "INSTALLED"), ago, ago))
	const sessions, rounds = 24, 12
	var players []*player
	for i := range sessions {
		client := rig.Clients[i%len(rig.Clients)]
		players = append(players, &player{Session: rig.Session{ID: fmt.Sprint("session-", i), Cwd: w.roots[i%2], Client: client}, w: w})
		if i%6 == 5 { // it began under the bash version
			token(w.Trial, players[i].ID, replaceAll(sound, "@", "@36")...)
		}
	}
	played := map[string][]string{}
	for round := range rounds {
		for _, p := range players {
			// Every session begins as one does, or as one that came by cd.
			step := steps[w.random.Intn(len(steps))]
			if round == 0 && w.random.Intn(3) > 0 {
				step = steps[0]
			}
			played[p.ID] = append(played[p.ID], step.name)
			step.play(p)
		}
		// What has to do with the files of the first constellation comes in
		// another second than the loads before it, as in life.
		time.Sleep(time.Until(time.Unix(time.Now().Unix()+1, 0)))
		size := []int{300, 15_000, 25_000, 36_000}[w.random.Intn(4)]
		_, err := rig.Constellation(w.Root, rig.SizedContents(size))
		w.Must(err)
		if res := probe(w.Trial); res.Code != 0 {
			t.Fatalf("after round %d: exit %d\n%s%s\nplayed: %v\n%s", round, res.Code, res.Stdout, res.Stderr, played, tokens(w))
		}
	}
}

func tokens(w *world) (all string) {
	files, err := filepath.Glob(moiraicore.TokenPath("*"))
	w.Must(err)
	for _, f := range files {
		text, _ := os.ReadFile(f)
		all += f + "\n" + string(text)
	}
	return all
}
