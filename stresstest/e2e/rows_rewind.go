package main

import (
	"fmt"
	"os"
	"strings"

	"moirai/stresstest/rig"
)

// Rows about going back: /rewind and Esc Esc cut the talk off and fire no event. Wherever
// they cut, no call may run without the rules in the request that led to it.
var rewindRows = onTerminal([]Row{
	{Name: "terminal: rewind behind a load of startup or clear", Play: rewindRooted},
	{Name: "terminal: rewind after Summarize up to here", Play: rewindSummarized, Since: "2.1.200", Why: "no Summarize up to here"},
	{Name: "terminal: rewind before the load of a session that was continued", Play: rewindContinued},
	{Name: "terminal: rewind before Reads", Play: rewindReads},
	{Name: "terminal: rewind before Reads in a session that entered by cd", Play: rewindEntered},
	{Name: "terminal: rewind, then a !command", Play: rewindBang, Since: "2.1.332", Why: "a !command has no prompt_id of its own"},
})

const (
	restore = "Restore conversation"
	sumFrom = "Summarize from here"
	sumUpTo = "Summarize up to here"
)

// ruled checks the promise on one turn: a call that ran had the whole of the rules in its
// request, in a page or in Reads.
func (r *Run) ruled(claim string, w *World, effect string, t *Turn) {
	whole := true
	text := t.Requests[len(t.Requests)-1].Text()
	for _, c := range r.contents() {
		for _, line := range strings.Split(c, "\n") {
			whole = whole && strings.Contains(text, strings.TrimSuffix(line, "\r"))
		}
	}
	r.Check(claim+": Bash ran with the rules in the context, or it was blocked", whole || !w.Ran(effect),
		fmt.Sprintf("rules in the context: %v, Bash ran: %v", whole, w.Ran(effect)), w.Token(w.ID()))
}

func rewindRooted(r *Run) {
	w := r.World("w")
	w.Seed(r.Wiring(), w.Root)
	t := w.Terminal(w.Root)
	t.Prompt("/start", w.Bash("a"))
	t.Prompt("second")
	t.Rewind("/start", restore)
	x := t.Prompt("on", w.Bash("b"))
	r.Check("a load of startup stays, before the first prompt: Bash runs with the rules", w.Ran("b") && delivered(x.Requests[0]) == r.contents(), banners(x.Requests[0]))
	t.Clear()
	t.Prompt("/start", w.Bash("c"))
	t.Prompt("second")
	t.Rewind("/start", restore)
	x = t.Prompt("on", w.Bash("d"))
	r.Check("a load of clear likewise", w.Ran("c") && w.Ran("d") && delivered(x.Requests[0]) == r.contents(), banners(x.Requests[0]))
}

// Summarize is a compaction: its load comes behind the prompts that it keeps.
func rewindSummarized(r *Run) {
	w := r.World("w")
	w.Seed(r.Wiring(), w.Root)
	t := w.Terminal(w.Root)
	t.Prompt("/start", w.Bash("a"))
	t.Prompt("second")
	t.Prompt("third")
	starts := len(recorded(w.events()))
	t.Rewind("second", sumUpTo)
	t.compacted(starts)
	x := t.Prompt("fourth", w.Bash("b"))
	r.Check("after Summarize up to here the rules are there, and Bash runs", w.Ran("b") && strings.Contains(x.Requests[0].Text(), r.contents()[0]), banners(x.Requests[0]))
	t.Rewind("third", restore)
	x = t.Prompt("on", w.Bash("c"))
	r.ruled("back to what it kept", w, "c", x)
	x = t.Prompt("on again", w.Bash("d"))
	r.ruled("with the prompt after", w, "d", x)
	starts = len(recorded(w.events()))
	t.Rewind("on again", sumFrom)
	t.compacted(starts)
	x = t.Prompt("fifth", w.Bash("e"))
	r.ruled("Summarize from here", w, "e", x)
	t.Rewind("on", restore)
	x = t.Prompt("sixth", w.Bash("f"))
	r.ruled("back from there", w, "f", x)
}

// unloaded starts a session whose load fails, and mends the constellation.
func (w *World) unloaded(dir string) *Terminal {
	context := w.Root + "/CONTEXT.md"
	w.run.must(os.Rename(context, context+".gone"))
	t := w.Terminal(dir)
	t.Prompt("first")
	w.run.must(os.Rename(context+".gone", context))
	return t
}

func rewindContinued(r *Run) {
	w := r.World("w")
	w.Seed(r.Wiring(), w.Root)
	t := w.unloaded(w.Root)
	t.Prompt("second")
	t.Leave()
	t = w.Terminal(w.Root, "--continue")
	x := t.Prompt("/start", w.Bash("a"))
	r.Check("loaded by the resume: /start opens", w.Ran("a") && delivered(x.Requests[0]) != rig.Contents{}, w.Token(w.ID()))
	t.Rewind("second", restore)
	x = t.Prompt("on", w.Bash("b"))
	r.ruled("back before the load", w, "b", x)
	x = t.Prompt("on again", w.Bash("c"))
	r.ruled("with the prompt after", w, "c", x)
}

func rewindReads(r *Run) {
	w := r.World("w")
	w.Seed(r.Wiring(), w.Root)
	t := w.unloaded(w.Root)
	t.Prompt("read", w.ReadRequired())
	t.Prompt("/start", w.Bash("a"))
	r.Check("open by Reads", w.Ran("a"), w.Token(w.ID()))
	t.Rewind("read", restore)
	x := t.Prompt("on", w.Bash("b"))
	r.ruled("back before the Reads", w, "b", x)
	t.Prompt("read", w.ReadRequired(), w.Bash("c"))
	r.Check("three Reads open again, in their own turn", w.Ran("c"), w.Token(w.ID()))
}

func rewindEntered(r *Run) {
	w := r.World("w")
	w.Seed(r.Wiring(), w.Root, w.Outside)
	w.write(w.Home+"/.claude/commands/start.md", "Say start.\n")
	t := w.Terminal(w.Outside, "--add-dir", w.Root)
	t.Prompt("first", w.Cd(w.Root))
	t.Prompt("read", w.ReadRequired())
	t.Prompt("/start", w.Bash("a"))
	r.Check("open by Reads", w.Ran("a"), w.Token(w.ID()))
	t.Rewind("read", restore)
	x := t.Prompt("on", w.Bash("b"))
	r.ruled("back before the Reads", w, "b", x)
}

// What the operator types in shell mode makes the model take a turn, and no prompt is submitted for it.
func rewindBang(r *Run) {
	w := r.World("w")
	w.Seed(r.Wiring(), w.Root)
	t := w.unloaded(w.Root)
	t.Prompt("read", w.ReadRequired())
	t.Prompt("/start", w.Bash("a"))
	r.Check("open by Reads", w.Ran("a"), w.Token(w.ID()))
	t.Rewind("read", restore)
	prompts := len(recorded(w.events()))
	x := t.Bang("true", w.Bash("b"))
	r.Check("the model takes a turn, and no prompt is submitted", len(x.Results) == 1 && len(recorded(w.events())) == prompts, x.Results)
	r.ruled("that turn", w, "b", x)
}
