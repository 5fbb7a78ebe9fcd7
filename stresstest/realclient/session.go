package realclient

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"sort"
	"strings"
	"syscall"
	"time"
)

// Session is one running client in print mode, driven by stream-json.
type Session struct {
	ID     string
	Model  *Model
	Out    []string // every line of stdout
	Stderr *strings.Builder
	PID    int // of the client, or of the init of its namespaces (Wrap)

	ended bool
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines chan string
}

// Turn is what one prompt led to.
type Turn struct {
	Results  []Result  // tool results that the model was given, main agent and subagents
	Requests []Request // what the model was sent of the conversation
	All      []Request // the same with titles, topics and summaries, which come when they like
	Final    string    // the client's own result text
	Lines    []string
}

// Result is one tool call and what the model was told about it.
type Result struct {
	Call
	Agent   string
	Text    string
	IsError bool
}

// TurnLimit bounds one turn; far more than one takes.
const TurnLimit = 90 * time.Second

// String shows a result as evidence.
func (x Result) String() string {
	return x.Call.String() + "\n-> " + x.Text + "\n"
}

// Prompt sends a prompt with the steps that the model will take, and waits
// for the client's result.
func (s *Session) Prompt(text string, limit time.Duration, steps ...Step) (*Turn, error) {
	s.Model.Script(steps...)
	before := len(s.Model.Requests())
	if err := s.Send(text); err != nil {
		return nil, err
	}
	return s.Await(before, limit)
}

// Send types a prompt: a string, or a list of blocks.
func (s *Session) Send(content any) error {
	return s.Write(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": content}})
}

// Write gives the client a line of JSON.
func (s *Session) Write(message any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return err
	}
	if _, err := s.stdin.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("%.80s: %w", line, err)
	}
	return nil
}

// Read shows each line that the client prints to last, until that says so.
func (s *Session) Read(limit time.Duration, last func(line string) bool) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		select {
		case line, ok := <-s.lines:
			if !ok {
				return fmt.Errorf("the client ended without a result: %s", s.Stderr)
			}
			s.Out = append(s.Out, line)
			if last(line) {
				return nil
			}
		case <-timer.C:
			return fmt.Errorf("no result after %v", limit)
		}
	}
}

// Await waits for the client's result of what was sent; the model had so many requests before.
func (s *Session) Await(before int, limit time.Duration) (*Turn, error) {
	var lines []string
	var final string
	err := s.Read(limit, func(line string) bool {
		lines = append(lines, line)
		var m struct {
			Type, Subtype, Result string
			Session_id            string
		}
		json.Unmarshal([]byte(line), &m)
		if m.Session_id != "" {
			s.ID = m.Session_id
		}
		final = m.Result
		return m.Type == "result"
	})
	if err != nil {
		return nil, err
	}
	t := s.Model.Turn(before)
	t.Final, t.Lines = final, lines
	return t, nil
}

// results finds the tool results in requests, each once.
func (m *Model) results(requests []Request) []Result {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []Result
	var ids []string
	for _, r := range requests {
		for _, x := range r.Messages {
			for _, b := range x.Blocks {
				call, ours := m.calls[b.ToolUseID]
				if b.Type == "tool_result" && ours && !m.reported[b.ToolUseID] {
					m.reported[b.ToolUseID] = true
					out = append(out, Result{call, r.Agent, b.Text, b.IsError})
					ids = append(ids, b.ToolUseID)
				}
			}
		}
	}
	sort.Sort(byID{ids, out})
	return out
}

// byID puts results in the order of the calls: parallel ones end in any order.
type byID struct {
	ids     []string
	results []Result
}

func (b byID) Len() int           { return len(b.ids) }
func (b byID) Less(i, j int) bool { return b.ids[i] < b.ids[j] }
func (b byID) Swap(i, j int) {
	b.ids[i], b.ids[j] = b.ids[j], b.ids[i]
	b.results[i], b.results[j] = b.results[j], b.results[i]
}

// Start runs the client. cmd has its directory, arguments and environment.
func Start(cmd *exec.Cmd, model *Model) (*Session, error) {
	s := &Session{Model: model, cmd: cmd, lines: make(chan string, 1000), Stderr: &strings.Builder{}}
	cmd.Stderr = s.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.stdin = stdin
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s.PID = cmd.Process.Pid
	go func() {
		r := bufio.NewReader(stdout)
		for {
			line, err := r.ReadString('\n')
			if line != "" {
				s.lines <- strings.TrimSuffix(line, "\n")
			}
			if err != nil {
				close(s.lines)
				return
			}
		}
	}()
	return s, nil
}

// End closes the client's input and waits for its end.
func (s *Session) End(limit time.Duration) error {
	if s.ended {
		return nil
	}
	s.ended = true
	defer s.Model.Close()
	s.stdin.Close()
	timer := time.AfterFunc(limit, func() { syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL) })
	defer timer.Stop()
	for l := range s.lines {
		s.Out = append(s.Out, l)
	}
	return s.cmd.Wait()
}
