package wiring_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"moirai/operate/wiring"
)

// twoWires are enough to see where entries go.
var twoWires = []wiring.Wire{
	{Event: "SessionStart", Command: "/x/hades-session-load 1/1"},
	{Event: "PreToolUse", Matcher: "*", Command: "/x/hades-gate"},
}

var user = wiring.Machine{Home: "/home/u", ConfigDir: "/home/u/.claude"}

// What twoWires are in a text that is indented by two, as whole events.
const (
	startGroup = `      {
        "hooks": [
          {
            "type": "command",
            "command": "/x/hades-session-load 1/1"
          }
        ]
      }`
	callGroup = `      {
        "matcher": "*",
        "hooks": [
          {
            "type": "command",
            "command": "/x/hades-gate"
          }
        ]
      }`
	startEvent = "    \"SessionStart\": [\n" + startGroup + "\n    ]"
	callEvent  = "    \"PreToolUse\": [\n" + callGroup + "\n    ]"
	allHooks   = "  \"hooks\": {\n" + startEvent + ",\n" + callEvent + "\n  }"
)

// rewired are settings texts and what wire makes of them, byte for byte. None is
// undone by anything but Unwired, which gives the text before back, or another where
// before holds what wire replaces.
var rewired = []struct {
	what, before, after string
	unwired             string // empty: before
}{
	{"nothing in it", "{}\n", "{\n" + allHooks + "\n}\n", ""},
	{"an empty file", "", "{\n" + allHooks + "\n}\n", "{}\n"},
	{"other keys, in an order of their own", "{\n  \"zeta\": 1,\n  \"alpha\": [1, 2,   3],\n  \"n\": 1.50e+3\n}\n",
		"{\n  \"zeta\": 1,\n  \"alpha\": [1, 2,   3],\n  \"n\": 1.50e+3,\n" + allHooks + "\n}\n", ""},
	{"no newline at the end", "{\n  \"a\": 1\n}", "{\n  \"a\": 1,\n" + allHooks + "\n}", ""},
	{"line ends of another system", "{\r\n  \"a\": 1\r\n}\r\n", strings.ReplaceAll("{\n  \"a\": 1,\n"+allHooks+"\n}\n", "\n", "\r\n"), ""},
	{"a byte order mark", "\ufeff{\n  \"a\": 1\n}\n", "\ufeff{\n  \"a\": 1,\n" + allHooks + "\n}\n", ""},
	{"tabs", "{\n\t\"a\": 1\n}\n", strings.ReplaceAll("{\n  \"a\": 1,\n"+allHooks+"\n}\n", "  ", "\t"), ""},
	{"four blanks", "{\n    \"a\": 1\n}\n", strings.ReplaceAll("{\n  \"a\": 1,\n"+allHooks+"\n}\n", "  ", "    "), ""},
	{"one line", `{"a":1}`, `{"a":1,"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"/x/hades-session-load 1/1"}]}],` +
		`"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"/x/hades-gate"}]}]}}`, ""},
	{"one line with blanks", `{"a": "b: c, \" d"}`, `{"a": "b: c, \" d", "hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "/x/hades-session-load 1/1"}]}], ` +
		`"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "/x/hades-gate"}]}]}}`, ""},
	{"keys and values that another encoder would write differently", "{\n  \"caf\\u00e9\": \"<&>\\/\",\n  \"big\": 12345678901234567890\n}\n",
		"{\n  \"caf\\u00e9\": \"<&>\\/\",\n  \"big\": 12345678901234567890,\n" + allHooks + "\n}\n", ""},
	{"hooks of others", "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      { \"matcher\": \"Bash\", \"hooks\": [ {\"type\": \"command\", \"command\": \"~/.claude/hooks/hades-vault-guard.sh\"} ] }\n    ]\n  },\n  \"z\": 1\n}\n",
		"{\n  \"hooks\": {\n    \"PreToolUse\": [\n      { \"matcher\": \"Bash\", \"hooks\": [ {\"type\": \"command\", \"command\": \"~/.claude/hooks/hades-vault-guard.sh\"} ] },\n" +
			callGroup + "\n    ],\n" + startEvent + "\n  },\n  \"z\": 1\n}\n", ""},
	{"an empty array for an event", "{\n  \"hooks\": {\n    \"PreToolUse\": []\n  }\n}\n",
		"{\n  \"hooks\": {\n" + callEvent + ",\n" + startEvent + "\n  }\n}\n", "{}\n"},
	{"hooks that are empty", "{\n  \"hooks\": {}\n}\n", "{\n" + allHooks + "\n}\n", "{}\n"},
	{"the retired gate in a group of its own (§6 step 8)",
		"{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"~/.claude/hooks/hades-session-start-gate.sh\"}]},\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"keep\"}]}\n    ]\n  }\n}\n",
		"{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"keep\"}]},\n" + callGroup + "\n    ],\n" + startEvent + "\n  }\n}\n",
		"{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"keep\"}]}\n    ]\n  }\n}\n"},
	{"a retired hook between two that stay",
		`{"hooks":{"PreToolUse":[{"hooks":[{"command":"a"},{"type":"command","command":"bash $HOME/.claude/hooks/hades-session-start-gate.sh"},{"command":"b"}]}]}}`,
		`{"hooks":{"PreToolUse":[{"hooks":[{"command":"a"},{"command":"b"}]},{"matcher":"*","hooks":[{"type":"command","command":"/x/hades-gate"}]}],"SessionStart":[{"hooks":[{"type":"command","command":"/x/hades-session-load 1/1"}]}]}}`,
		`{"hooks":{"PreToolUse":[{"hooks":[{"command":"a"},{"command":"b"}]}]}}`},
	{"the bash version's gate on an event that we do not wire",
		`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"$HADES_ROOT/hooks/moirai/hades-gate.sh"}]}]},"a":1}`,
		`{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"/x/hades-session-load 1/1"}]}],"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"/x/hades-gate"}]}]},"a":1}`,
		`{"a":1}`},
	{"ours with another guard, another N and a timeout",
		`{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"/x/hades-session-load 1/2"},{"type":"command","command":"/x/hades-session-load 2/2","timeout":3}]}],"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"/x/hades-gate || exit 2"}]}]}}`,
		`{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"/x/hades-session-load 1/1"}]}],"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"/x/hades-gate"}]}]}}`, "{}"},
}

