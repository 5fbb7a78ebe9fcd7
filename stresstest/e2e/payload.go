package main

import (
	"encoding/json"
	"os"
	"strings"
)

// A payload is what the client gave a hook, as a recording hook kept it.
type payload struct {
	Raw        string          `json:"-"`
	Event      string          `json:"hook_event_name"`
	Session    string          `json:"session_id"`
	Cwd        string          `json:"cwd"`
	Source     string          `json:"source"`
	Trigger    string          `json:"trigger"`
	Prompt     string          `json:"prompt"`
	Tool       string          `json:"tool_name"`
	Input      json.RawMessage `json:"tool_input"`
	Response   json.RawMessage `json:"tool_response"`
	AgentID    string          `json:"agent_id"`
	AgentType  string          `json:"agent_type"`
	Transcript string          `json:"transcript_path"`
}

func parsePayload(line string) payload {
	p := payload{Raw: line}
	json.Unmarshal([]byte(line), &p)
	return p
}

// recorded reads what recording hooks kept in a file, in the order of their writes.
func recorded(file string) []payload {
	b, _ := os.ReadFile(file)
	return payloads(string(b))
}

// payloads reads what was recorded. Hooks that run at once may end their lines
// late, so that one line has several payloads.
func payloads(text string) []payload {
	var out []payload
	for _, line := range strings.Split(text, "\n") {
		d := json.NewDecoder(strings.NewReader(line))
		var raw json.RawMessage
		for d.Decode(&raw) == nil {
			if p := parsePayload(string(raw)); p.Event != "" {
				out = append(out, p)
			}
		}
	}
	return out
}
