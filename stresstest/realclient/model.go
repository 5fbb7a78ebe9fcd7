package realclient

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// A Call is one tool call that the scripted model makes. With Do it is none: the
// model does that before it sends the other calls of the step.
type Call struct {
	Name  string
	Input map[string]any
	Do    func()
}

// String shows a call as evidence.
func (c Call) String() string {
	in, _ := json.Marshal(c.Input)
	return c.Name + " " + string(in)
}

// A Step is one message of the scripted model: its calls go out together, as
// parallel calls do. The model says "done" when its steps are used up.
type Step []Call

// A Request is one POST /v1/messages as the model received it.
type Request struct {
	Body     string // as sent, for looking for text in it
	Side     bool   // a title, a summary: not the conversation
	Summary  bool   // asks for the summary of a compaction
	Agent    string // key of the subagent that sent it, or ""
	System   json.RawMessage
	Messages []Message
	Tools    []string
	Came     time.Time // when it came
	Sent     time.Time // when its answer had been sent
}

// A Message is one turn of the conversation in a request. Blocks is the
// content, with a plain string made into one text block.
type Message struct {
	Role   string
	Blocks []Block
}

// A Block is one piece of a message; Text also holds a tool result flattened.
type Block struct {
	Type      string
	Text      string
	ToolUseID string
	IsError   bool
}

// Model is a scripted Messages API for one session: it answers every request
// from the queue of steps and keeps what it received. It is what the real
// model would see, so it is the evidence for "the model sees".
type Model struct {
	URL string
	// ByLength reports a quarter of a request's length as its tokens, and not 100:
	// the client compacts by that.
	ByLength bool

	mu       sync.Mutex
	steps    []Step
	agents   map[string][]Step
	requests []Request
	others   []string
	ends     int             // answers to the main agent that end a turn
	hold     chan struct{}   // while it is open, answers to the main agent wait
	calls    map[string]Call // by tool_use id
	reported map[string]bool // tool_use ids whose result a turn has had
	serial   int
	listener net.Listener
}

// AgentPrefix opens the prompt of a scripted subagent; the word after it
// chooses the queue. A request belongs to the subagent whose prompt is in its
// first user message.
const AgentPrefix = "scripted subagent: "

const (
	summaryAsk = "Your task is to create a detailed summary"
	suggestAsk = "Reply with ONLY the suggestion" // what a person might type next
)

// NewModel listens on a free port of 127.0.0.1.
func NewModel() (*Model, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &Model{URL: "http://" + l.Addr().String(), agents: map[string][]Step{}, calls: map[string]Call{}, reported: map[string]bool{}, listener: l}
	go http.Serve(l, m)
	return m, nil
}

// Close stops listening.
func (m *Model) Close() { m.listener.Close() }

// Script replaces the queue of the main agent.
func (m *Model) Script(steps ...Step) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.steps = steps
}

// ScriptAgent replaces the queue of one subagent.
func (m *Model) ScriptAgent(key string, steps ...Step) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.agents[key] = steps
}

// Requests returns the requests so far, side requests included.
func (m *Model) Requests() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Request(nil), m.requests...)
}

// Ends counts the answers that ended a turn of the main agent.
func (m *Model) Ends() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ends
}

// Summaries counts the summaries that were asked for.
func (m *Model) Summaries() (n int) {
	for _, q := range m.Requests() {
		if q.Summary {
			n++
		}
	}
	return n
}

// Hold keeps back what the model says to the main agent, and its summaries, until release is called.
func (m *Model) Hold() (release func()) {
	hold := make(chan struct{})
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hold = hold
	return sync.OnceFunc(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.hold = nil
		close(hold)
	})
}

// held waits for the end of a Hold, or of the client.
func (m *Model) held(r *http.Request) {
	m.mu.Lock()
	hold := m.hold
	m.mu.Unlock()
	if hold == nil {
		return
	}
	select {
	case <-hold:
	case <-r.Context().Done():
	}
}

// Turn is what the requests from one on led to.
func (m *Model) Turn(before int) *Turn {
	t := &Turn{All: m.Requests()[before:]}
	for _, q := range t.All {
		if !q.Side {
			t.Requests = append(t.Requests, q)
		}
	}
	t.Results = m.results(t.All)
	return t
}

// Others returns the other paths that the client asked for.
func (m *Model) Others() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.others...)
}

func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	came := time.Now()
	if r.URL.Path == "/v1/messages/count_tokens" {
		n, _ := io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"input_tokens":%d}`, n/4)
		return
	}
	if r.URL.Path != "/v1/messages" || r.Method != http.MethodPost {
		m.mu.Lock()
		m.others = append(m.others, r.Method+" "+r.URL.Path)
		m.mu.Unlock()
		http.NotFound(w, r)
		return
	}
	var body struct {
		Model    string          `json:"model"`
		Stream   bool            `json:"stream"`
		System   json.RawMessage `json:"system"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	var raw json.RawMessage
	if err := json.NewDecoder(r.Body).Decode(&raw); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	req := Request{Body: string(raw), System: body.System, Came: came}
	for _, x := range body.Messages {
		req.Messages = append(req.Messages, Message{x.Role, blocks(x.Content)})
	}
	for _, t := range body.Tools {
		req.Tools = append(req.Tools, t.Name)
	}
	at, text, calls := m.answer(&req)
	if (!req.Side || req.Summary) && req.Agent == "" {
		m.held(r)
	}
	tokens := 100
	if m.ByLength {
		tokens = len(raw) / 4
	}
	send(w, m.message(), body.Model, tokens, body.Stream, text, calls)
	m.sent(at)
}

