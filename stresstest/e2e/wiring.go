package main

import "fmt"

// Guard is what D15 appends to a gate's command.
const guard = `; r=$?; case $r in 0|2) exit $r;; esac; case $(pwd -P)/ in *[Hh][Aa][Dd][Ee][Ss]*|/) exit 2;; esac; exit $r`

const homeHooks = `"$HOME"/.claude/hooks/moirai/`

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

// Hooks is the wiring of D15 with the programs of folder.
func Hooks(folder string, guarded bool) map[string]any {
	gate := command(folder + "hades-gate")
	tool := gate
	if guarded {
		tool = command(folder + "hades-gate" + guard)
	}
	var loaders []map[string]any
	for k := 1; k <= 4; k++ {
		loaders = append(loaders, command(fmt.Sprintf("%shades-session-load %d/4", folder, k)))
	}
	return map[string]any{
		"SessionStart":     []any{entry("", loaders...)},
		"UserPromptSubmit": []any{entry("", gate)},
		"PreToolUse":       []any{entry("", tool)},
		"PostToolUse":      []any{entry("Read", gate)},
		"PreCompact":       []any{entry("", gate)},
	}
}

// Wiring is the user settings of D15.
func Wiring() Settings { return Settings{"hooks": Hooks(homeHooks, true)} }

// Add puts a further entry behind those of an event, and returns the settings.
func (s Settings) Add(event string, e map[string]any) Settings {
	hooks := s["hooks"].(map[string]any)
	list, _ := hooks[event].([]any)
	hooks[event] = append(list, e)
	return s
}

// record is a hook that keeps the payloads of an event in a file.
func record(file string) map[string]any {
	return command("cat >> " + file + "; echo >> " + file)
}

// ManagedWiring is the drop-in of D15 with the programs of folder.
func ManagedWiring(folder string) Settings {
	pins := map[string]string{}
	for _, name := range []string{"CLAUDE_CODE_SHELL_PREFIX", "LD_PRELOAD"} {
		pins[name] = ""
	}
	return Settings{"hooks": Hooks(folder+"/", true), "env": pins}
}
