package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Settings is a settings file of the client.
type Settings map[string]any

// JSON is the settings as the client reads them.
func (s Settings) JSON() string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(s); err != nil {
		panic(err)
	}
	return b.String()
}

// Add puts a further entry behind those of an event, and returns the settings.
func (s Settings) Add(event string, e map[string]any) Settings {
	hooks, ok := s["hooks"].(map[string]any)
	if !ok {
		hooks = map[string]any{}
		s["hooks"] = hooks
	}
	list, _ := hooks[event].([]any)
	hooks[event] = append(list, e)
	return s
}

// command is one hook of the client's settings.
func command(line string) map[string]any {
	return map[string]any{"type": "command", "command": line}
}

// entry is a list of hooks for one event, for every tool or those that match.
func entry(matcher string, hooks ...map[string]any) map[string]any {
	e := map[string]any{"hooks": hooks}
	if matcher != "" {
		e["matcher"] = matcher
	}
	return e
}

// record is a hook that keeps the payloads of an event in a file.
func record(file string) map[string]any {
	return command("cat >> " + file + "; echo >> " + file)
}

// Wiring is the user settings that operate wiring prints.
func (r *Run) Wiring() Settings { return r.parse(r.wired.User) }

// ManagedWiring is the drop-in that operate wiring-managed prints.
func (r *Run) ManagedWiring() Settings { return r.parse(r.wired.Managed) }

func (r *Run) parse(b []byte) Settings {
	var s Settings
	r.must(json.Unmarshal(b, &s))
	return s
}

// Unguarded is the wiring without the guard of D15: what follows the gate's path is cut off.
func (r *Run) Unguarded() Settings {
	s := r.Wiring()
	cut := 0
	for event := range s["hooks"].(map[string]any) {
		s.eachHook(event, func(h map[string]any) bool {
			line, _, ok := strings.Cut(h["command"].(string), " ||")
			if ok {
				cut++
			}
			h["command"] = line
			return true
		})
	}
	if cut == 0 {
		r.must(fmt.Errorf("operate wiring prints no guard"))
	}
	return s
}

// eachHook lets change see and change each hook of an event; one for which it returns
// false is taken out.
func (s Settings) eachHook(event string, change func(hook map[string]any) bool) {
	list, _ := s["hooks"].(map[string]any)[event].([]any)
	for _, e := range list {
		e := e.(map[string]any)
		e["hooks"] = slices.DeleteFunc(e["hooks"].([]any), func(h any) bool { return !change(h.(map[string]any)) })
	}
}

// ShellOnly is the managed drop-in with a shell before each hook: only the pins stand
// before that. Where an entry in shell form is there beside one in exec form, the latter goes.
func (r *Run) ShellOnly() Settings {
	s := r.ManagedWiring()
	changed := 0
	for event := range s["hooks"].(map[string]any) {
		inShell := false
		s.eachHook(event, func(h map[string]any) bool {
			args, isExec := h["args"].([]any)
			inShell = inShell || !isExec
			if !isExec {
				return true
			}
			changed++
			h["command"] = fmt.Sprint(append([]any{h["command"], " "}, args...)...)
			delete(h, "args")
			return !inShell
		})
	}
	if changed == 0 {
		r.must(fmt.Errorf("operate wiring-managed prints no exec form"))
	}
	return s
}

// Install installs the hooks into the world's home with operate install, in
// the place of the links that World made.
func (w *World) Install() string {
	w.run.must(os.RemoveAll(w.hooks()))
	return w.operate("install")
}

// operate runs the operator's program in the world's home.
func (w *World) operate(args ...string) string {
	cmd := exec.Command(filepath.Join(w.run.bin, "operate"), args...)
	cmd.Env = []string{"HOME=" + w.Home, "PATH=/usr/local/bin:/usr/bin:/bin"}
	cmd.Dir = w.Root
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out) + err.Error()
	}
	return string(out)
}
