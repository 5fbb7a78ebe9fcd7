package wiring

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
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
	Exec    bool   // exec form: the client starts it without a shell

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

// parseHook takes a command apart, with the keys beside it. A command that names
// one of our programs anywhere but in its first word is ours too, without a
// Program.
func parseHook(keys map[string]any, home string) (Hook, bool) {
	command, _ := keys["command"].(string)
	h := Hook{Command: command, keys: keys}
	path, rest, ok := firstWord(command, home)
	var args any
	if args, h.Exec = keys["args"]; h.Exec {
		path, rest, ok = command, argument(args), filepath.IsAbs(command)
	}
	if name := ours[filepath.Base(path)]; ok && name != "" {
		h.Program, h.Name, h.Rest = path, name, rest
		return h, true
	}
	m := namesOurs.FindStringSubmatch(command)
	if m != nil {
		h.Name = m[2]
	}
	return h, m != nil
}

// argument is the only argument of an exec form, "" if there is none; of another list
// it is the list as JSON, which none of our programs takes.
func argument(args any) string {
	list, ok := args.([]any)
	if ok && len(list) == 0 {
		return ""
	}
	if ok && len(list) == 1 {
		if one, ok := list[0].(string); ok && one != "" {
			return one
		}
	}
	text, _ := json.Marshal(args)
	return string(text)
}

// Page is which page of how many a loader's command loads: K/N, 1/1 without an
// argument (D7).
func (h Hook) Page() (k, n int, ok bool) {
	if h.Name != moiraicore.LoaderName || h.Program == "" {
		return 0, 0, false
	}
	arg := h.Rest
	if !h.Exec {
		arg = strings.TrimSpace(arg)
	}
	if arg == "" {
		return 1, 1, true
	}
	return moiraicore.ParseArgument(arg)
}

// Wire is the hook as it would be printed.
func (h Hook) Wire() Wire {
	w := Wire{Event: h.Event, Matcher: h.Matcher, Command: h.Command, Exec: h.Exec}
	if h.Exec {
		w.Arg = h.Rest
	}
	return w
}

// Runnable tells whether the command is of a form that we know, so that verify
// can run it and run nothing else with it.
func (h Hook) Runnable() bool {
	if _, _, loads := h.Page(); loads {
		return true
	}
	rest := strings.TrimSpace(h.Rest)
	isGuard := h.Rest == Guard || rest == unscopedGuard || slices.Contains(formerGuards[:], h.Rest)
	return h.Program != "" && h.Name == moiraicore.GateName && (rest == "" || isGuard)
}

// serves tells whether the program answers the event (D1: any other is refused).
func (h Hook) serves() bool {
	if h.Name == moiraicore.LoaderName {
		return h.Event == moiraicore.SessionStart || h.Event == moiraicore.UserPromptSubmit
	}
	return slices.Contains(Events[:], h.Event) && h.Event != moiraicore.SessionStart
}
