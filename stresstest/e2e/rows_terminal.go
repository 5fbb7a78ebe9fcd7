package main

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// Rows in the terminal, where most sessions are held. A screen is only waited for:
// what counts is what the model was sent and what lies on disk.
var terminalRows = onTerminal([]Row{
	{Name: "terminal: trust refused and given", Play: terminalTrust},
	{Name: "terminal: first start, block, /start", Play: terminalStart},
	{Name: "terminal: /start in each form", Play: terminalForms},
	{Name: "terminal: /start while the model speaks, and withdrawn", Play: terminalHeld},
	{Name: "terminal: !command and @file", Play: terminalBang},
	{Name: "terminal: /clear", Play: terminalClear},
	{Name: "terminal: /compact, cancelled and not", Play: terminalCompact},
	{Name: "terminal: /resume, --continue, --resume, /branch", Play: terminalResume},
	{Name: "terminal: /cd and /add-dir", Play: terminalCd, Since: "2.1.200", Why: "no /cd"},
	{Name: "terminal: --worktree", Play: terminalWorktree},
	{Name: "terminal: Esc during a hook", Play: func(r *Run) { terminalInterrupted(r, "Escape") }},
	{Name: "terminal: Ctrl+C during a hook", Play: func(r *Run) { terminalInterrupted(r, "C-c") }},
	{Name: "terminal: Ctrl+Z", Play: terminalSuspended},
	{Name: "terminal: settings that change meanwhile", Play: terminalLive},
})

// onTerminal says since when the client's screen is driven.
func onTerminal(rows []Row) []Row {
	for i := range rows {
		if rows[i].Since == "" {
			rows[i].Since, rows[i].Why = "2.1.118", "its screen is not driven"
		}
	}
	return rows
}

func terminalTrust(r *Run) {
	w := r.World("w")
	w.Seed(r.Wiring())
	args := w.run.client.Command(bypass...).Args
	t := w.terminal(w.Root, args...)
	t.Choose("No")
	t.wait("the end of the client", t.pane.dead)
	_, err := os.Stat(w.moirai())
	r.Check("refused: the client ends, and no hook has run", os.IsNotExist(err) && w.ID() == "" && len(t.Model.Requests()) == 0, err)
	r.must(t.End(turnLimit))

	t = w.terminal(w.Root, args...)
	t.Choose("Yes")
	t.Ready()
	x := t.Prompt("go", w.Bash("a"))
	r.Check("given: loaded, and blocked until /start", delivered(x.Requests[0]) == r.contents() && blocked(x.Results[0], w.ID()) && !w.Ran("a"), x.Results)
	t.Prompt("/start", w.Bash("b"))
	r.Check("/start opens", w.Ran("b"), w.Token(w.ID()))
}

func terminalStart(r *Run) {
	w := r.World("w")
	w.Seed(r.Wiring(), w.Root)
	t := w.Terminal(w.Root)
	x := t.Prompt("go", w.Bash("a"))
	id := w.ID()
	r.Check("the rules are in the first request, byte for byte", delivered(x.Requests[0]) == r.contents(), banners(x.Requests[0]))
	r.Check("Bash is blocked, and did not run", blocked(x.Results[0], id) && !w.Ran("a"), x.Results)
	t.Prompt("/start", w.Bash("b"))
	r.Check("/start opens", w.Ran("b") && w.Markers(id) == loaded+" START_ACK", w.Token(id))
}

// command is the file of the constellation's own /start.
func (w *World) command() string { return w.Root + "/.claude/commands/start.md" }

