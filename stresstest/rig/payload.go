package rig

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Client is a version of the client, whose payloads differ in which keys they have.
type Client string

// Clients lists the measured versions of docs/CLIENT-CONTRACT.md, oldest first.
var Clients = []Client{"1.0.128", "2.0.76", "2.1.50", "2.1.118", "2.1.200", "2.1.332"}

// NewestClient is the version whose payloads a test uses when it does not care.
const NewestClient = Client("2.1.332")

// Session builds the payloads of one session of one client.
type Session struct {
	ID     string
	Cwd    string
	Client Client // empty: NewestClient
	Agent  string // the subagent's id; empty: the main agent
}

// field is a key with its value. Payloads keep the order of the client.
type field struct {
	key   string
	value any
}

// Object writes the fields as one JSON object the way the client does: in
// order, without blanks, and with no escaping that JSON does not ask for.
func object(fields []field) []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(value(f.key))
		b.WriteByte(':')
		if nested, ok := f.value.([]field); ok {
			b.Write(object(nested))
			continue
		}
		b.Write(value(f.value))
	}
	b.WriteByte('}')
	return b.Bytes()
}

func value(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("rig: a payload that JSON cannot hold: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func (s Session) since(c Client) bool {
	have := s.Client
	if have == "" {
		have = NewestClient
	}
	for _, known := range Clients {
		if known == c {
			return true
		}
		if known == have {
			return false
		}
	}
	return false
}

// common is what every payload begins with.
func (s Session) common(event string, permission bool) []field {
	transcript := "/home/operator/.claude/projects/" + strings.ReplaceAll(s.Cwd, "/", "-") + "/" + s.ID + ".jsonl"
	f := []field{{"session_id", s.ID}, {"transcript_path", transcript}, {"cwd", s.Cwd}}
	if permission {
		f = append(f, field{"permission_mode", "default"})
	}
	if s.Agent != "" && s.since("2.1.118") {
		f = append(f, field{"agent_id", s.Agent}, field{"agent_type", "general-purpose"})
	}
	return append(f, field{"hook_event_name", event})
}

// SessionStart is the payload of a session that begins: source is startup,
// resume, clear, compact or fork.
func (s Session) SessionStart(source string) []byte {
	f := append(s.common("SessionStart", false), field{"source", source})
	if s.since("2.1.50") {
		f = append(f, field{"model", "claude-sonnet-4-5"})
	}
	return object(f)
}

// Prompt is the payload of a prompt that the operator, or the client, submits.
func (s Session) Prompt(prompt string) []byte {
	return object(append(s.common("UserPromptSubmit", true), field{"prompt", prompt}))
}

// PreToolUse is the payload of a tool call that is about to run. The keys of
// input come in alphabetical order.
func (s Session) PreToolUse(tool string, input map[string]any) []byte {
	f := append(s.common("PreToolUse", true), field{"tool_name", tool}, field{"tool_input", input})
	if s.since("2.0.76") {
		f = append(f, field{"tool_use_id", "toolu_01ABCDEFGHJKLMNPQRSTUVWX"})
	}
	return object(f)
}

// Bash is a PreToolUse of a gated tool.
func (s Session) Bash() []byte {
	return s.PreToolUse("Bash", map[string]any{"command": "uname -a", "description": "Show the system"})
}

// Read is a PreToolUse of Read for path.
func (s Session) Read(path string) []byte {
	return s.PreToolUse("Read", map[string]any{"file_path": path})
}

// Skill is a PreToolUse of Skill for the named skill.
func (s Session) Skill(skill string) []byte {
	return s.PreToolUse("Skill", map[string]any{"skill": skill})
}

// PostRead is the PostToolUse payload of a Read that showed the whole of content.
func (s Session) PostRead(path, content string) []byte {
	n := strings.Count(content, "\n")
	if !strings.HasSuffix(content, "\n") {
		n++
	}
	return s.PostReadPart(path, content, 1, n, n)
}

// PostReadPart is the PostToolUse payload of a Read that showed num of total
// lines, the first of them line start.
func (s Session) PostReadPart(path, content string, start, num, total int) []byte {
	f := append(s.common("PostToolUse", true),
		field{"tool_name", "Read"},
		field{"tool_input", map[string]any{"file_path": path}},
		field{"tool_response", []field{
			{"type", "text"},
			{"file", []field{
				{"filePath", path}, {"content", content},
				{"numLines", num}, {"startLine", start}, {"totalLines", total},
			}},
		}})
	if s.since("2.0.76") {
		f = append(f, field{"tool_use_id", "toolu_01ABCDEFGHJKLMNPQRSTUVWX"})
	}
	return object(f)
}

// PreCompact is the payload of a compaction that is about to begin: trigger is
// manual or auto.
func (s Session) PreCompact(trigger string) []byte {
	return object(append(s.common("PreCompact", false),
		field{"trigger", trigger}, field{"custom_instructions", ""}))
}
