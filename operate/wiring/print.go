package wiring

import (
	"bytes"
	"encoding/json"
	"slices"

	"moirai/moiraicore"
)

// The JSON of a settings file, in the order in which it is printed. Only what
// Wires lists is in it: no key more.
type (
	settingsJSON struct {
		Env   map[string]string `json:"env,omitempty"`
		Hooks hooksJSON         `json:"hooks"`
	}
	hooksJSON struct {
		SessionStart     []groupJSON
		UserPromptSubmit []groupJSON
		PreToolUse       []groupJSON
		PostToolUse      []groupJSON
		PreCompact       []groupJSON

		PreSkillShellCommand []groupJSON `json:",omitempty"`
	}
	groupJSON struct {
		Matcher string        `json:"matcher,omitempty"`
		Hooks   []commandJSON `json:"hooks"`
	}
	commandJSON struct {
		Type    string    `json:"type"`
		Command string    `json:"command"`
		Args    *[]string `json:"args,omitempty"` // exec form if there
	}
)

// UserWires lists the hooks for user settings, by the links that install makes
// in this user's config folder (D15, D16), in a form that every client can read, with
// so many loaders.
func UserWires(m Machine, pages int) []Wire {
	return slices.DeleteFunc(EveryUserWire(m, pages), func(w Wire) bool { return w.Event == PreSkillShell })
}

// EveryUserWire lists what may stand there: UserWires, and last PreSkillShell.
func EveryUserWire(m Machine, pages int) []Wire { return Wires(Quote(m.Links(), m.Home), pages) }

// UserSkillShell is the entry for PreSkillShell in user settings, as one member of hooks.
func UserSkillShell(m Machine) []byte {
	all := EveryUserWire(m, Pages)
	last := all[len(all)-1]
	text := encoded(map[string][]groupJSON{last.Event: {{last.Matcher, []commandJSON{{Type: "command", Command: last.Command}}}}})
	return append(bytes.TrimSuffix(bytes.TrimPrefix(text, []byte("{\n")), []byte("\n}\n")), '\n')
}

// User is the block for user settings (§6 step 8).
func User(m Machine, pages int) []byte { return printed(UserWires(m, pages), nil) }

// Managed is the whole managed drop-in: the hooks by their root-owned binaries, with
// so many loaders, and the pins of the environment (D15).
func Managed(pages int) []byte {
	env := map[string]string{}
	for _, name := range pinned {
		env[name] = ""
	}
	return printed(ManagedWires(pages), env)
}

// grouped puts the wires into the groups in which they are written, by event.
func grouped(wires []Wire) map[string][]groupJSON {
	groups := map[string][]groupJSON{}
	for _, w := range wires {
		g := groups[w.Event]
		if n := len(g); n == 0 || g[n-1].Matcher != w.Matcher {
			g = append(g, groupJSON{Matcher: w.Matcher})
		}
		last := &g[len(g)-1]
		command := commandJSON{Type: "command", Command: w.Command}
		if w.Exec {
			command.Args = &[]string{}
			if w.Arg != "" {
				*command.Args = append(*command.Args, w.Arg)
			}
		}
		last.Hooks = append(last.Hooks, command)
		groups[w.Event] = g
	}
	return groups
}

func printed(wires []Wire, env map[string]string) []byte {
	groups := grouped(wires)
	return encoded(settingsJSON{env, hooksJSON{
		groups[moiraicore.SessionStart], groups[moiraicore.UserPromptSubmit], groups[moiraicore.PreToolUse],
		groups[moiraicore.PostToolUse], groups[moiraicore.PreCompact], groups[PreSkillShell],
	}})
}

// encoded is v as it is printed.
func encoded(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // a person reads it, and compares it with the design
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		panic("wiring: text that JSON cannot hold: " + err.Error())
	}
	return b.Bytes()
}
