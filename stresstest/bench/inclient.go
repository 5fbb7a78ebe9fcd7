package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"moirai/stresstest/realclient"
	"moirai/stresstest/rig"
)

// What people would take instead: the gate of the bash-era spec, and a guard for Node.
var (
	//go:embed others/hades-gate.sh
	bashGate string
	//go:embed others/guard.js
	nodeGuard string
)

const bashFile, nodeFile = "hades-gate.sh", "guard.js"

// writeOthers writes both into a folder.
func writeOthers(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range map[string]string{bashFile: bashGate, nodeFile: nodeGuard} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			return err
		}
	}
	return nil
}

// The wirings of a session of calls, by their place in wirings.
const (
	noHook = iota
	colon
	user
	managed
	bash
	node
)

// starts is how many loaders are wired at the starts that are measured.
var starts = [...]int{0, 4, 8, 16}

// inClient is what sessions of the real client told, by wiring and round.
type inClient struct {
	version string
	names   []string
	calls   [][quantities][][]float64
	starts  [len(starts)][][]float64
}

type hooks = map[string][]map[string]any

// wirings writes the programs to compare with and returns what the sessions are wired with.
func wirings(printed realclient.Wirings, scratch string) ([]wiring, error) {
	others := filepath.Join(scratch, "others")
	if err := writeOthers(others); err != nil {
		return nil, err
	}
	// The others need somebody to record the load, and the guard for Node the start.
	load, gate := loaders(1), command(`"$HOME"/.claude/hooks/moirai/hades-gate`)
	sh, js := command(filepath.Join(others, bashFile)), command("node "+filepath.Join(others, nodeFile))
	return []wiring{
		noHook:  {name: "no hook"},
		colon:   {name: "a hook that is `:`", user: settings(hooks{"PreToolUse": {command(":")}})},
		user:    {name: "Moirai, user settings", user: string(printed.User)},
		managed: {name: "Moirai, managed", managed: string(printed.Managed)},
		bash:    {name: "the bash version", user: settings(hooks{"SessionStart": load, "UserPromptSubmit": {sh}, "PreToolUse": {sh}})},
		node:    {name: "a guard for Node", user: settings(hooks{"SessionStart": load, "UserPromptSubmit": {gate}, "PreToolUse": {js}})},
	}, nil
}

// loaders are so many loaders of one event.
func loaders(n int) (list []map[string]any) {
	for k := 1; k <= n; k++ {
		list = append(list, command(fmt.Sprintf(`"$HOME"/.claude/hooks/moirai/hades-session-load %d/%d`, k, n)))
	}
	return list
}

// playInClient plays the sessions of every wiring in turn.
func playInClient(client *realclient.Client, iso *rig.Isolation, rounds int) (*inClient, error) {
	printed, err := realclient.Printed(iso.Hooks, iso.Scratch)
	if err != nil {
		return nil, err
	}
	all, err := wirings(printed, iso.Scratch)
	if err != nil {
		return nil, err
	}
	in := &inClient{version: client.Version, calls: make([][quantities][][]float64, len(all))}
	for _, n := range starts {
		w := wiring{name: "a start with " + strconv.Itoa(n) + " loaders"}
		if n > 0 {
			w.user = settings(hooks{"SessionStart": loaders(n)})
		}
		all = append(all, w)
	}
	dir, err := os.MkdirTemp(iso.Scratch, "stages-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var stages []*stage
	for i, w := range all {
		s, err := newStage(w, client, iso, filepath.Join(dir, strconv.Itoa(i)))
		if err != nil {
			return nil, err
		}
		in.names, stages = append(in.names, w.name), append(stages, s)
	}
	for n := range rounds {
		for i := range stages {
			i = (i + n) % len(stages) // no wiring always follows the same one
			if err := in.play(i, stages[i]); err != nil {
				return nil, fmt.Errorf("%s: %w", stages[i].name, err)
			}
		}
	}
	return in, nil
}

// startsEach is how many starts a round has of each kind: they are short, and differ more
// than calls do.
const startsEach = 3

func (in *inClient) play(i int, s *stage) error {
	if i < len(in.calls) {
		h, err := s.play()
		for q := range h {
			in.calls[i][q] = append(in.calls[i][q], h[q])
		}
		return err
	}
	var took []float64
	for range startsEach {
		t, err := s.begin()
		if err != nil {
			return err
		}
		took = append(took, t)
	}
	at := &in.starts[i-len(in.calls)]
	*at = append(*at, took)
	return nil
}

// over is what a wiring costs more than no hook.
func (in *inClient) over(wiring, quantity int) estimate {
	return over(in.calls[wiring][quantity], in.calls[noHook][quantity])
}

// startOver is what so many loaders cost at a start.
func (in *inClient) startOver(i int) estimate { return over(in.starts[i], in.starts[0]) }

// promptOver is what the loaders that have nothing to say cost at a prompt: user settings
// over a wiring that has the gate there and no loader.
func (in *inClient) promptOver(quantity int) estimate {
	return over(in.calls[user][quantity], in.calls[node][quantity])
}

// goals judges what the sessions told.
func (in *inClient) goals() (list []goal) {
	for _, w := range [...]int{user, managed} {
		e := in.over(w, wallAlone)
		list = append(list, goal{in.names[w] + ": wall time of an allowed call over no hook, ms", "what 200 calls tell from none", e.String(), e.low <= 0})
	}
	slow := in.over(bash, cpuAlone).mid
	for _, x := range [...]struct {
		wiring int
		part   float64
	}{{user, 20}, {managed, 12}} {
		got := slow / in.over(x.wiring, cpuAlone).mid
		list = append(list, goal{in.names[x.wiring] + ": processor time of an allowed call, as a part of the bash version's",
			fmt.Sprintf("1/%.0f", x.part), fmt.Sprintf("1/%.0f", got), got >= x.part || got < 0})
	}
	for i, n := range starts {
		if n == 8 {
			e := in.startOver(i)
			list = append(list, goal{"a start with 8 loaders over one with none, ms", "15", e.String(), e.mid <= 15})
		}
	}
	return list
}

// print shows the figures.
func (in *inClient) print() {
	fmt.Printf("in the client %s, over no hook: ms for each call; median, and the interval that holds it\n", in.version)
	fmt.Printf("  %-24s %-25s %-25s %-25s %-25s\n", "", "wall, alone", "wall, eight in a message", "processor, alone", "processor, eight")
	for w := range in.calls[1:] {
		w++
		fmt.Printf("  %-24s %-25s %-25s %-25s %-25s\n", in.names[w], in.over(w, wallAlone), in.over(w, wallTogether), in.over(w, cpuAlone), in.over(w, cpuTogether))
	}
	fmt.Printf("  %-24s %-25s %-25s %-25s\n", "", "wall, a prompt", "processor, a prompt", "wall, a Write of 3 MB")
	for w := range in.calls[1:] {
		w++
		fmt.Printf("  %-24s %-25s %-25s %-25s\n", in.names[w], in.over(w, wallPrompt), in.over(w, cpuPrompt), in.over(w, wallWrite))
	}
	fmt.Printf("  8 silent loaders at a prompt: wall %s, processor %s\n", in.promptOver(wallPrompt), in.promptOver(cpuPrompt))
	for i, n := range starts[1:] {
		fmt.Printf("  a start with %d loaders: wall %s\n", n, in.startOver(i+1))
	}
}