func terminalForms(r *Run) {
	w := r.World("w")
	w.Seed(r.Wiring(), w.Root)
	t := w.Terminal(w.Root)
	for i, x := range []struct {
		name    string
		command bool // in every version
		enter   func()
	}{
		{"pasted", true, func() { t.Paste("/start"); t.Enter("/start") }},
		{"with blanks around it", false, func() { t.Submit("  /start  ") }},
		{"with words behind it", true, func() { t.Submit("/start the day") }},
		{"taken from the menu", true, func() {
			t.Type("/star")
			t.Until(`(?m)^ *(❯ )?/start `)
			t.Press("Tab")
			t.wait("/start in the input line", func() bool { now, _ := input(t.Screen()); return strings.HasPrefix(now, "/start") })
			now, _ := input(t.Screen())
			t.Enter(now)
		}},
		{"/war-room-start", true, func() { t.Submit("/war-room-start") }},
	} {
		if i > 0 {
			t.Clear()
		}
		effect := fmt.Sprint("form", i)
		y := t.turn(x.enter, w.Bash(effect))
		open := w.Markers(w.ID()) == loaded+" START_ACK" && w.Ran(effect)
		if x.command || strings.Contains(y.Requests[0].Text(), startTag) {
			r.Check(x.name+": it opens", open, w.Token(w.ID()))
		} else {
			r.Check(x.name+": the client takes it for talk, and so do we", !open && blocked(y.Results[0], w.ID()), w.Token(w.ID()))
		}
	}

	w = r.World("skill")
	w.Seed(r.Wiring(), w.Root)
	r.must(os.Remove(w.command()))
	w.write(w.Root+"/.claude/skills/start/SKILL.md", "---\nname: start\ndescription: starts\n---\nSay start.\n")
	t = w.Terminal(w.Root)
	t.Prompt("/start", w.Bash("a"))
	r.Check("a skill of that name: it opens", w.Markers(w.ID()) == loaded+" START_ACK" && w.Ran("a"), w.Token(w.ID()))

	w = r.World("none")
	w.Seed(r.Wiring(), w.Root)
	r.must(os.Remove(w.command()))
	r.must(os.Remove(w.Root + "/.claude/commands/war-room-start.md")) // Enter takes what the menu finds nearest: older clients find /clear
	t = w.Terminal(w.Root)
	t.Submit("/start")
	if r.client.Since("2.1.332") {
		t.Until("Unknown command")
	}
	t.wait("the input line", t.idle)
	x := t.Prompt("go", w.Bash("a"))
	r.Check("where nothing is named start, nothing opens", w.Markers(w.ID()) == loaded && blocked(x.Results[0], w.ID()) && !w.Ran("a"), w.Token(w.ID()))
}

// asked waits until the main agent's next request has come.
func (t *Terminal) asked(before int) {
	t.wait("a request", func() bool { return len(t.Model.Turn(before).Requests) > 0 })
}

func terminalHeld(r *Run) {
	w := r.World("w")
	w.Seed(r.Wiring(), w.Root)
	t := w.Terminal(w.Root)
	release := t.Model.Hold()
	defer release()
	before, ends := len(t.Model.Requests()), t.Model.Ends()
	t.Submit("speak")
	t.asked(before)
	t.Submit("/start")
	r.Check("typed while the model speaks it waits: nothing is recorded", w.Markers(w.ID()) == loaded, w.Token(w.ID()))
	t.Model.Script()
	release()
	t.await(before, ends+1)
	t.Prompt("go", w.Bash("a"))
	r.Check("its turn comes, and it opens", w.Markers(w.ID()) == loaded+" START_ACK" && w.Ran("a"), w.Token(w.ID()))

	w = r.World("esc")
	w.Seed(r.Wiring(), w.Root)
	t = w.Terminal(w.Root)
	release = t.Model.Hold()
	defer release()
	before = len(t.Model.Requests())
	t.Submit("/start")
	t.asked(before)
	t.Press("Escape")
	t.wait("the input line", t.idle)
	release()
	t.clear()
	x := t.Prompt("go", w.Bash("a"))
	r.Check("withdrawn by Esc before the model answers, it counts: it was typed", w.Markers(w.ID()) == loaded+" START_ACK" && w.Ran("a"), w.Token(w.ID()))
	r.Check("and the rules are in the context", delivered(x.Requests[0]) == r.contents(), banners(x.Requests[0]))
}

