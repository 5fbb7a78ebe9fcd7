package main

import (
	"encoding/json"
	"fmt"
)

// ACP is a session that an editor would have through the adapter of the Agent Client Protocol:
// JSON-RPC over its pipes.
type ACP struct {
	*Session
	serial int
	agreed int // to how many requests of the adapter
}

// A message of JSON-RPC: a request has a method, its answer the same id and none.
type rpc struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
}

// StartACP starts a session in dir through the adapter.
func (w *World) StartACP(dir string) *ACP {
	w.Env = append(w.Env, "CLAUDE_CODE_EXECUTABLE="+w.run.client.Program())
	adapter := w.run.driven[acpAdapter]
	a := &ACP{Session: w.startProgram(dir, adapter.Command(adapter.Main()))}
	a.call("initialize", map[string]any{"protocolVersion": 1, "clientCapabilities": map[string]any{}, "clientInfo": map[string]any{"name": "row", "version": "1"}}, nil)
	var made struct{ SessionID string }
	a.call("session/new", map[string]any{"cwd": dir, "mcpServers": []any{}}, &made)
	a.ID = made.SessionID
	a.saw()
	a.call("session/set_mode", map[string]any{"sessionId": a.ID, "modeId": "default"}, nil) // it asks the editor
	return a
}

// Prompt plays one turn.
func (a *ACP) Prompt(text string, steps ...Step) *Turn {
	a.Model.Script(steps...)
	before := len(a.Model.Requests())
	a.call("session/prompt", map[string]any{"sessionId": a.ID, "prompt": []any{map[string]any{"type": "text", "text": text}}}, nil)
	return a.Model.Turn(before)
}

// call asks the adapter for something, and says yes to whatever it asks meanwhile.
func (a *ACP) call(method string, params, result any) {
	a.serial++
	id := fmt.Sprint(a.serial)
	a.run.must(a.Write(rpc{Version: "2.0", ID: json.RawMessage(id), Method: method, Params: params}))
	a.run.must(a.Read(turnLimit, func(line string) bool {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Options []struct{ OptionID, Kind string }
			} `json:"params"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			a.run.must(fmt.Errorf("%w: %s", err, line))
		}
		switch {
		case m.Method != "" && m.ID != nil:
			a.agree(m.ID, m.Params.Options)
		case m.Method == "" && string(m.ID) == id:
			if m.Error != nil {
				a.run.must(fmt.Errorf("%s: %s", method, m.Error))
			}
			if result != nil {
				a.run.must(json.Unmarshal(m.Result, result))
			}
			return true
		}
		return false
	}))
}

// agree says yes to a request of the adapter.
func (a *ACP) agree(id json.RawMessage, options []struct{ OptionID, Kind string }) {
	a.agreed++
	chosen := ""
	for _, o := range options {
		if o.Kind == "allow_once" || chosen == "" {
			chosen = o.OptionID
		}
	}
	a.run.must(a.Write(rpc{Version: "2.0", ID: id, Result: map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": chosen}}}))
}
