package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"moirai/moiraicore"
	"moirai/operate/wiring"
)

// runLimit ends a wired command that does not end by itself. Ours do (D13).
const runLimit = 10 * time.Second

// noSession is a session id that no client gives: theirs are UUIDs. It has no
// token, so it must be blocked; and what runs here earns none.
const noSession = "verify-no-such-session"

// elsewhere is a folder that is out of scope on every machine.
const elsewhere = "/"

// stage is where the wired commands are run: a folder in scope, and one in
// scope that cannot be loaded, so that the loader earns nothing.
type stage struct{ inScope, unloadable string }

// rehearse runs each wired command through the shell, as the client does: in
// scope it must block, out of scope be silent, and refuse malformed input.
func rehearse(report wiring.Report, root string, t *table) error {
	dir, err := os.MkdirTemp("", "moirai-verify-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	// Where there is no token directory the hooks make one. As root that would shut out the user.
	if _, err := os.Lstat(moiraicore.TokenParent); errors.Is(err, fs.ErrNotExist) {
		defer func() {
			os.Remove(moiraicore.TokenDir)
			os.Remove(moiraicore.TokenParent)
		}()
	}
	s := stage{root, filepath.Join(dir, moiraicore.ScopeName)}
	if root == "" {
		s.inScope = s.unloadable
	}
	if err := os.Mkdir(s.unloadable, 0o700); err != nil {
		return err
	}
	if moiraicore.Locate(s.unloadable).Whole {
		return fmt.Errorf("%s lies in a constellation: set TMPDIR to another folder", dir)
	}
	ran := 0
	for _, h := range report.Hooks() {
		if !h.Runnable() {
			continue // what is wrong with its form is a finding
		}
		ran++
		for _, p := range s.parts(h) {
			p.play(h, t)
		}
	}
	if ran == 0 {
		t.row(false, "run", "no wired command could be run")
	}
	return nil
}

// part is one run of a wired command, or of a stand-in for it (empty: itself),
// and what it must come to.
type part struct {
	name, standIn, dir string
	payload            []byte
	code               int
	stderr             string // how it must begin, if anything is asked of it
	stdout             string // how it may begin
}

// parts lists the runs of one wired command.
func (s stage) parts(h wiring.Hook) []part {
	all := []part{
		{"run_silent", "", elsewhere, payload(h.Event, elsewhere), 0, "", ""},
		{"run_malformed", "", elsewhere, []byte("{"), 2, "Moirai (Hades) fail-closed: ", ""},
	}
	switch {
	case h.Event == moiraicore.UserPromptSubmit && h.Name == moiraicore.LoaderName:
		all = append(all, part{"run_records_nothing", "", s.unloadable, payload(h.Event, s.unloadable), 0, "", "Moirai (Hades) not recorded: "})
	case h.Event == moiraicore.PreToolUse || h.Event == wiring.PreSkillShell:
		all = append(all, part{"run_blocks", "", s.inScope, payload(h.Event, s.inScope), 2, "BLOCKED by Moirai (Hades).", ""})
	case h.Event == moiraicore.SessionStart:
		all = append(all, part{"run_blocks", "", s.unloadable, payload(h.Event, s.unloadable), 2, "Moirai (Hades) fail-closed: ", ""})
	default:
		all = append(all, part{"run_records_nothing", "", s.inScope, payload(h.Event, s.inScope), 0, "", ""})
	}
	if h.Exec || h.Event != moiraicore.PreToolUse && h.Event != moiraicore.PreCompact && h.Event != wiring.PreSkillShell {
		return all
	}
	missing := "/nonexistent/" + h.Name + h.Rest
	return append(all,
		part{"run_guard", missing, s.unloadable, payload(h.Event, s.unloadable), 2, "", ""},
		part{"run_guard_elsewhere", missing, elsewhere, payload(h.Event, elsewhere), 127, "", ""})
}

// payload is what a client sends: a gated tool, a prompt that starts nothing, a
// Read of no required file, a compaction with nothing to void.
func payload(event, cwd string) []byte {
	p := map[string]any{"session_id": noSession, "cwd": cwd, "hook_event_name": event}
	switch event {
	case moiraicore.SessionStart:
		p["source"] = "startup"
	case moiraicore.UserPromptSubmit:
		p["prompt"] = "a prompt of make verify"
	case moiraicore.PreToolUse, wiring.PreSkillShell:
		p["tool_name"], p["tool_input"] = "Bash", map[string]any{"command": "true"}
	case moiraicore.PostToolUse:
		p["tool_name"], p["tool_input"] = moiraicore.ToolRead, map[string]any{"file_path": "/nonexistent"}
	case moiraicore.PreCompact:
		p["trigger"] = "manual"
	}
	text, err := json.Marshal(p)
	if err != nil {
		panic("operate: a payload that JSON cannot hold: " + err.Error())
	}
	return text
}

// play runs the part and prints whether it came to what it must.
func (p part) play(h wiring.Hook, t *table) {
	ctx, cancel := context.WithTimeout(context.Background(), runLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", cmp.Or(p.standIn, h.Command))
	if h.Exec {
		cmd = exec.CommandContext(ctx, h.Program, strings.Fields(h.Rest)...)
	}
	cmd.Dir, cmd.Stdin = p.dir, bytes.NewReader(p.payload)
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	code := cmd.ProcessState.ExitCode()
	earned := earnedNothing()

	what := fmt.Sprintf("%s %s%s", h.Event, filepath.Base(h.Program), variant(h))
	switch {
	case err != nil && code < 0:
		t.row(false, p.name, fmt.Sprintf("%s: %v", what, err))
	case code != p.code:
		t.row(false, p.name, fmt.Sprintf("%s: exit %d, not %d: %s", what, code, p.code, line(stderr.String())))
	case stdout.Len() > 0 && (p.stdout == "" || !strings.HasPrefix(stdout.String(), p.stdout)):
		t.row(false, p.name, fmt.Sprintf("%s: prints %q", what, line(stdout.String())))
	case !strings.HasPrefix(stderr.String(), p.stderr) || p.code == 0 && stderr.Len() > 0:
		t.row(false, p.name, fmt.Sprintf("%s: exit %d, but says %s", what, code, line(stderr.String())))
	case earned != nil:
		t.row(false, p.name, fmt.Sprintf("%s: %v", what, earned))
	default:
		t.row(true, p.name, fmt.Sprintf("%s: exit %d  (%s)", what, code, h.Source.Path))
	}
}

// earnedNothing tells that no marker stands for the session that cannot exist: a loader
// records that it ran, and no more. It takes away what the run left.
func earnedNothing() error {
	path := moiraicore.TokenPath(noSession)
	defer os.Remove(path)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		r, err := moiraicore.ParseRecord(strings.TrimSuffix(line, "\n"))
		if err != nil || r.Marker != moiraicore.New && r.Marker != moiraicore.Resumed && r.Marker != moiraicore.Void {
			return fmt.Errorf("a record for a session that cannot exist, in %s: %s", path, line)
		}
	}
	return nil
}

// variant tells a hook from the others of its event and program.
func variant(h wiring.Hook) string {
	text := ""
	if h.Name == moiraicore.LoaderName {
		text = " " + strings.TrimSpace(h.Rest)
	}
	if h.Exec {
		text += " (exec form)"
	}
	return text
}

// line is the first line of a message, cut to fit a table.
func line(message string) string {
	first, _, _ := strings.Cut(message, "\n")
	if len(first) > 200 {
		first = first[:200] + "…"
	}
	if first == "" {
		return "nothing"
	}
	return first
}
