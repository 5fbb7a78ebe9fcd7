package wiring

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"moirai/moiraicore"
)

// Hook is one wired command that names a program of ours, taken apart.
type Hook struct {
	Source  *Source
	Event   string
	Matcher string
	Command string
	Program string // what it runs, absolute; empty if that cannot be told
	Name    string // moiraicore.GateName or LoaderName
	Rest    string // what follows the program, guard or K/N

	keys map[string]any // of the hook's object
}

// ours are the names that install makes, the bash version's among them (D16).
var ours = map[string]string{
	moiraicore.GateName:           moiraicore.GateName,
	moiraicore.GateName + ".sh":   moiraicore.GateName,
	moiraicore.LoaderName:         moiraicore.LoaderName,
	moiraicore.LoaderName + ".sh": moiraicore.LoaderName,
}

var namesOurs = regexp.MustCompile(`(^|[^A-Za-z0-9_-])(` + moiraicore.GateName + `|` + moiraicore.LoaderName + `)(\.sh)?($|[^A-Za-z0-9_-])`)

// parseHook takes a command apart. A command that names one of our programs
// anywhere but in its first word is ours too, without a Program.
func parseHook(command, home string) (Hook, bool) {
	path, rest, ok := firstWord(command, home)
	if name := ours[filepath.Base(path)]; ok && name != "" {
		return Hook{Command: command, Program: path, Name: name, Rest: rest}, true
	}
	if m := namesOurs.FindStringSubmatch(command); m != nil {
		return Hook{Command: command, Name: m[2]}, true
	}
	return Hook{}, false
}

// Page is which page of how many the command loads: K/N, 1/1 without an argument (D7).
func (h Hook) Page() (k, n int, ok bool) {
	arg := strings.TrimSpace(h.Rest)
	if arg == "" {
		return 1, 1, true
	}
	ks, ns, _ := strings.Cut(arg, "/")
	k, _ = strconv.Atoi(ks)
	n, _ = strconv.Atoi(ns)
	ok = 1 <= k && k <= n && n <= moiraicore.MaxPages && fmt.Sprintf("%d/%d", k, n) == arg
	return k, n, ok
}

// Runnable tells whether the command is of a form that we know, so that verify
// can run it and run nothing else with it.
func (h Hook) Runnable() bool {
	if h.Program == "" {
		return false
	}
	if h.Name == moiraicore.LoaderName {
		_, _, ok := h.Page()
		return ok
	}
	rest := strings.TrimSpace(h.Rest)
	return rest == "" || h.Rest == Guard || rest == unscopedGuard
}

// unscopedGuard blocks every session on the machine when the binary is gone
// (CLIENT-CONTRACT).
const unscopedGuard = "|| exit 2"

// plainKeys are the keys of a hook's object that change neither when nor how it
// counts. Any other (args, async, if, once, …) is not what D15 prints.
var plainKeys = []string{"type", "command", "statusMessage", "timeout"}

