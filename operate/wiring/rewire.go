package wiring

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"moirai/moiraicore"
	"moirai/operate/jsontext"
)

// entry is one hook's object in a settings text, by its place.
type entry struct {
	event, group, hook int // indexes of members
	hooks              int // how many stand in its group
	wire               Wire
	bash               bool // of the bash version, by its name
	plain              bool // with no key but those that we print
}

// settingsText is a settings file's text, taken apart as far as our entries need it.
type settingsText struct {
	text    []byte
	home    string
	root    jsontext.Value
	entries []entry // ours and the bash version's, in order
}

// bashName tells the bash version's programs, the retired ones too, from ours.
var bashName = regexp.MustCompile(`\.(sh|yaml)$`)

// readText takes a text apart. An entry of ours that also runs something else is
// refused: to take it out would take that out too.
func readText(text []byte, home string) (*settingsText, error) {
	s := &settingsText{text: text, home: home}
	if len(bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))) == 0 {
		s.text = []byte("{}\n") // an empty file, which the client takes as no settings
	}
	var err error
	if s.root, err = jsontext.Parse(s.text); err != nil {
		return nil, err
	}
	if s.root.Kind != jsontext.Object {
		return nil, fmt.Errorf("no JSON object, so no settings")
	}
	hooks, ok := s.root.Get("hooks")
	if ok && hooks.Kind != jsontext.Object {
		return nil, s.odd(hooks, `"hooks" is no object`)
	}
	for e, event := range hooks.Members {
		if event.Value.Kind != jsontext.Array {
			return nil, s.odd(event.Value, fmt.Sprintf("%q is no array", event.Key))
		}
		for g, group := range event.Value.Members {
			if err := s.readGroup(e, g, event.Key, group.Value); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

func (s *settingsText) odd(v jsontext.Value, what string) error {
	return fmt.Errorf("%s at %s: the client would not take it as hooks", what, jsontext.Place(s.text, v.Start))
}

func (s *settingsText) readGroup(e, g int, event string, group jsontext.Value) error {
	list, _ := group.Get("hooks")
	if list.Kind != jsontext.Array {
		return nil // not a group that runs anything
	}
	var matcher string
	if m, ok := group.Get("matcher"); ok {
		json.Unmarshal(s.text[m.Start:m.End], &matcher) // another type is no matcher of ours
	}
	for i, hook := range list.Members {
		var keys map[string]any
		if hook.Value.Kind != jsontext.Object || json.Unmarshal(s.text[hook.Value.Start:hook.Value.End], &keys) != nil {
			continue
		}
		h, isOurs := parseHook(keys, s.home)
		if !isOurs && !isRetired(h.Command) {
			continue
		}
		name, alone := runsAlone(h, s.home)
		if !alone {
			return fmt.Errorf("%s at %s runs more than a hook of ours: take that apart first: %s",
				event, jsontext.Place(s.text, hook.Start), h.Command)
		}
		w := Wire{Event: event, Matcher: matcher, Command: h.Command, Exec: h.Exec}
		plain := keys["type"] == "command" && len(keys) == 2
		s.entries = append(s.entries, entry{e, g, i, len(list.Members), w, bashName.MatchString(name), plain})
	}
	return nil
}

// interpreters may stand before the program of an entry that is ours alone.
var interpreters = []string{"sh", "bash", "dash", "zsh", "exec", "env"}

// guardStart is how each guard begins that was ever printed.
const guardStart = "; r=$?; case $r in"

// runsAlone tells whether a command runs one program, ours or a retired one, and nothing
// else that would go with it. Name is the program's.
func runsAlone(h Hook, home string) (name string, alone bool) {
	if h.Exec {
		return filepath.Base(h.Command), h.Program != ""
	}
	command, _, _ := strings.Cut(strings.TrimSuffix(h.Command, Guard), guardStart)
	command = strings.TrimSuffix(strings.TrimSpace(command), unscopedGuard)
	path, rest, ok := firstWord(command, home)
	if !ok { // a variable or an interpreter: the words as they stand
		rest = command
		for _, word := range strings.Fields(command) {
			name = filepath.Base(strings.Trim(word, `"'`))
			if !slices.Contains(interpreters, name) {
				break
			}
		}
	} else {
		name = filepath.Base(path)
	}
	isOurs := ours[name] != "" || isRetired(name)
	return name, isOurs && !strings.ContainsAny(rest, ";|&<>()`\n")
}

// without takes the entries out that gone accepts, and what is empty then: the
// group, the event but one of those that stay, and the key hooks.
func (s *settingsText) without(gone func(entry) bool, stay []string) []byte {
	hooksAt := slices.IndexFunc(s.root.Members, func(m jsontext.Member) bool { return m.Key == "hooks" })
	if hooksAt < 0 {
		return s.text
	}
	hooks := s.root.Members[hooksAt].Value
	goneHooks := map[[2]int]map[int]bool{} // by event and group
	for _, e := range s.entries {
		key := [2]int{e.event, e.group}
		if gone(e) {
			if goneHooks[key] == nil {
				goneHooks[key] = map[int]bool{}
			}
			goneHooks[key][e.hook] = true
		}
	}
	var spans []jsontext.Span
	goneEvents := map[int]bool{}
	for e, event := range hooks.Members {
		goneGroups := map[int]bool{}
		var inside []jsontext.Span
		for g, group := range event.Value.Members {
			list, _ := group.Value.Get("hooks")
			switch n := len(goneHooks[[2]int{e, g}]); {
			case n == 0:
			case n == len(list.Members):
				goneGroups[g] = true
			default:
				inside = append(inside, list.Without(goneHooks[[2]int{e, g}])...)
			}
		}
		if n := len(goneGroups); n > 0 && n == len(event.Value.Members) && !slices.Contains(stay, event.Key) {
			goneEvents[e] = true
			continue
		}
		spans = append(append(spans, inside...), event.Value.Without(goneGroups)...)
	}
	if n := len(goneEvents); n > 0 && n == len(hooks.Members) && len(stay) == 0 {
		return jsontext.Splice(s.text, s.root.Without(map[int]bool{hooksAt: true}))
	}
	return jsontext.Splice(s.text, append(spans, hooks.Without(goneEvents)...))
}

// isWired tells whether the entries are these wires and no other.
func (s *settingsText) isWired(wires []Wire) bool {
	if len(s.entries) != len(wires) {
		return false
	}
	for _, w := range wires {
		if !slices.ContainsFunc(s.entries, func(e entry) bool { return e.wire == w && e.plain }) {
			return false
		}
	}
	return true
}

// Rewired is a settings text with these hooks in the place of whatever entries of
// ours and of the bash version are in it (§6 step 8). Every other byte is as it was.
func Rewired(text []byte, wires []Wire, home string) ([]byte, error) {
	s, err := readText(text, home)
	if err != nil {
		return nil, err
	}
	if s.isWired(wires) {
		return text, nil
	}
	out := s.without(func(entry) bool { return true }, Events[:])
	groups := grouped(wires)
	for _, event := range Events {
		for _, group := range groups[event] {
			if out, err = appendGroup(out, event, encoded(group)); err != nil {
				return nil, err
			}
		}
	}
	if s, err = readText(out, home); err != nil || !s.isWired(wires) {
		return nil, fmt.Errorf("not written, since what came out is not wired (%v): make wiring prints what to paste", err)
	}
	return out, nil
}

// appendGroup adds a group of hooks to the end of an event's.
func appendGroup(text []byte, event string, group []byte) ([]byte, error) {
	root, err := jsontext.Parse(text)
	if err != nil {
		return nil, err
	}
	list := "[" + string(group) + "]"
	hooks, ok := root.Get("hooks")
	if !ok {
		return add(text, root, "hooks", `{"`+event+`": `+list+`}`), nil
	}
	groups, ok := hooks.Get(event)
	if !ok {
		return add(text, hooks, event, list), nil
	}
	return add(text, groups, "", string(group)), nil
}

func add(text []byte, to jsontext.Value, key, value string) []byte {
	return jsontext.Splice(text, []jsontext.Span{jsontext.Append(text, to, key, []byte(strings.TrimSpace(value)))})
}

// Unwired is a settings text without our entries. Those that name the bash version's
// scripts stay.
func Unwired(text []byte, m Machine) ([]byte, error) {
	s, err := readText(text, m.Home)
	if err != nil {
		return nil, err
	}
	out := text
	if s.HasOurs() {
		out = s.without(func(e entry) bool { return !e.bash }, nil)
	}
	return withoutStatusLine(out, m)
}

// HasOurs tells whether an entry names our programs by our names.
func (s *settingsText) HasOurs() bool {
	return slices.ContainsFunc(s.entries, func(e entry) bool { return !e.bash })
}

// HoldsOurs tells whether a settings text has entries that Unwired takes out.
func HoldsOurs(text []byte, m Machine) bool {
	out, err := Unwired(text, m)
	return err == nil && !bytes.Equal(out, text)
}

// statusLineKey is the client's setting for the command that prints its status line.
const statusLineKey = "statusLine"

// statusLine is the command that shows the gate's state in the client's status line.
func statusLine(m Machine) string {
	return Quote(filepath.Join(m.Programs(), "operate"), m.Home) + " statusline"
}

// WithStatusLine is a settings text with our status line, if it has none.
func WithStatusLine(text []byte, m Machine) ([]byte, error) {
	root, err := jsontext.Parse(text)
	if err != nil {
		return nil, err
	}
	if _, ok := root.Get(statusLineKey); ok {
		return text, nil
	}
	return add(text, root, statusLineKey, string(encoded(commandJSON{Type: "command", Command: statusLine(m)}))), nil
}

// HasStatusLine tells whether a settings text has our status line.
func HasStatusLine(text []byte, m Machine) bool {
	out, err := withoutStatusLine(text, m)
	return err == nil && len(out) != len(text)
}

func withoutStatusLine(text []byte, m Machine) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return text, nil
	}
	root, err := jsontext.Parse(text)
	if err != nil {
		return nil, err
	}
	for i, member := range root.Members {
		command, ok := member.Value.Get("command")
		var is string
		if member.Key == statusLineKey && ok && json.Unmarshal(text[command.Start:command.End], &is) == nil && is == statusLine(m) {
			return jsontext.Splice(text, root.Without(map[int]bool{i: true})), nil
		}
	}
	return text, nil
}

// MostPages is for how many pages any wired loader of this user is wired, 0 if none is.
func (r Report) MostPages() int {
	most := 0
	for _, h := range r.Wired() {
		if _, n, ok := h.Page(); ok {
			most = max(most, n)
		}
	}
	return min(most, moiraicore.MaxPages)
}
