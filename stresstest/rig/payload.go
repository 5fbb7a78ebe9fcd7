package rig

import (
	"bytes"
	"cmp"
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
	At     string // prompt_id; empty: one that is always the same
}

// field is a key with its value. Payloads keep the order of the client.
type field struct {
	key   string
	value any
}

// object writes the fields as one JSON object the way the client does: in
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

// What every client sends that says nothing to the gate.
const (
	permissionMode = "default"
	promptID       = "09487063-14bc-4f5c-8674-2e5ce7d03d9e"
	toolUseID      = "toolu_01ABCDEFGHJKLMNPQRSTUVWX"
	modelName      = "claude-sonnet-4-6"
)

// moment tells the keys apart that only some events carry.
type moment int

const (
	atSession moment = iota // SessionStart at the start of a session
	atPrompt                // UserPromptSubmit
	atTool                  // PreToolUse, PostToolUse
	atCompact               // PreCompact, and the SessionStart after it
)

// common is what a payload begins with, in the client's order of keys.
func (s Session) common(event string, m moment) []field {
	f := []field{{"session_id", s.ID}, {"transcript_path", s.transcript()}, {"cwd", s.Cwd}}
	if m != atSession && s.since("2.1.200") {
		f = append(f, field{"prompt_id", s.PromptID()})
	}
	if m == atPrompt || m == atTool {
		f = append(f, field{"permission_mode", permissionMode})
	}
	if s.Agent != "" && s.since("2.1.118") {
		f = append(f, field{"agent_id", s.Agent}, field{"agent_type", "general-purpose"})
	}
	if m == atTool && s.since("2.1.200") {
		f = append(f, field{"effort", []field{{"level", "medium"}}})
	}
	return append(f, field{"hook_event_name", event})
}

// PromptID is what the client sends as prompt_id; old clients send none.
func (s Session) PromptID() string {
	if !s.since("2.1.200") {
		return ""
	}
	return cmp.Or(s.At, promptID)
}

func (s Session) transcript() string {
	return "/home/operator/.claude/projects/" + strings.ReplaceAll(s.Cwd, "/", "-") + "/" + s.ID + ".jsonl"
}

// payload is the whole of stdin: newer clients end it with a newline.
func (s Session) payload(f []field) []byte {
	if s.since("2.1.118") {
		return append(object(f), '\n')
	}
	return object(f)
}

// SessionStart is the payload of a session that begins: source is startup,
// resume, clear, compact or fork.
func (s Session) SessionStart(source string) []byte {
	m := atSession
	if source == "compact" {
		m = atCompact
	}
	f := append(s.common("SessionStart", m), field{"source", source})
	if source == "compact" && s.since("2.1.50") {
		f = append(f, field{"model", modelName})
	}
	return s.payload(f)
}

// Prompt is the payload of a prompt that the operator, or the client, submits.
func (s Session) Prompt(prompt string) []byte {
	return s.payload(append(s.common("UserPromptSubmit", atPrompt), field{"prompt", prompt}))
}

// PreToolUse is the payload of a tool call that is about to run. The keys of
// input come in alphabetical order.
func (s Session) PreToolUse(tool string, input map[string]any) []byte {
	f := append(s.common("PreToolUse", atTool), field{"tool_name", tool}, field{"tool_input", input})
	if s.since("2.0.76") {
		f = append(f, field{"tool_use_id", toolUseID})
	}
	return s.payload(f)
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

// Subagent is a PreToolUse of the tool that starts a subagent, by the name
// that this client gives it.
func (s Session) Subagent() []byte {
	return s.PreToolUse(s.subagentTool(), map[string]any{
		"description": "Look around", "prompt": "List the vaults.", "subagent_type": "general-purpose",
	})
}

func (s Session) subagentTool() string {
	if s.since("2.1.118") {
		return "Agent"
	}
	return "Task"
}

// PostRead is the PostToolUse payload of a Read that showed the whole of a file
// with this content. The client counts lines as what stands between newlines,
// so a file that ends with one has an empty last line.
func (s Session) PostRead(path, content string) []byte {
	shown := s.shown(content)
	n := strings.Count(shown, "\n") + 1
	return s.PostReadPart(path, shown, 1, n, n)
}

// shown is what the client makes of a file's content: CRLF becomes a newline,
// and since 2.0 a mark of byte order at the start and a carriage return at the
// end are dropped.
func (s Session) shown(content string) string {
	content = strings.ReplaceAll(content, "\r\n", "\n")
	if !s.since("2.0.76") {
		return content
	}
	return strings.TrimSuffix(strings.TrimPrefix(content, "\ufeff"), "\r")
}

// PostReadPart is the PostToolUse payload of a Read that showed num of total
// lines, the first of them line start.
func (s Session) PostReadPart(path, content string, start, num, total int) []byte {
	f := append(s.common("PostToolUse", atTool),
		field{"tool_name", "Read"},
		field{"tool_input", []field{{"file_path", path}}},
		field{"tool_response", []field{
			{"type", "text"},
			{"file", []field{
				{"filePath", path}, {"content", content},
				{"numLines", num}, {"startLine", start}, {"totalLines", total},
			}},
		}})
	if s.since("2.0.76") {
		f = append(f, field{"tool_use_id", toolUseID})
	}
	if s.since("2.1.200") {
		f = append(f, field{"duration_ms", 51})
	}
	return s.payload(f)
}

// PreCompact is the payload of a compaction that is about to begin: trigger is
// manual or auto.
func (s Session) PreCompact(trigger string) []byte {
	var instructions any = ""
	if s.since("2.1.200") {
		instructions = nil
	}
	return s.payload(append(s.common("PreCompact", atCompact),
		field{"trigger", trigger}, field{"custom_instructions", instructions}))
}
