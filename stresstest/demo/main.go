// Command demo plays one session of a sample constellation with real payloads
// against the built hooks, and prints what the agent and the operator would
// see. It is not a test; stresstest is.
//
// It touches neither the home folder nor a live /tmp/moirai. Where the platform
// gives no private /tmp, it builds a copy of the hooks whose token directory is
// a temporary folder, from the same sources with that one literal replaced,
// and says so.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"moirai/stresstest/rig"
)

const conclusion = `
The gate was closed before /start and after the compaction, and open only while the rules stood in the context.
Every step ended with the exit code that it expects (make demo V=1 shows the payloads too).
`

const tokenLiteral = `TokenParent = "/tmp/moirai"`

func main() {
	bin := flag.String("bin", "bin", "folder of the built hooks")
	verbose := flag.Bool("v", false, "print the payload of every step")
	flag.Parse()
	iso, err := rig.Enter(rig.Request{Hooks: *bin})
	if err == nil {
		err = play(iso, printer{bold: isTerminal(os.Stdout) && os.Getenv("TERM") != "dumb", payloads: *verbose})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// play runs the whole session. Every step says what it expects, and the demo
// fails if it does not happen.
func play(iso *rig.Isolation, out printer) error {
	defer iso.Leave()
	hooks, tokens := iso.Hooks, "/tmp/moirai"
	if iso.PrivateTmp {
		fmt.Println("A private /tmp is mounted for this demo; nothing on the machine is touched.")
	} else {
		fmt.Printf("No private /tmp here (%s):\nthe hooks are built again with a temporary token directory; nothing on the machine is touched.\n", iso.Refused)
		hooks, tokens = filepath.Join(iso.Scratch, "bin"), filepath.Join(iso.Scratch, "moirai")
		if err := buildCopy(hooks, tokens); err != nil {
			return err
		}
	}
	root, err := rig.Constellation(filepath.Join(iso.Scratch, rig.RootName), rig.SmallContents())
	if err != nil {
		return err
	}
	s := session{hooks, filepath.Join(tokens, "hades", "session-demo"), rig.Session{ID: "demo", Cwd: root}, out}
	return s.steps()
}

// buildCopy builds the hooks into dir with another token directory.
func buildCopy(dir, tokens string) error {
	rules, err := filepath.Abs("moiraicore/rules.go")
	if err != nil {
		return err
	}
	text, err := os.ReadFile(rules)
	if err != nil {
		return err
	}
	changed := strings.Replace(string(text), tokenLiteral, fmt.Sprintf("TokenParent = %q", tokens), 1)
	if changed == string(text) {
		return fmt.Errorf("%s does not hold %s", rules, tokenLiteral)
	}
	copied, overlay := dir+"-rules.go", dir+"-overlay.json"
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{rules: copied}})
	if err != nil {
		return err
	}
	for path, data := range map[string][]byte{copied: []byte(changed), overlay: list} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return err
		}
	}
	build := exec.Command("go", "build", "-buildvcs=false", "-overlay", overlay, "-o", dir+"/", "./hades-gate", "./hades-session-load")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %v\n%s", err, out)
	}
	return nil
}

// session is the demo's own: its payloads have the shape in which the client was
// measured to send them.
type session struct {
	hooks, token string
	client       rig.Session
	out          printer
}

// printer says how the demo prints.
type printer struct {
	bold     bool // stdout is a terminal that knows escape codes
	payloads bool
}

func (p printer) heading(text string) {
	if p.bold {
		text = "\033[1m" + text + "\033[0m"
	}
	fmt.Println("\n" + text)
}

// isTerminal tells whether f is a character device. /dev/null is one too, and
// nobody reads it.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (s session) steps() error {
	bash := s.client.Bash()
	steps := []struct {
		says, hook string
		payload    []byte
		code       int
	}{
		{"The session starts: the loader prints the rule files, which the client puts into the agent's context.", "hades-session-load", s.client.SessionStart("startup"), 0},
		{"The agent calls Bash before /start. Exit 2: the tool does not run, and this is what the agent sees.", "hades-gate", bash, 2},
		{"The operator types /start. The gate records it and says nothing.", "hades-gate", s.client.Prompt("/start"), 0},
		{"The agent calls Bash again. Exit 0: the tool runs.", "hades-gate", bash, 0},
		{"The client compacts the conversation: the rules leave the context, so the load is void.", "hades-gate", s.client.PreCompact("auto"), 0},
		{"The agent calls Bash. Blocked again: markers 1–3 must be earned anew, /start need not.", "hades-gate", bash, 2},
		{"The client starts the session again after the compaction: loaded again.", "hades-session-load", s.client.SessionStart("compact"), 0},
		{"The agent calls Bash. The tool runs.", "hades-gate", bash, 0},
	}
	for i, step := range steps {
		s.out.heading(fmt.Sprintf("%d. %s", i+1, step.says))
		result, err := rig.Command{Path: filepath.Join(s.hooks, step.hook), Stdin: step.payload}.Run()
		if err != nil {
			return err
		}
		fmt.Println("   $ " + step.hook)
		if s.out.payloads {
			fmt.Printf("   stdin: %s\n", step.payload)
		}
		for _, line := range strings.Split(strings.TrimSuffix(result.Stdout+result.Stderr, "\n"), "\n") {
			if line != "" {
				fmt.Println("   │ " + line)
			}
		}
		fmt.Printf("   exit %d\n", result.Code)
		if result.Code != step.code {
			return fmt.Errorf("step %d: exit %d, expected %d", i+1, result.Code, step.code)
		}
	}
	token, err := os.ReadFile(s.token)
	if err != nil {
		return err
	}
	s.out.heading("The token file now (" + s.token + "):")
	fmt.Printf("%s", token)
	fmt.Print(conclusion)
	return nil
}