func terminalBang(r *Run) {
	w := r.World("w")
	w.Seed(r.Wiring(), w.Root)
	r.must(os.Rename(w.hooks()+"/hades-session-load", w.hooks()+"/gone"))
	t := w.Terminal(w.Root)
	own := w.effects + "/own"
	before, ends := len(t.Model.Requests()), t.Model.Ends()
	t.Model.Script(w.Bash("a"))
	t.shellMode()
	t.Submit("echo ran > " + own)
	t.wait("the operator's own command", func() bool { return w.Ran("own") })
	if r.client.Since("2.1.200") { // older ones do not tell the model
		x := t.await(before, ends)
		r.Check("a command of the operator's own runs; the call that the model makes of it is blocked", len(x.Results) == 1 && x.Results[0].IsError && !w.Ran("a"), x.Results)
	}
	t.wait("the input line", t.idle)
	x := t.Prompt("read @CONTEXT.md now", w.Bash("b"))
	r.Check("a file named with @ comes by no tool", strings.Contains(x.Requests[0].Text(), "No newline at the end of this file"))
	r.Check("and marks nothing: Bash is blocked", w.Markers(w.ID()) == "" && x.Results[0].IsError && !w.Ran("b"), w.Token(w.ID()))
}

func terminalClear(r *Run) {
	w := r.World("w")
	w.Seed(r.Wiring(), w.Root)
	t := w.Terminal(w.Root)
	t.Prompt("/start", w.Bash("a"))
	first := w.ID()
	t.Clear()
	x := t.Prompt("on", w.Bash("b"))
	r.Check("a new id, loaded but not started: blocked", w.Ran("a") && w.ID() != first && w.Markers(w.ID()) == loaded && blocked(x.Results[0], w.ID()) && !w.Ran("b"), w.Token(w.ID()))
	r.Check("with the rules in the new context", delivered(x.Requests[0]) == r.contents(), banners(x.Requests[0]))
	t.Prompt("/start", w.Bash("c"))
	r.Check("until its own /start", w.Ran("c"), w.Token(w.ID()))
}

func terminalCompact(r *Run) {
	w := r.World("w")
	w.Seed(r.Wiring(), w.Root)
	t := w.Terminal(w.Root)
	t.Prompt("/start", w.Bash("a"))
	t.Prompt("two")
	release := t.Model.Hold()
	defer release()
	t.Submit("/compact")
	t.wait("the summary to be asked for", func() bool { return t.Model.Summaries() > 0 })
	t.Press("Escape")
	t.wait("the input line", t.idle)
	release()
	t.clear()
	x := t.Prompt("on", w.Bash("b"))
	r.Check("cancelled: void, and the next prompt brings the rules again", strings.Contains(w.Markers(w.ID()), " LOAD_VOID ") && delivered(x.Requests[0]) == r.contents() && w.Ran("b"), w.Token(w.ID()))
	t.Compact()
	x = t.Prompt("on", w.Bash("c"))
	r.Check("not cancelled: the rules are in the new context", delivered(x.Requests[0]) == r.contents() && strings.Contains(x.Requests[0].Text(), "scripted summary"), banners(x.Requests[0]))
	r.Check("and Bash runs without a second /start", w.Ran("c"), w.Token(w.ID()))
}

