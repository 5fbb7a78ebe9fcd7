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
// counts. Any other (args, async, if, once, …) is not what D15 prints.
var plainKeys = []string{"type", "command", "statusMessage", "timeout"}

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
	if h.Event == moiraicore.PreToolUse && h.Rest != Guard {
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
	return finding(name, "%s: %s: %s: %s", h.Source.Path, h.Event, fmt.Sprintf(format, args...), h.Command)
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
// guard is judged by itself.
func (h Hook) isKnownForm() bool {
	_, _, loads := h.Page()
	return loads || h.Program != "" && h.Name == moiraicore.GateName &&
		(h.Event == moiraicore.PreToolUse || strings.TrimSpace(h.Rest) == "")
}

// guardFault says what follows the gate in the place of the guard.
func (h Hook) guardFault() string {
	switch strings.TrimSpace(h.Rest) {
	case "":
		return "no guard: if the gate is missing or killed, every tool runs"
	case unscopedGuard:
		return "guard without scope: if the gate is missing, every session on the machine is blocked"
	}
	return "not the guard that make wiring prints"
}
