package moiraicore

import (
	"fmt"
	"os"
	"syscall"
)

// Why markers 1–3 are missing, as far as the token tells: by what ended the load, or
// else by what is there.
var reasons = map[string]string{
	"":      "the token holds no load. The session started elsewhere, or its\ntoken was removed, or the loader is not wired or failed.",
	New:     "the context is new. Its load failed or did not run whole, or too\nfew pages are wired, or two wirings with different N ran.",
	Resumed: "the session was resumed. What Reads or a prompt had loaded\nended there, and no load followed.",
	Void:    "a compaction, or the client's preparation of one, voids\nwhat was loaded (LOAD_VOID), also if you cancelled it, and no load followed.",
}

const (
	noToken   = "this session has no token. It was never loaded here (it\nstarted elsewhere, or the loader is not wired or failed), or /tmp was cleaned\nor the machine restarted."
	lostPages = "the load has %d pages; missing:%s.\nEach page K must be wired as %s K/N with the same N, at least %[1]d, in every place."
	otherRoot = "the session was loaded for another root, %s;\nthis root is %s."
	earlier   = "the rules were delivered or shown at an earlier prompt. A rewind\ncan cut them away, so they count for that prompt alone. Type a prompt (not !command)."
	someRead  = "only the files checked above were shown in full."
	canLoad   = "\nWhether the loader is wired, for enough pages, and can load here: the operator\nruns make verify ROOT=%s"
	putBack   = "\nWay out: the operator puts the files in place (git status, git checkout) and types\na prompt. A folder that is no constellation: give it another name.\n"
	waysOut   = "\nWay out: the operator types a prompt: the loader gives the rules with it, if it is\nwired on UserPromptSubmit. Or the main agent reads these files (Read tool, no offset;\nif the answer is that the file is unchanged, again with limit 2500), which counts\nuntil the next prompt:\n"
	unfit     = "    (no Read or load counts: it is missing, empty, no regular file or unreadable; the\n    operator mends it first: git checkout, chmod u+r)\n"
	tooLong   = "    (%d bytes: over %d a Read does not count; wire pages or shorten it)\n"
	orResume  = "or the operator resumes the session inside the constellation (exit, then claude --resume)\nand types a prompt: that prompt brings the rules. The resume alone does not.\n"
	thenStart = "Then START_ACK is needed too, as above.\n"
)

// What to do, by whether markers 1–3 and START_ACK count. Of the whole message the
// client shows a person the first line.
var todos = map[[2]bool]string{
	{true, true}:   "nothing",
	{true, false}:  "press Esc if a turn runs, then type /start",
	{false, false}: "type /start; rule files are missing, see below",
	{false, true}:  "type any prompt: it brings the rule files",
}

// ToDo is the next step in one line.
func (l *Load) ToDo() string { return todos[[2]bool{l.Loaded(), l.Started}] }

// Why says why markers 1–3 are missing in a root that is whole.
func (l *Load) Why(root string) string {
	why := reasons[l.Ended]
	switch {
	case !l.Exists:
		why = noToken
	case l.Ended != "":
	case l.Last.M > 0 && !l.Complete(l.Last):
		missing := ""
		for k := 1; k <= l.Last.M; k++ {
			if !l.Came(k, l.Last) {
				missing += fmt.Sprintf(" %d", k)
			}
		}
		why = fmt.Sprintf(lostPages, l.Last.M, missing, LoaderName)
	case l.Earlier:
		why = earlier
	case l.Other != "":
		why = fmt.Sprintf(otherRoot, Quote(l.Other), Quote(root))
	case l.Acked != [len(Required)]bool{}:
		why = someRead
	}
	return why
}

// Reason says why markers 1–3 are missing, and the ways out that work (D11, D14).
func (l *Load) Reason(s Scope) string {
	if !s.Whole {
		return s.Lacks() + putBack
	}
	out := l.Why(s.Root) + fmt.Sprintf(canLoad, QuotePath(s.Root)) + waysOut
	for i, r := range Required {
		if l.Acked[i] {
			continue
		}
		path := s.Root + "/" + r.Path
		out += "  " + QuotePath(path) + "\n"
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || info.Size() == 0 || syscall.Access(path, 4) != nil { // R_OK
			out += unfit
		} else if info.Size() > MaxRead {
			out += fmt.Sprintf(tooLong, info.Size(), MaxRead)
		}
	}
	if out += orResume; !l.Started {
		out += thenStart
	}
	return out
}
