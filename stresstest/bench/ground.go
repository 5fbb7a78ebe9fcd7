package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"moirai/stresstest/rig"
)

// ground is what the hooks run on: a constellation, a folder elsewhere, and token
// files of four sessions.
type ground struct {
	programs  string
	root      string
	elsewhere string
	null      uintptr
}

const (
	tokenDir = "/tmp/moirai/hades/"
	home     = "/tmp/home"
)

// Sessions, by what their token files hold.
const (
	sessionOpen   = "bench-open"   // four markers in four lines
	sessionClosed = "bench-closed" // three markers
	sessionLong   = "bench-long"   // four markers in 10,000 lines
	sessionNew    = "bench-new"    // none: the loader's and /start's
)

func newGround(programs string) (*ground, error) {
	root, err := rig.Constellation(home+"/constellation-hades", rig.SizedContents(8_000))
	if err != nil {
		return nil, err
	}
	g := &ground{programs: programs, root: root, elsewhere: home + "/project"}
	if err := os.Mkdir(g.elsewhere, 0o755); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(tokenDir, 0o700); err != nil {
		return nil, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	g.null = null.Fd()
	load := g.load()
	start := "1700000100 START_ACK UserPromptSubmit main\n"
	// A file grows by compactions: a void, and the three markers again.
	void := "1700000200 LOAD_VOID PreCompact main\n"
	for session, text := range map[string]string{
		sessionOpen: load + start, sessionClosed: load, sessionLong: start + load + strings.Repeat(void+load, 2499),
	} {
		if err := os.WriteFile(tokenDir+"session-"+session, []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// load is what a load of one page records.
func (g *ground) load() string {
	var b strings.Builder
	for i, marker := range rig.Markers {
		b.WriteString("1700000000 " + marker + " SessionStart main " + g.root + "/" + rig.Required[i] + "\n")
	}
	return b.String()
}

// hook is a call of a hook with a payload.
func (g *ground) hook(name string, want int, payload stdin) process {
	path := filepath.Join(g.programs, name)
	return process{path: path, args: []string{path}, dir: g.root, in: payload, want: want}
}

// bash is a Bash call of about a kilobyte.
func (g *ground) bash(session, cwd string) stdin {
	s := rig.Session{ID: session, Cwd: cwd}
	return stdin{head: s.PreToolUse("Bash", map[string]any{"command": "ls " + strings.Repeat("a long path/", 40), "description": "List"})}
}

// writing is a Write call of about so many bytes, with the escapes of source code.
func (g *ground) writing(bytes int) stdin {
	line, _ := json.Marshal("\tif err != nil { return fmt.Errorf(\"line \\\"%d\\\"\", n) } // źdźbło\n")
	chunk := []byte(strings.Repeat(string(line[1:len(line)-1]), 1000))
	s := rig.Session{ID: sessionOpen, Cwd: g.root}
	head, tail, _ := strings.Cut(string(s.PreToolUse("Write", map[string]any{"file_path": "/x", "content": "@"})), "@")
	return stdin{head: []byte(head), tail: []byte(tail), chunk: chunk, times: bytes / len(chunk)}
}

// anew takes the token file of the new session away.
func anew() error {
	err := os.Remove(tokenDir + "session-" + sessionNew)
	if os.IsNotExist(err) {
		return nil
	}
	return err
}
