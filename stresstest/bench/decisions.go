package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"moirai/stresstest/realclient"
	"moirai/stresstest/rig"
)

// sameDecisions refuses to compare with a gate that decides something else than ours: it
// would do less work, or other work.
func (g *ground) sameDecisions(scratch string) error {
	others := filepath.Join(scratch, "decisions")
	if err := writeOthers(others); err != nil {
		return err
	}
	ours := filepath.Join(g.programs, "hades-gate")
	bash := "/usr/bin/env bash " + filepath.Join(others, bashFile)
	node := "/usr/bin/env node " + filepath.Join(others, nodeFile)
	open, closed := rig.Session{ID: sessionOpen, Cwd: g.root}, rig.Session{ID: sessionClosed, Cwd: g.root}
	away, fresh := rig.Session{ID: sessionClosed, Cwd: g.elsewhere}, rig.Session{ID: sessionNew, Cwd: g.root}
	read := func(path string) []byte { return closed.PreToolUse("Read", map[string]any{"file_path": path}) }
	for _, c := range []struct {
		name    string
		payload []byte
		node    bool // the guard for Node knows of it
	}{
		{"allowed", open.Bash(), true},
		{"a marker is missing", closed.Bash(), true},
		{"no token", fresh.Bash(), true},
		{"out of scope", away.Bash(), true},
		{"empty stdin", nil, true},
		{"cut short", open.Bash()[:40], true},
		{"CLAUDE.md", read(g.root + "/CLAUDE.md"), false},
		{"a memory", read("/x/memory/y"), false},
		{"a required file", read(g.root + "/CONTEXT.md"), false},
		{"another file", read(g.root + "/x"), false},
		{"TaskList", closed.PreToolUse("TaskList", map[string]any{}), false},
		{"another skill", closed.Skill("other"), false},
		{"a prompt", closed.Prompt("hello"), false},
		{"no session_id", []byte(`{"hook_event_name":"PreToolUse","cwd":"` + g.root + `","tool_name":"Bash","tool_input":{}}`), false},
	} {
		gates := []string{ours, bash}
		if c.node {
			gates = append(gates, node)
		}
		want := 0
		for i, gate := range gates {
			got, err := decide(gate, c.payload)
			if i == 0 {
				want = got
			}
			if err != nil || got != want {
				return fmt.Errorf("%s: %s exits %d, and hades-gate %d: %v", c.name, gate, got, want, err)
			}
		}
	}
	token := tokenDir + "session-" + sessionClosed
	lacking, err := os.ReadFile(token)
	if err != nil {
		return err
	}
	for _, gate := range [...]string{ours, bash} {
		for _, start := range [...][]byte{closed.Prompt("/start"), closed.Skill("start")} {
			if code, err := decide(gate, start); err != nil || code != 0 {
				return fmt.Errorf("%s: a start exits %d: %v", gate, code, err)
			}
			if code, err := decide(gate, closed.Bash()); err != nil || code != 0 {
				return fmt.Errorf("%s: a start opens nothing: exit %d: %v", gate, code, err)
			}
			if err := os.WriteFile(token, lacking, 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

// decide runs a gate, which is a command line without blanks in its words.
func decide(gate string, payload []byte) (code int, err error) {
	argv := strings.Fields(gate)
	r, err := rig.Command{Path: argv[0], Args: argv[1:], Stdin: payload, Env: []string{"PATH=" + realclient.Path}}.Run()
	return r.Code, err
}
