package wiring

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"moirai/moiraicore"
)

// unscopedGuard blocks every session on the machine when the binary is gone
// (CLIENT-CONTRACT).
const unscopedGuard = "|| exit 2"

// plainKeys are the keys of a hook's object that change neither when nor how it
// counts; args is judged by isKnownForm. Any other (async, if, once, …) is not
// what D15 prints.
var plainKeys = []string{"type", "command", "args", "statusMessage", "timeout"}

// faults lists what is wrong with the command where it stands, whatever else is
// wired.
func (h Hook) faults() []Finding {
	found := h.formFaults()
	if t, ok := h.keys["timeout"]; ok {
		found = append(found, h.fault(HasTimeout, "timeout %v: a hook that the client times out lets the tool run; take the key away", t))
	}
	if !h.serves() {
		return append(found, h.fault(BadEvent, "%s does not serve this event", h.Name))
	}
	if !h.isKnownForm() {
		found = append(found, h.fault(BadForm, "not the form that make wiring prints"))
	}
	if !h.matches() {
		found = append(found, h.fault(BadMatcher, "matcher %q lets %s slip; make it %s", h.Matcher, slips[h.Event], wanted(h.Event)))
	}
	if h.Program == "" {
		return found // no guard or program to judge
	}
	if guarded(h.Event) && !h.Exec && h.Rest != Guard {
		found = append(found, h.fault(BadGuard, "%s", h.guardFault()))
	}
	info, err := os.Stat(h.Program)
	switch {
	case err != nil:
		found = append(found, h.fault(NoProgram, "%v", err))
	case !info.Mode().IsRegular() || info.Mode()&0o111 == 0:
		found = append(found, h.fault(NoProgram, "%s is not an executable file (%v)", h.Program, info.Mode()))
	}
	return found
}

func (h Hook) fault(name, format string, args ...any) Finding {
	command := h.Command
	if h.Exec && h.Rest != "" {
		command += " " + h.Rest
	}
	return finding(name, "%s: %s: %s: %s", h.Source.Path, h.Event, fmt.Sprintf(format, args...), command)
}

// formFaults judges the keys beside the command.
func (h Hook) formFaults() []Finding {
	var found []Finding
	if h.keys["type"] != "command" {
		found = append(found, h.fault(BadForm, "type %q is not run as a command", h.keys["type"]))
	}
	for _, key := range slices.Sorted(maps.Keys(h.keys)) {
		if !slices.Contains(plainKeys, key) && !(key == "shell" && h.keys[key] == "bash") {
			found = append(found, h.fault(BadForm, "key %q changes when or how the hook counts", key))
		}
	}
	return found
}

// isKnownForm tells whether the text is the program with what may follow it; a
// guard is judged by itself, and what stands beside it by execFaults.
func (h Hook) isKnownForm() bool {
	_, _, loads := h.Page()
	plain := h.Program != "" && h.Name == moiraicore.GateName && strings.TrimSpace(h.Rest) == ""
	return loads || plain || h.Program != "" && guarded(h.Event) && !h.Exec
}

// guardFault says what follows the gate in the place of the guard.
func (h Hook) guardFault() string {
	switch strings.TrimSpace(h.Rest) {
	case "":
		return "no guard: if the gate is missing or killed, the client goes on"
	case unscopedGuard:
		return "guard without scope: if the gate is missing, every session on the machine is blocked"
	}
	if slices.Contains(formerGuards[:], h.Rest) {
		return "the guard of an earlier version: shell options and functions in the environment bend it, and a deleted folder hides the session from it"
	}
	return "not the guard that make wiring prints"
}

// execFaults finds a guarded hook in exec form that stands alone, without a guard
// then, and a managed hook that lacks exec form: what reaches the shell could answer for
// it, or keep it from recording.
func execFaults(hooks []Hook) []Finding {
	var found []Finding
	for _, h := range hooks {
		beside := slices.ContainsFunc(hooks, func(o Hook) bool {
			return o.Event == h.Event && o.Exec != h.Exec && o.serves() && o.Program != ""
		})
		switch {
		case beside || !h.serves() || h.Program == "":
		case h.Exec && guarded(h.Event):
			found = append(found, h.fault(BadForm, "exec form alone: nothing guards it if the program is missing"))
		case h.Exec || h.Source.Tier != TierManaged:
		case guarded(h.Event):
			found = append(found, h.fault(NoExec, "no second entry in exec form beside it"))
		default:
			found = append(found, h.fault(NoExec, "not in exec form"))
		}
	}
	return found
}
