package main

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"moirai/stresstest/rig"
)

// Rows is everything that is played with every client.
var Rows = slices.Concat([]Row{
	{Name: "§5.2 the eight steps", Play: eightSteps},
}, terminalRows, rewindRows, callRows, toolRows, sessionRows, entryRows, compactRows, drillRows, switchRows, spellingRows, factRows)

var fileBanner = regexp.MustCompile(`(?m)^----- FILE (\S+): bytes (\d+) to (\d+) of (\d+), path .* -----\n`)

// delivered reassembles the three required files from the pages in a request,
// which come in any order. A file that is not there whole, or any part of which is
// there more than once, is empty.
func delivered(req Request) rig.Contents {
	var c rig.Contents
	text := req.Text()
	for i, name := range rig.Required {
		parts, total, got := map[int]string{}, 0, 0
		for _, m := range fileBanner.FindAllStringSubmatchIndex(text, -1) {
			if text[m[2]:m[3]] != name {
				continue
			}
			from, _ := strconv.Atoi(text[m[4]:m[5]])
			to, _ := strconv.Atoi(text[m[6]:m[7]])
			total, _ = strconv.Atoi(text[m[8]:m[9]])
			got += to - from
			parts[from] = text[m[1]:min(len(text), m[1]+to-from)]
		}
		for at := 0; total > 0 && got%total == 0 && // once, or once with each prompt (D24)
			at < total && parts[at] != ""; at += len(parts[at]) {
			c[i] += parts[at]
		}
		if len(c[i]) != total {
			c[i] = ""
		}
	}
	return c
}

// banners are the lines of a request that frame the pages.
func banners(req Request) string {
	var out []string
	for _, l := range strings.Split(req.Text(), "\n") {
		if strings.HasPrefix(l, "===== ") || strings.HasPrefix(l, "----- ") {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}

const loaded = "COMMANDMENTS_ACK SCOPE_ACK CONTEXT_ACK"

var lastLine = regexp.MustCompile(`\nREADME: +/\S+\n*$`)

// reminder is what the client itself appends to a result now and then.
var reminder = regexp.MustCompile(`(?s)\s*<system-reminder>.*</system-reminder>\s*$`)

// blocked tells whether a result is our block message, whole: it names the tool
// and ends with its last line.
func blocked(r Result, session string) bool {
	text := strings.TrimSpace(reminder.ReplaceAllString(r.Text, ""))
	text = strings.TrimSuffix(text, "</tool_use_error>") // some versions wrap it for some tools
	return r.IsError && strings.Contains(text, "BLOCKED by Moirai (Hades).") &&
		strings.Contains(text, "\nBlocked tool: "+r.Name+"\n") &&
		strings.Contains(text, "\nSession token: /tmp/moirai/hades/session-"+session+"\n") &&
		lastLine.MatchString(text)
}

func eightSteps(r *Run) {
	w := r.World("w")
	w.UserSettings(r.Wiring())
	w.git()
	s := w.Start(w.Root)
	t := s.Prompt("go", w.Bash("first"))
	got, want := delivered(t.Requests[0]), r.contents()
	r.Check("1  the injection block is in the first request: all three files, byte for byte", got == want,
		banners(t.Requests[0]))
	r.Check("2  the token file has the three markers", w.Markers(s.ID) == loaded, w.Token(s.ID))
	res := t.Results[0]
	r.Check("3  the first Bash is blocked, and did not run", blocked(res, s.ID) && !w.Ran("first"), res.Text)
	r.Check("3  the message shows three markers set and one not", strings.Contains(res.Text, "[x] COMMANDMENTS_ACK") &&
		strings.Contains(res.Text, "[x] SCOPE_ACK") && strings.Contains(res.Text, "[x] CONTEXT_ACK") && strings.Contains(res.Text, "[ ] START_ACK"))
	t = s.Prompt("look", Step{w.Read("CLAUDE.md"), w.Read("MEMORY.md"), w.Read(w.Home + "/.claude/projects/p/memory/notes.md")})
	r.Check("6  CLAUDE.md, MEMORY.md and /memory/ are read before /start", len(t.Results) == 3 &&
		strings.Contains(t.Results[0].Text, "claude rules") && strings.Contains(t.Results[1].Text, "memory index") && strings.Contains(t.Results[2].Text, "memory notes"),
		t.Results)
	t = s.Prompt("skill", Step{{Name: "Skill", Input: map[string]any{"skill": "other"}}}, w.Bash("after-skill"))
	r.CheckSince(skillTool, "no Skill tool", "7  a Skill that is not start passes", !t.Results[0].IsError, t.Results[0].Text)
	r.Check("7  and opens nothing", blocked(t.Results[1], s.ID) && !w.Ran("after-skill"))
	t = s.Prompt("/start", w.Bash("second"))
	r.Check("4  /start opens: Bash runs", w.Ran("second") && !t.Results[0].IsError, w.Token(s.ID))
	out, err := exec.Command("git", "-C", w.Root, "status", "--porcelain", "--ignored").CombinedOutput()
	r.Check("8  nothing of the session is in git", err == nil && len(out) == 0, string(out))

	s = w.Start(w.Root)
	t = s.Prompt("go", w.Bash("third"))
	r.Check("5  a fresh session is blocked again", blocked(t.Results[0], s.ID) && !w.Ran("third"), w.Markers(s.ID))
	s.Prompt("/war-room-start", w.Bash("fourth"))
	r.Check("5  /war-room-start opens: Bash runs", w.Ran("fourth"), w.Token(s.ID))
}

// git makes the constellation a repository with everything in it committed.
func (w *World) git() {
	w.write(w.Root+"/CLAUDE.md", "claude rules\n")
	w.write(w.Root+"/MEMORY.md", "memory index\n")
	w.write(w.Home+"/.claude/projects/p/memory/notes.md", "memory notes\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=x", "-c", "user.email=x@x.invalid", "commit", "-q", "-m", "x"}} {
		cmd := exec.Command("git", append([]string{"-C", w.Root}, args...)...)
		cmd.Env = []string{"HOME=" + w.Home, "PATH=" + os.Getenv("PATH")}
		w.run.must(cmd.Run())
	}
}