func terminalResume(r *Run) {
	w := r.World("w")
	w.Seed(r.Wiring(), w.Root)
	t := w.Terminal(w.Root)
	t.Prompt("/start", w.Bash("a"))
	first := w.ID()
	t.Leave()
	for i, args := range [][]string{{"--continue"}, {"--resume", first}} {
		t = w.Terminal(w.Root, args...)
		x := t.Prompt("on", w.Bash(fmt.Sprint("r", i)))
		r.Check(args[0]+": the same id, the rules, no second /start", w.ID() == first && w.Ran(fmt.Sprint("r", i)) && strings.Contains(x.Requests[0].Text(), r.contents()[0]), w.ID(), w.Token(first))
		if i == 0 {
			t.Leave()
		}
	}
	t.Clear()
	second := w.ID()
	x := t.Prompt("on", w.Bash("b"))
	r.Check("/clear: another id, blocked", second != first && blocked(x.Results[0], second) && !w.Ran("b"), w.Token(second))
	t.Submit("/resume " + first)
	t.wait("the first session", func() bool { return w.ID() == first })
	t.wait("the input line", t.idle)
	x = t.Prompt("on", w.Bash("c"))
	r.Check("/resume: the first id again, with its rules, open", w.ID() == first && w.Ran("c") && strings.Contains(x.Requests[0].Text(), r.contents()[0]), w.Token(first))
	t.Submit("/branch")
	t.Until("(?i)branched|forked")
	t.wait("the input line", t.idle)
	x = t.Prompt("on", w.Bash("d"))
	r.Check("/branch: another id, not started, blocked", w.ID() != first && blocked(x.Results[0], w.ID()) && !w.Ran("d"), w.ID(), w.Token(w.ID()))
}

func terminalCd(r *Run) {
	w := r.World("w")
	w.Seed(r.Wiring(), w.Root, w.Outside)
	t := w.Terminal(w.Outside)
	t.Prompt("go", w.Bash("outside"))
	r.Check("elsewhere Bash runs", w.Ran("outside"))
	t.Submit("/cd " + w.Root)
	t.wait("the input line", t.idle)
	x := t.Prompt("go", w.Bash("a"))
	r.Check("after /cd it is blocked", blocked(x.Results[0], w.ID()) && !w.Ran("a"), x.Results)
	r.Check("the prompt has brought the rules, and START_ACK alone is missing", delivered(x.Requests[0]) == r.contents() && strings.Contains(x.Results[0].Text, "[x] CONTEXT_ACK") && !strings.Contains(w.Token(w.ID()), "START_ACK"), w.Token(w.ID()))
	id := w.ID()
	t.Leave()
	t = w.Terminal(w.Root, "--resume", id)
	t.Prompt("/start", w.Bash("resumed"))
	r.Check("resumed inside the constellation, where its /start is known, it opens", w.ID() == id && w.Ran("resumed"), w.Token(id))

	t = w.Terminal(w.Root)
	t.Submit("/add-dir " + w.Outside)
	t.Until("Enter to confirm")
	for end := time.Now().Add(screenLimit); time.Now().Before(end) && strings.Contains(t.Screen(), "Enter to confirm"); time.Sleep(look) {
		t.Press("Enter")
	}
	t.wait("the input line", t.idle)
	x = t.Prompt("go", w.Bash("b"), Step{{Name: "Read", Input: map[string]any{"file_path": w.Outside + "/x"}}})
	r.Check("a folder that is added opens nothing", blocked(x.Results[0], w.ID()) && blocked(x.Results[1], w.ID()) && !w.Ran("b"), x.Results)
}

func terminalWorktree(r *Run) {
	w := r.World("w")
	w.Seed(r.Wiring(), w.Root)
	w.git()
	t := w.Terminal(w.Root, "--worktree", "wt")
	x := t.Prompt("go", w.Bash("a"))
	r.Check("loaded from the constellation, and blocked", w.Markers(w.ID()) == loaded && delivered(x.Requests[0]) == r.contents() && blocked(x.Results[0], w.ID()) && !w.Ran("a"), w.Token(w.ID()))
	t.Prompt("/start", w.Bash("b"))
	r.Check("/start opens", w.Ran("b"), w.Token(w.ID()))
}

// slow is a hook that has begun when its file is there, and ends when release is called.
func (w *World) slow(name string) (hook map[string]any, begun func() bool, release func()) {
	at, held := w.Dir+"/"+name+"-begun", w.Dir+"/"+name+"-held"
	w.write(held, "")
	return command("cat >/dev/null; touch " + at + "; while [ -e " + held + " ]; do sleep 0.1; done"),
		func() bool { _, err := os.Stat(at); return err == nil },
		func() { os.Remove(held) }
}

