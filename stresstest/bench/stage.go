package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"moirai/stresstest/realclient"
	"moirai/stresstest/rig"
)

// wiring is what hooks a session has.
type wiring struct {
	name          string
	user, managed string // settings
}

// stage is where the sessions of one wiring play: a home, a /tmp and a constellation.
type stage struct {
	wiring
	client                      *realclient.Client
	scratch                     string
	home, root, managedDir, tmp string
}

// notes is how many files there are to be read in the constellation.
const notes = alone + messages*together

func newStage(w wiring, c *realclient.Client, iso *rig.Isolation, dir string) (*stage, error) {
	s := &stage{wiring: w, client: c, scratch: iso.Scratch, home: filepath.Join(dir, "home"), managedDir: filepath.Join(dir, "managed"), tmp: filepath.Join(dir, "tmp")}
	hooks := filepath.Join(s.home, ".claude/hooks/moirai")
	for _, d := range []string{hooks, filepath.Join(s.managedDir, "managed-settings.d"), s.tmp} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"hades-gate", "hades-session-load"} {
		if err := os.Symlink(filepath.Join(iso.Hooks, name), filepath.Join(hooks, name)); err != nil {
			return nil, err
		}
	}
	var err error
	if s.root, err = rig.Constellation(filepath.Join(dir, rig.RootName), rig.SizedContents(8_000)); err != nil {
		return nil, err
	}
	files := map[string]string{filepath.Join(s.root, ".claude/commands/start.md"): "Say start.\n"}
	for i := range notes {
		files[s.note(i)] = fmt.Sprintf("Note %d.\n", i)
	}
	if w.user != "" {
		files[filepath.Join(s.home, ".claude/settings.json")] = w.user
	}
	if w.managed != "" {
		files[filepath.Join(s.managedDir, "managed-settings.d/50-moirai.json")] = w.managed
	}
	for path, text := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *stage) note(i int) string { return filepath.Join(s.root, "notes", strconv.Itoa(i)+".md") }

func (s *stage) read(i int) realclient.Call {
	return realclient.Call{Name: "Read", Input: map[string]any{"file_path": s.note(i)}}
}

// session starts the client in the constellation.
func (s *stage) session() (*realclient.Session, error) {
	model, err := realclient.NewModel()
	if err != nil {
		return nil, err
	}
	args := append(realclient.PrintMode[:len(realclient.PrintMode):len(realclient.PrintMode)], "--dangerously-skip-permissions")
	cmd := s.client.Command(args...)
	cmd.Dir = s.root
	if cmd.Env, err = realclient.Environment(s.scratch, s.home, model.URL, realclient.Quiet...); err != nil {
		return nil, err
	}
	if err := realclient.Wrap(cmd, s.scratch, s.tmp, s.managedDir, ""); err != nil {
		return nil, err
	}
	return realclient.Start(cmd, model)
}

// How a session goes: so many prompts, so many calls alone, so many messages of eight calls
// at once, and one big Write.
const (
	prompts  = 5
	alone    = 20
	messages = 3
	together = 8
	writing  = 3 << 20 // bytes
)

// What is heard of a session, in milliseconds; of prompts and calls each one's.
const (
	wallPrompt = iota
	wallAlone
	wallTogether // the message's, by the number of its calls
	wallWrite
	cpuPrompt // processor time, children too; one value, by the number of calls
	cpuAlone
	cpuTogether
	quantities
)

type heard [quantities][]float64

func ms(d time.Duration) float64 { return float64(d) / 1e6 }

// play plays one session of calls. Each call must have run: what is measured is what
// an allowed call costs.
func (s *stage) play() (h heard, err error) {
	session, err := s.session()
	if err != nil {
		return h, err
	}
	defer session.End(5 * time.Second)
	if _, err := session.Prompt("/start", realclient.TurnLimit); err != nil {
		return h, err
	}
	at := []time.Duration{processor(session.PID)}
	for range prompts {
		typed := time.Now()
		turn, err := session.Prompt("hello", realclient.TurnLimit)
		if err != nil {
			return h, err
		}
		h[wallPrompt] = append(h[wallPrompt], ms(turn.Requests[0].Came.Sub(typed)))
	}
	steps := s.calls(func() { at = append(at, processor(session.PID)) })
	turn, err := session.Prompt("go", realclient.TurnLimit, steps...)
	if err != nil {
		return h, err
	}
	if err := os.Remove(s.big()); err != nil {
		return h, err
	}
	if err := ran(turn, notes+1); err != nil {
		return h, err
	}
	for i := range steps {
		took := ms(turn.Requests[i+1].Came.Sub(turn.Requests[i].Sent))
		switch {
		case i < alone:
			h[wallAlone] = append(h[wallAlone], took)
		case i < alone+messages:
			h[wallTogether] = append(h[wallTogether], took/together)
		default:
			h[wallWrite] = append(h[wallWrite], took)
		}
	}
	for i, n := range [...]time.Duration{prompts, alone, messages * together} {
		h[cpuPrompt+i] = []float64{ms((at[i+1] - at[i]) / n)}
	}
	return h, nil
}

// calls are the messages of the model in one turn. It calls snap before the first call,
// before the first message of eight, and before the Write.
func (s *stage) calls(snap func()) (steps []realclient.Step) {
	look := realclient.Call{Do: snap}
	for i := range alone {
		steps = append(steps, realclient.Step{s.read(i)})
	}
	for k := range messages {
		var m realclient.Step
		for i := range together {
			m = append(m, s.read(alone+k*together+i))
		}
		steps = append(steps, m)
	}
	content := strings.Repeat("a line of a big file, as a model writes one\n", writing/44)
	steps = append(steps, realclient.Step{{Name: "Write", Input: map[string]any{"file_path": s.big(), "content": content}}})
	for _, i := range [...]int{0, alone, alone + messages} {
		steps[i] = append(realclient.Step{look}, steps[i]...)
	}
	return steps
}

func (s *stage) big() string { return filepath.Join(s.root, "big") }

// begin plays the start of a session and returns how long it took, until the model was
// asked for the first time.
func (s *stage) begin() (took float64, err error) {
	began := time.Now()
	session, err := s.session()
	if err != nil {
		return 0, err
	}
	defer session.End(5 * time.Second)
	turn, err := session.Prompt("hello", realclient.TurnLimit)
	if err != nil {
		return 0, err
	}
	return ms(turn.Requests[0].Came.Sub(began)), nil
}

// ran checks that so many calls ran.
func ran(turn *realclient.Turn, want int) error {
	if len(turn.Results) != want {
		return fmt.Errorf("%d calls ended, expected %d", len(turn.Results), want)
	}
	for _, r := range turn.Results {
		if r.IsError {
			return fmt.Errorf("a call did not run: %.1000s", r)
		}
	}
	return nil
}

// command is a hook of settings.
func command(line string) map[string]any { return map[string]any{"type": "command", "command": line} }

// settings wires hooks on events, each for every tool.
func settings(hooks map[string][]map[string]any) string {
	events := map[string]any{}
	for event, list := range hooks {
		events[event] = []any{map[string]any{"hooks": list}}
	}
	b, _ := json.Marshal(map[string]any{"hooks": events})
	return string(b)
}