// TestRewired: what comes out is these bytes, wiring it again changes nothing,
// and unwired it is what it was.
func TestRewired(t *testing.T) {
	for _, r := range rewired {
		t.Run(r.what, func(t *testing.T) {
			got, err := wiring.Rewired([]byte(r.before), twoWires, user.Home)
			if err != nil || string(got) != r.after {
				t.Fatalf("%v\n%q\nis not\n%q", err, got, r.after)
			}
			if again, err := wiring.Rewired(got, twoWires, user.Home); err != nil || !bytes.Equal(again, got) {
				t.Errorf("again: %v\n%s", err, again)
			}
			want := r.unwired
			if want == "" {
				want = r.before
			}
			if back, err := wiring.Unwired(got, user); err != nil || string(back) != want {
				t.Errorf("unwired: %v\n%q\nis not\n%q", err, back, want)
			}
		})
	}
}

// TestRewiredRefuses: a text that the client reads otherwise than we would, or not
// at all, and an entry that cannot be taken out alone, are refused with the place.
func TestRewiredRefuses(t *testing.T) {
	for before, want := range map[string]string{
		"{\n  \"a\": 1,\n}\n":                     "malformed JSON at line 3, column 1",
		"{\n  // a remark\n  \"a\": 1\n}\n":       "malformed JSON at line 2, column 3",
		"{\"é\": tru}":                            "malformed JSON at line 1, column 10",
		"{\"a\": 1":                               "malformed JSON at line 1, column 8",
		"\ufeff{,}":                               "malformed JSON at line 1, column 2",
		"{} {}":                                   "malformed JSON at line 1, column 4",
		"[]":                                      "no JSON object",
		`{"hooks": {}, "a": 1, "hooks": {}}`:      `the key "hooks" a second time in one object at line 1, column 23`,
		"{\"a\": {\"b\": 1,\n \"\\u0062\": 2}}":   `the key "b" a second time in one object at line 2, column 2`,
		`{"hooks": []}`:                           `"hooks" is no object at line 1, column 11`,
		`{"hooks": {"Stop": {}}}`:                 `"Stop" is no array at line 1, column 20`,
		hookText(`~/keep.sh; ~/x/hades-gate.sh`):  "runs more than a hook of ours",
		hookText(`/x/hades-gate; echo done`):      "runs more than a hook of ours",
		hookText(`tail -f /var/log/hades-gate`):   "runs more than a hook of ours",
		hookText(`$(cat x) /x/hades-gate.sh`):     "runs more than a hook of ours",
		hookText(`exec time /x/hades-gate`):       "runs more than a hook of ours",
		hookText(`hades-start-prompt-marker.sh&`): "runs more than a hook of ours",
	} {
		if out, err := wiring.Rewired([]byte(before), twoWires, user.Home); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q\n%s", before, err, want, out)
		}
	}
}