type toolUse struct {
	id string
	Call
}

// sent notes that the answer to a request is on its way.
func (m *Model) sent(at int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests[at].Sent = time.Now()
}

// answer chooses the reply and records the request, at which place it says.
func (m *Model) answer(req *Request) (at int, text string, calls []toolUse) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text, calls = m.choose(req)
	m.requests = append(m.requests, *req)
	return len(m.requests) - 1, text, calls
}

func (m *Model) choose(req *Request) (string, []toolUse) {
	for _, x := range req.Messages[max(0, len(req.Messages)-2):] {
		if strings.Contains(x.text(), summaryAsk) {
			req.Side, req.Summary = true, true
			return "<summary>\nscripted summary\n</summary>", nil
		}
		if strings.Contains(x.text(), suggestAsk) {
			req.Side = true
			return "ok", nil
		}
	}
	if !contains(req.Tools, "Bash") && !contains(req.Tools, "Write") {
		req.Side = true
		return "ok", nil
	}
	if _, after, ok := strings.Cut(req.first(), AgentPrefix); ok {
		req.Agent = strings.Fields(after)[0]
		q := m.agents[req.Agent]
		if len(q) == 0 {
			return "agent done", nil
		}
		m.agents[req.Agent] = q[1:]
		return "", m.number(q[0])
	}
	if len(m.steps) == 0 {
		m.ends++
		return "done", nil
	}
	s := m.steps[0]
	m.steps = m.steps[1:]
	return "", m.number(s)
}

// message is a fresh id: the client joins messages that share one.
func (m *Model) message() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.serial++
	return fmt.Sprintf("msg_%s_%06d", m.port(), m.serial)
}

func (m *Model) port() string { return m.URL[strings.LastIndexByte(m.URL, ':')+1:] }

func (m *Model) number(s Step) []toolUse {
	var out []toolUse
	for _, c := range s {
		if c.Do != nil {
			c.Do()
			continue
		}
		m.serial++
		id := fmt.Sprintf("toolu_%s_%06d", m.port(), m.serial) // no other session's: a resumed one has both
		m.calls[id] = c
		out = append(out, toolUse{id, c})
	}
	return out
}

// Text is everything that a request shows the model, apart from the definitions of tools.
func (r Request) Text() string {
	var b strings.Builder
	for _, k := range blocks(r.System) {
		b.WriteString(k.Text + "\n")
	}
	for _, m := range r.Messages {
		for _, k := range m.Blocks {
			b.WriteString(k.Text + "\n")
		}
	}
	return b.String()
}

func (r Request) first() string {
	for _, x := range r.Messages {
		if x.Role == "user" {
			return x.text()
		}
	}
	return ""
}

func (x Message) text() string {
	var b strings.Builder
	for _, k := range x.Blocks {
		if k.Type == "text" {
			b.WriteString(k.Text + "\n")
		}
	}
	return b.String()
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// blocks reads message content: a string, or a list of blocks.
func blocks(raw json.RawMessage) []Block {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return []Block{{Type: "text", Text: s}}
	}
	var list []struct {
		Type      string          `json:"type"`
		Text      string          `json:"text"`
		ToolUseID string          `json:"tool_use_id"`
		IsError   bool            `json:"is_error"`
		Content   json.RawMessage `json:"content"`
	}
	json.Unmarshal(raw, &list)
	var out []Block
	for _, x := range list {
		b := Block{x.Type, x.Text, x.ToolUseID, x.IsError}
		if x.Type == "tool_result" {
			for _, y := range blocks(x.Content) {
				b.Text += y.Text
			}
		}
		out = append(out, b)
	}
	return out
}

// send writes the reply, as server-sent events if the client asked for a stream.
func send(w http.ResponseWriter, id, model string, tokens int, stream bool, text string, calls []toolUse) {
	stop := "end_turn"
	if len(calls) > 0 {
		stop = "tool_use"
	}
	type object map[string]any
	usage := object{"input_tokens": tokens, "output_tokens": 10}
	if !stream {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(object{"id": id, "type": "message", "role": "assistant", "model": model,
			"content": []object{{"type": "text", "text": text}}, "stop_reason": stop, "stop_sequence": nil, "usage": usage})
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(name string, data object) {
		data["type"] = name
		b, _ := json.Marshal(data)
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, b)
	}
	event("message_start", object{"message": object{"id": id, "type": "message", "role": "assistant", "model": model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage}})
	index := 0
	block := func(start, delta object) {
		event("content_block_start", object{"index": index, "content_block": start})
		event("content_block_delta", object{"index": index, "delta": delta})
		event("content_block_stop", object{"index": index})
		index++
	}
	if text != "" {
		block(object{"type": "text", "text": ""}, object{"type": "text_delta", "text": text})
	}
	for _, c := range calls {
		in, _ := json.Marshal(c.Input)
		block(object{"type": "tool_use", "id": c.id, "name": c.Name, "input": object{}},
			object{"type": "input_json_delta", "partial_json": string(in)})
	}
	event("message_delta", object{"delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": 10}})
	event("message_stop", object{})
}
