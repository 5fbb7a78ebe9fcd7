package main

import (
	"fmt"
	"os"
	"strings"

	"moirai/stresstest/rig"
)

// Rows about compaction (D8): what the gate knew must be forgotten with it.
var compactRows = []Row{
	{Name: "compaction voids, and the load is earned again", Play: compaction},
	{Name: "compaction with a load that fails", Play: compactionUnloaded},
	{Name: "compaction whose void cannot be written", Play: compactionRefused},
	{Name: "compaction while the gate and the loader are missing", Play: compactionUngated},
	{Name: "automatic compaction in the middle of a turn", Play: compactionAuto, Since: "2.1.332", Why: "it is not brought about by one figure"},
	{Name: "a compaction that the client prepares in the background", Play: compactionPrepared, Since: "2.1.332", Why: "it does not prepare any", Alone: true},
}

// refusable is the first measured version in which exit 2 on PreCompact keeps the
// client from compacting.
const (
	refusable      = "2.1.118"
	compactsAnyway = "it compacts although PreCompact ends with 2"
)

// injects is the first measured version that puts what SessionStart prints after a
// compaction into the context.
const (
	injects    = "2.0.76"
	injectsNot = "what SessionStart prints after a compaction is not in the context"
)

// talk gives a session something to compact.
func (s *Session) talk() {
	s.Prompt("one")
	s.Prompt("two")
}

func compaction(r *Run) {
	w := r.World("w")
	w.UserSettings(r.Wiring())
	s := w.Start(w.Root)
	s.Prompt("/start", w.Bash("a"))
	s.talk()
	first := s.ID
	s.Prompt("/compact")
	r.Check("the void is written, and the load earned again behind it", earnedAgain(w.Markers(s.ID)), w.Token(s.ID))
	t := s.Prompt("on", w.Bash("b"))
	r.Check("the session goes on without a second /start", s.ID == first && w.Ran("b"), t.Results)
	r.CheckSince(injects, injectsNot, "with the rules in the new context, once, byte for byte", delivered(t.Requests[0]) == r.contents(), banners(t.Requests[0]))
	r.Check("and the summary in the place of the old talk", strings.Contains(t.Requests[0].Text(), "scripted summary"))
}

// earnedAgain tells whether the token was loaded and started, then voided (once
// by the gate, and maybe by the loader too), then loaded.
func earnedAgain(markers string) bool {
	rest, ok := strings.CutPrefix(markers, loaded+" START_ACK LOAD_VOID ")
	rest = strings.TrimPrefix(rest, "LOAD_VOID ")
	return ok && rest == loaded
}

func compactionUnloaded(r *Run) {
	w := r.World("w")
	w.UserSettings(r.Wiring())
	s := w.Start(w.Root)
	s.Prompt("/start", w.Bash("a"))
	s.talk()
	context := w.Root + "/CONTEXT.md"
	r.must(os.Rename(context, context+".gone"))
	s.Prompt("/compact")
	r.Check("the void is the last word", strings.HasSuffix(w.Markers(s.ID), " LOAD_VOID"), w.Token(s.ID))
	t := s.Prompt("on", w.Bash("b"))
	r.Check("the rules are not in the context, and Bash is blocked", delivered(t.Requests[0]) == rig.Contents{} && blocked(t.Results[0], s.ID) && !w.Ran("b"))
	r.Check("the message names the file that is missing", strings.Contains(t.Results[0].Text, w.Root+" lacks CONTEXT.md"), after(t.Results[0].Text, "Resolution:"))
	r.must(os.Rename(context+".gone", context))
	t = s.Prompt("on", w.Bash("c"))
	r.Check("the next prompt brings the rules, and no second /start is needed", w.Ran("c") && delivered(t.Requests[0]) == r.contents(), w.Token(s.ID))
	s.Prompt("on", w.Bash("c2"))
	r.Check("and the one after it", w.Ran("c2"), w.Token(s.ID))

	s.talk()
	loader := w.hooks() + "/hades-session-load"
	r.must(os.Rename(loader, loader+".gone")) // now nothing but PreCompact can void
	s.Prompt("/compact")
	t = s.Prompt("on", w.Bash("d"))
	r.must(os.Rename(loader+".gone", loader))
	r.Check("the message says that a compaction did it", strings.Contains(t.Results[0].Text, "compaction"), after(t.Results[0].Text, "Resolution:"))
	r.Check("with no loader at all the void stands too, and Bash is blocked", strings.HasSuffix(w.Markers(s.ID), " LOAD_VOID") &&
		delivered(t.Requests[0]) == rig.Contents{} && blocked(t.Results[0], s.ID) && !w.Ran("d"), w.Token(s.ID))
}

// after is the text from a mark on.
func after(text, mark string) string {
	i := strings.Index(text, mark)
	if i < 0 {
		return text
	}
	return text[i:]
}

func compactionRefused(r *Run) {
	w := r.World("w")
	w.UserSettings(r.Wiring())
	s := w.Start(w.Root)
	s.Prompt("remember the word amaranth")
	s.Prompt("/start", w.Bash("a"))
	token := w.Token(s.ID)
	path := w.tokenPath(s.ID)
	r.must(os.Chmod(path, 0o666)) // the gate refuses a token that others can write
	refused := s.Prompt("/compact")
	r.must(os.Chmod(path, 0o600))
	r.CheckSince(refusable, compactsAnyway, "the client does not compact: no summary is asked for", summaries(refused) == 0, "the client says: "+refused.Final)
	t := s.Prompt("on", w.Bash("b"))
	r.CheckSince(refusable, compactsAnyway, "the old talk and the rules are still in the context", strings.Contains(t.Requests[0].Text(), "amaranth") &&
		!strings.Contains(t.Requests[0].Text(), "scripted summary") && delivered(t.Requests[0]) == r.contents())
	if summaries(refused) > 0 {
		r.CheckSince(refusable, compactsAnyway, "no marker outlives its rules", false, w.Token(s.ID))
		return
	}
	r.Check("so the markers stand, and Bash runs", w.Ran("b") && w.Token(s.ID) == token, w.Token(s.ID))
}