func hookText(command string) string {
	text, err := json.Marshal(map[string]any{"hooks": map[string]any{"PreToolUse": []any{map[string]any{"hooks": []any{
		map[string]any{"type": "command", "command": command}}}}}})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// TestUnwiredLeaves: entries of the bash version and of others are not ours.
func TestUnwiredLeaves(t *testing.T) {
	for _, command := range []string{"~/.claude/hooks/moirai/hades-gate.sh", "~/.claude/hooks/hades-session-start-gate.sh", "~/.claude/hooks/hades-vault-guard.sh"} {
		if out, err := wiring.Unwired([]byte(hookText(command)), user); err != nil || string(out) != hookText(command) {
			t.Errorf("%s: %v %s", command, err, out)
		}
		beside := `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/x/hades-gate"}]}],` + strings.TrimPrefix(hookText(command), `{"hooks":{`)
		if out, err := wiring.Unwired([]byte(beside), user); err != nil || string(out) != hookText(command) {
			t.Errorf("%s beside ours: %v %s", command, err, out)
		}
	}
}

// TestRewiredProperty: for texts of every shape, written in every style, wire then
// unwire is the same bytes, and what is between is JSON that says the same and the hooks.
func TestRewiredProperty(t *testing.T) {
	for seed := range int64(600) {
		r := rand.New(rand.NewSource(seed))
		text := []byte(someSettings(r))
		if !json.Valid(text) {
			t.Fatalf("seed %d: the test makes no JSON: %s", seed, text)
		}
		checkRewired(t, fmt.Sprint("seed ", seed), text, wiring.UserWires(user, 1+r.Intn(9)))
	}
}

func checkRewired(t *testing.T, what string, text []byte, wires []wiring.Wire) {
	t.Helper()
	out, err := wiring.Rewired(text, wires, user.Home)
	if err != nil {
		t.Fatalf("%s: %v\n%s", what, err, text)
	}
	if !json.Valid(bytes.TrimPrefix(out, []byte("\ufeff"))) {
		t.Fatalf("%s: not JSON\n%s", what, out)
	}
	if !isSubsequence(text, out) {
		t.Fatalf("%s: bytes of\n%s\nare lost in\n%s", what, text, out)
	}
	if again, err := wiring.Rewired(out, wires, user.Home); err != nil || !bytes.Equal(again, out) {
		t.Fatalf("%s: again, %v\n%s\nis not\n%s", what, err, again, out)
	}
	if back, err := wiring.Unwired(out, user); err != nil || !bytes.Equal(back, text) {
		t.Fatalf("%s: unwired, %v\n%q\nis not\n%q", what, err, back, text)
	}
}

// isSubsequence tells whether every byte of a stands in b, in order.
func isSubsequence(a, b []byte) bool {
	for _, c := range b {
		if len(a) > 0 && a[0] == c {
			a = a[1:]
		}
	}
	return len(a) == 0
}

// someSettings writes settings with hooks of others, in some style. No object or array on
// the way to a group is empty: whether one was there cannot be told afterwards (unwire knows it from what
// wire kept).
func someSettings(r *rand.Rand) string {
	gaps := []string{"", " ", "\n", "\n  ", "\r\n\t", "\n\n    ", "  "}
	gap := func() string { return gaps[r.Intn(len(gaps))] }
	if r.Intn(2) == 0 {
		one := gap()
		gap = func() string { return one }
	}
	var value func(depth int) string
	list := func(open, end string, n int, member func(i int) string) string {
		var b strings.Builder
		b.WriteString(open + gap())
		for i := range n {
			if i > 0 {
				b.WriteString("," + gap())
			}
			b.WriteString(member(i))
		}
		return b.String() + gap() + end
	}
	object := func(keys []string, member func(key string) string) string {
		return list("{", "}", len(keys), func(i int) string { return `"` + keys[i] + `"` + gap() + ":" + gap() + member(keys[i]) })
	}
	value = func(depth int) string {
		switch k := r.Intn(8); {
		case k == 0 && depth > 0:
			return list("[", "]", r.Intn(3), func(int) string { return value(depth - 1) })
		case k == 1 && depth > 0:
			return object([]string{"hooks", "b\\u0041"}[:r.Intn(3)], func(string) string { return value(depth - 1) })
		default:
			return []string{"1", "-0.50E+1", "null", "true", `"x\\\"]}"`, `"\ud800"`, `"hades, SessionStart: ["`, "[]", "{}"}[r.Intn(9)]
		}
	}
	group := func() string {
		return object([]string{"matcher", "hooks"}, func(key string) string {
			if key == "matcher" {
				return `"Bash"`
			}
			return list("[", "]", r.Intn(3), func(int) string {
				return object([]string{"type", "command", "timeout"}, func(key string) string {
					return map[string]string{"type": `"command"`, "command": `"~/.claude/hooks/hades-vault-guard.sh"`, "timeout": "5"}[key]
				})
			})
		})
	}
	keys := []string{"model", "permissions", "hooks", "env"}
	r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	keys = keys[:1+r.Intn(4)]
	return gap() + object(keys, func(key string) string {
		if key != "hooks" {
			return value(3)
		}
		events := []string{"PreToolUse", "Stop", "SessionStart", "Notification"}
		r.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
		return object(events[:1+r.Intn(4)], func(string) string { return list("[", "]", 1+r.Intn(3), func(int) string { return group() }) })
	}) + gap()
}

// FuzzRewired: no text makes it panic, lose a byte, or write what is no JSON.
func FuzzRewired(f *testing.F) {
	for _, r := range rewired {
		f.Add([]byte(r.before))
		f.Add([]byte(r.after))
	}
	for seed := range int64(20) {
		f.Add([]byte(someSettings(rand.New(rand.NewSource(seed)))))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		out, err := wiring.Rewired(text, twoWires, user.Home)
		if err != nil {
			return
		}
		if !json.Valid(bytes.TrimPrefix(out, []byte("\ufeff"))) {
			t.Fatalf("%q becomes %q", text, out)
		}
		if again, err := wiring.Rewired(out, twoWires, user.Home); err != nil || !bytes.Equal(again, out) {
			t.Errorf("again: %v %q", err, again)
		}
		back, err := wiring.Unwired(out, user)
		if err != nil || !json.Valid(bytes.TrimPrefix(back, []byte("\ufeff"))) {
			t.Errorf("unwired: %v %q", err, back)
		}
		if twice, err := wiring.Unwired(back, user); err != nil || !bytes.Equal(twice, back) {
			t.Errorf("unwired again: %v %q", err, twice)
		}
	})
}