// terminalInterrupted presses a key while a hook beside ours is running: whatever the client
// makes of it, no call runs without all markers, and none without the rules in the context.
func terminalInterrupted(r *Run, key string) {
	for _, x := range []struct {
		event   string
		matcher string
		started bool // before the hook is met
		prompt  string
		steps   func(w *World) []Step
	}{
		{"SessionStart", "", false, "go", func(w *World) []Step { return []Step{w.Bash("held")} }},
		{"UserPromptSubmit", "", false, "/start", func(w *World) []Step { return []Step{w.Bash("held")} }},
		{"PreToolUse", "Bash", true, "go", func(w *World) []Step { return []Step{w.Bash("held")} }},
		{"PostToolUse", "Read", true, "go", func(w *World) []Step { return []Step{w.ReadRequired(), w.Bash("held")} }},
	} {
		w := r.World(x.event)
		hook, begun, release := w.slow(x.event)
		if x.event != "SessionStart" {
			release()
		}
		w.Seed(r.Wiring().Add(x.event, entry(x.matcher, hook)), w.Root)
		t := w.Terminal(w.Root)
		if x.started {
			t.Prompt("/start", w.Bash("a"), Step{w.Read("CONTEXT.md")})
			r.must(os.RemoveAll(w.Dir + "/" + x.event + "-begun"))
		}
		w.write(w.Dir+"/"+x.event+"-held", "")
		t.Model.Script(x.steps(w)...)
		t.Submit(x.prompt)
		t.wait("the hook", begun)
		t.Press(key)
		t.wait("the input line", t.idle)
		release()
		t.clear()
		r.Check(x.event+": the call that was cut off has not run", !w.Ran("held"), w.Token(w.ID()))
		y := t.Prompt("on", w.Bash("b"))
		last := y.Requests[len(y.Requests)-1]
		whole := delivered(last) == r.contents()
		open := strings.Contains(w.Markers(w.ID()), "START_ACK") && strings.Contains(w.Markers(w.ID()), loaded)
		r.Check(x.event+": the next one runs only with all markers, and with the rules in the context", w.Ran("b") == open && (whole || !w.Ran("b")),
			fmt.Sprintf("rules in the context: %v, Bash ran: %v", whole, w.Ran("b")), w.Token(w.ID()), banners(last))
		w.close()
	}
}

func terminalSuspended(r *Run) {
	w := r.World("w")
	w.Seed(r.Wiring(), w.Root)
	t := w.terminal(w.Root, "/bin/bash", "--norc", "--noprofile", "-i")
	t.Until(`[$#]\s*$`)
	r.must(t.pane.text(strings.Join(w.run.client.Command(bypass...).Args, " ")))
	t.Press("Enter")
	t.Ready()
	t.Prompt("/start", w.Bash("a"))
	t.Press("C-z")
	t.Until("(?i)fg")
	r.must(t.pane.text("fg"))
	t.Press("Enter")
	t.wait("the input line", t.idle)
	x := t.Prompt("on", w.Bash("b"))
	r.Check("suspended and back, it is the same session, with its rules", w.Ran("a") && w.Ran("b") && delivered(x.Requests[0]) == r.contents(), w.Token(w.ID()))
}

func terminalLive(r *Run) {
	w := r.World("w")
	w.Seed(Settings{}, w.Root)
	t := w.Terminal(w.Root)
	t.Prompt("go", w.Bash("a"))
	r.Check("with nothing wired, Bash runs", w.Ran("a"))
	w.Seed(r.Wiring(), w.Root)
	var x *Turn
	for i, end := 0, time.Now().Add(turnLimit); time.Now().Before(end); i++ {
		if x = t.Prompt("go", w.Bash(fmt.Sprint("try", i))); x.Results[0].IsError {
			break
		}
	}
	r.Check("wired while the session runs, Bash becomes blocked", blocked(x.Results[0], w.ID()), x.Results)
	t.Prompt("read", w.ReadRequired())
	t.Prompt("/start", w.Bash("b"))
	r.Check("it gets out by three Reads and /start", w.Ran("b"), w.Token(w.ID()))
}
