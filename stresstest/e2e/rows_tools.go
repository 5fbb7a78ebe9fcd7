package main

import (
	"slices"
	"strings"
	"time"

	"moirai/stresstest/realclient"
	"moirai/stresstest/rig"
)

// Rows about the names of tools: what the client knows must be on the recorded list, of
// which stresstest holds a case for each.
var toolRows = []Row{
	{Name: "the client knows no tool that the recorded list lacks", Play: knownTools, Since: realclient.Pinned, Why: "the list is of the newest"},
}

// toolModes are ways to start the client in which it offers tools of their own.
var toolModes = []struct {
	name string
	args []string
	env  []string
}{
	{name: "asked over stdio", args: []string{"--permission-prompt-tool", "stdio"}},
	{name: "plan mode", args: []string{"--permission-mode", "plan"}},
	{name: "agent teams", env: []string{"CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS=1"}},
	{name: "an MCP server", args: []string{"--mcp-config", mcpConfig}},
}

// mcpConfig is a server named vault, with the tool open and one resource, in shell.
const mcpConfig = `{"mcpServers":{"vault":{"command":"/bin/sh","args":["-c","` +
	`while read -r line; do id=$(printf %s \"$line\" | sed -n 's/.*\"id\":\\([0-9]*\\).*/\\1/p'); case $line in ` +
	`*'\"initialize\"'*) r='{\"protocolVersion\":\"2024-11-05\",\"capabilities\":{\"tools\":{},\"resources\":{}},\"serverInfo\":{\"name\":\"vault\",\"version\":\"1\"}}';; ` +
	`*'\"tools/list\"'*) r='{\"tools\":[{\"name\":\"open\",\"description\":\"x\",\"inputSchema\":{\"type\":\"object\"}}]}';; ` +
	`*'\"resources/list\"'*) r='{\"resources\":[{\"uri\":\"vault://x\",\"name\":\"x\"}]}';; *) r='{}';; esac; ` +
	`test -z \"$id\" || printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\\n' \"$id\" \"$r\"; done"]}}}`

// askLimit bounds a turn that must not wait for anybody.
const askLimit = 40 * time.Second

func knownTools(r *Run) {
	listed := rig.Tools()
	known := func(where string, names []string) {
		slices.Sort(names)
		names = slices.Compact(names)
		unknown := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(listed, n) })
		r.Check(where+": every name is on the list", len(names) > 0 && len(unknown) == 0, "unknown: "+strings.Join(unknown, " "), strings.Join(names, " "))
	}
	known("the types of its package", r.client.Types)
	for _, m := range toolModes {
		w := r.World(strings.ReplaceAll(m.name, " ", "-"))
		w.UserSettings(r.Wiring())
		w.Env = m.env
		s := w.Start(w.Root, m.args...)
		ask := Call{Name: "AskUserQuestion", Input: w.inputs()["AskUserQuestion"]}
		t, err := s.prompt("hello", askLimit, Step{ask})
		if err != nil { // a question that is not blocked waits for its answer
			r.Check(m.name+": the turn ends, so no question is asked", false, err)
			continue
		}
		names := s.offered()
		asks := slices.Contains(names, ask.Name)
		for _, q := range t.Requests {
			names = append(names, q.Tools...)
		}
		known(m.name, names)
		if m.name == "asked over stdio" {
			r.Check(m.name+": AskUserQuestion is offered, and blocked before /start", asks && len(t.Results) == 1 && blocked(t.Results[0], s.ID), t.Results)
		}
	}
}