// faults lists what is wrong with the command where it stands, whatever else is
// wired.
func (h Hook) faults() []Finding {
	var found []Finding
	add := func(name, format string, args ...any) {
		found = append(found, finding(name, "%s: %s: %s", h.Source.Path, h.Event, fmt.Sprintf(format, args...)))
	}
	if h.keys["type"] != "command" {
		add(BadForm, "type %q is not run as a command: %s", h.keys["type"], h.Command)
	}
	for _, key := range slices.Sorted(maps.Keys(h.keys)) {
		if !slices.Contains(plainKeys, key) && !(key == "shell" && h.keys[key] == "bash") {
			add(BadForm, "key %q changes when or how the hook counts: %s", key, h.Command)
		}
	}
	if t, ok := h.keys["timeout"]; ok {
		add(HasTimeout, "timeout %v: a hook that the client times out lets the tool run; take the key away: %s", t, h.Command)
	}
	if !h.serves() {
		add(BadEvent, "%s does not serve this event: %s", h.Name, h.Command)
		return found
	}
	if !h.matches() {
		add(BadMatcher, "matcher %q lets %s slip; make it %s", h.Matcher, slips[h.Event], wanted(h.Event))
	}
	if h.Event == moiraicore.PreToolUse && h.Program != "" {
		h.guardFaults(add)
	}
	if h.Program == "" || h.Name == moiraicore.GateName && h.Event != moiraicore.PreToolUse && strings.TrimSpace(h.Rest) != "" {
		add(BadForm, "not the form that make wiring prints: %s", h.Command)
	}
	if _, _, ok := h.Page(); h.Name == moiraicore.LoaderName && h.Program != "" && !ok {
		add(BadForm, "bad page argument %q: %s", strings.TrimSpace(h.Rest), h.Command)
	}
	if h.Program != "" {
		if info, err := os.Stat(h.Program); err != nil {
			add(NoProgram, "%v", err)
		} else if !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			add(NoProgram, "%s is not an executable file (%v)", h.Program, info.Mode())
		}
	}
	return found
}

func (h Hook) guardFaults(add func(name, format string, args ...any)) {
	switch {
	case h.Rest == Guard:
	case strings.TrimSpace(h.Rest) == "":
		add(BadGuard, "no guard: if the gate is missing or killed, every tool runs: %s", h.Command)
	case strings.TrimSpace(h.Rest) == unscopedGuard:
		add(BadGuard, "guard without scope: if the gate is missing, every session on the machine is blocked: %s", h.Command)
	default:
		add(BadGuard, "not the guard that make wiring prints: %s", h.Command)
	}
}

// serves tells whether the program answers the event (D1: any other is refused).
func (h Hook) serves() bool {
	return slices.Contains(Events[:], h.Event) &&
		(h.Event == moiraicore.SessionStart) == (h.Name == moiraicore.LoaderName)
}

// slips says what a matcher that is too narrow lets through.
var slips = map[string]string{
	moiraicore.SessionStart: "a start, resume, clear, compaction or fork",
	moiraicore.PreToolUse:   "tools",
	moiraicore.PostToolUse:  "the Read of a required file",
	moiraicore.PreCompact:   "a manual or an automatic compaction",
}

func wanted(event string) string {
	for _, w := range Wires("") {
		if w.Event == event && w.Matcher != "" {
			return strconv.Quote(w.Matcher)
		}
	}
	return "empty"
}

// matches tells whether the matcher takes all that the event must see. For
// PreToolUse that is every name there may ever be, so only the forms that mean
// everything will do.
func (h Hook) matches() bool {
	if h.Matcher == "" || h.Matcher == "*" || h.Event == moiraicore.UserPromptSubmit {
		return true
	}
	switch h.Event {
	case moiraicore.SessionStart:
		return matchesAll(h.Matcher, "startup", "resume", "clear", "compact", "fork")
	case moiraicore.PreCompact:
		return matchesAll(h.Matcher, "manual", "auto")
	case moiraicore.PostToolUse:
		return matchesAll(h.Matcher, readTool)
	}
	return h.Matcher == ".*"
}

var nameList = regexp.MustCompile(`^[a-zA-Z0-9_|, -]+$`)

// matchesAll is the client's rule: a list of names is compared, anything else
// is a regular expression that may match anywhere.
func matchesAll(matcher string, names ...string) bool {
	isList := nameList.MatchString(matcher)
	expr, err := regexp.Compile(matcher)
	if !isList && err != nil {
		return false
	}
	var listed []string
	for _, name := range strings.FieldsFunc(matcher, func(r rune) bool { return r == '|' || r == ',' }) {
		listed = append(listed, strings.TrimSpace(name))
	}
	for _, name := range names {
		if isList && !slices.Contains(listed, name) || !isList && !expr.MatchString(name) {
			return false
		}
	}
	return true
}