// summaries counts the requests for one.
func summaries(t *Turn) (n int) {
	for _, q := range t.All {
		if q.Summary {
			n++
		}
	}
	return n
}

func compactionUngated(r *Run) {
	w := r.World("w")
	w.UserSettings(r.Wiring())
	s := w.Start(w.Root)
	s.Prompt("/start", w.Bash("a"))
	s.talk()
	hooks := []string{w.hooks() + "/hades-gate", w.hooks() + "/hades-session-load"}
	for _, h := range hooks {
		r.must(os.Rename(h, h+".gone"))
	}
	t := s.Prompt("/compact")
	for _, h := range hooks {
		r.must(os.Rename(h+".gone", h))
	}
	r.CheckSince(refusable, compactsAnyway, "the guard blocks: the client does not compact", summaries(t) == 0, "the client says: "+t.Final)
	t = s.Prompt("go", w.Bash("b"))
	whole := delivered(t.Requests[0]) == r.contents()
	r.CheckSince(refusable, compactsAnyway, "no call runs without the rules in the context", whole || !w.Ran("b"),
		fmt.Sprintf("rules in the context: %v, Bash ran: %v", whole, w.Ran("b")), w.Token(s.ID))
}

func compactionAuto(r *Run) {
	w := r.World("w")
	events := w.Dir + "/events"
	w.UserSettings(r.Wiring().Add("PreCompact", entry("", record(events))).Add("SessionStart", entry("", record(events))))
	s := w.Start(w.Root, "--autocompact", "100000")
	s.Prompt("/start")
	s.talk()
	s.Model.ByLength = true
	big := strings.Repeat("many words ", 12_000) // about 33,000 tokens
	s.Prompt("a "+big, w.Bash("a"))
	s.Prompt("b "+big, w.Bash("b"))
	t := s.Prompt("c "+big, w.Bash("c"), w.Bash("d"))
	seen, _ := os.ReadFile(events)
	r.Check("the client compacts by itself", summaries(t) > 0 && strings.Contains(string(seen), `"trigger":"auto"`), eventNames(string(seen)))
	r.Check("the void is written, the load earned again, and the calls behind it run", strings.HasSuffix(w.Markers(s.ID), " LOAD_VOID "+loaded) && w.Ran("c") && w.Ran("d"), w.Token(s.ID))
	last := t.Requests[len(t.Requests)-1]
	r.Check("with the rules in the new context, once, byte for byte", delivered(last) == r.contents(), banners(last))
}

// eventNames lists what recorded payloads were about.
func eventNames(text string) string {
	var out []string
	for _, p := range payloads(text) {
		out = append(out, strings.TrimSpace(p.Event+" "+p.Source+p.Trigger))
	}
	return strings.Join(out, ", ")
}

// The client can prepare a compaction long before it compacts; PreCompact fires at
// the preparation and not again. So the gate closes while the rules are still there,
// and what is earned by Reads until the change must not outlive it.
func compactionPrepared(r *Run) {
	w := r.World("w")
	events := w.Dir + "/events"
	w.UserSettings(r.Wiring().Add("PreCompact", entry("", record(events))).Add("SessionStart", entry("", record(events))))
	w.Features("tengu_sepia_moth")
	s := w.Start(w.Root, "--autocompact", "200000", "--settings", `{"precomputeArmTokens":130000}`)
	s.Model.ByLength = true
	s.Prompt("/start", w.Bash("a"))
	big := strings.Repeat("many words ", 11_000) // about 30,000 tokens
	var t *Turn
	const tries = 12
	for i := 0; i < tries && !strings.Contains(w.Token(s.ID), "LOAD_VOID"); i++ {
		text := "wait"
		if i < 4 {
			text = fmt.Sprint(i, " ", big)
		}
		s.Prompt(text, w.Bash("wait"))
	}
	t = s.Prompt("on", w.Bash("b"))
	seen, _ := os.ReadFile(events)
	r.Check("the client announces a compaction and goes on with the rules in the context", strings.Contains(string(seen), `"trigger":"auto"`) &&
		delivered(t.Requests[0]) == r.contents(), eventNames(string(seen)))
	r.Check("the prompt brings the rules again meanwhile, and the gate is open", w.Ran("b"), after(t.Results[0].Text, "Markers 1"))
	s.Prompt("read", w.ReadRequired(), w.Bash("c"))
	r.Check("three Reads open it", w.Ran("c"), w.Token(s.ID))

	context := w.Root + "/CONTEXT.md"
	r.must(os.Rename(context, context+".gone")) // so that the load at the change fails
	r.must(os.WriteFile(events, nil, 0o644))
	for i := range 4 {
		s.Prompt(fmt.Sprint(i, " ", big))
		if now, _ := os.ReadFile(events); strings.Contains(string(now), "SessionStart") {
			break
		}
	}
	seen, _ = os.ReadFile(events)
	t = s.Prompt("on", w.Bash("d"))
	r.must(os.Rename(context+".gone", context))
	r.Note("at the change: %s", eventNames(string(seen)))
	r.Check("the client compacts, and this load fails", strings.Contains(string(seen), `"source":"compact"`))
	r.Check("what was read before does not count any more: Bash is blocked", blocked(t.Results[0], s.ID) && !w.Ran("d"), w.Token(s.ID))
}
