package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// payload builds what a call gets on stdin.
type payload func(*scene) []byte

// Payloads as the client sends them.
func startup(s *scene) []byte { return s.session.SessionStart("startup") }
func bash(s *scene) []byte    { return s.session.Bash() }

func sessionStart(source string) payload {
	return func(s *scene) []byte { return s.session.SessionStart(source) }
}

func prompt(text string) payload {
	return func(s *scene) []byte { return s.session.Prompt(s.expand(text)) }
}

func skill(name string) payload {
	return func(s *scene) []byte { return s.session.Skill(name) }
}

func read(path string) payload {
	return func(s *scene) []byte { return s.session.Read(s.expand(path)) }
}

func tool(name string) payload {
	return func(s *scene) []byte { return s.session.PreToolUse(name, map[string]any{"note": "gated"}) }
}

func subagent(s *scene) []byte { return s.session.Subagent() }

func compact(trigger string) payload {
	return func(s *scene) []byte { return s.session.PreCompact(trigger) }
}

// shown is the PostToolUse of a Read that showed the i-th required file whole.
func shown(i int) payload {
	return func(s *scene) []byte {
		return s.session.PostRead(s.root+"/"+required[i], s.files[i])
	}
}

// raw is stdin as it stands, after placeholders.
func raw(text string) payload {
	return func(s *scene) []byte { return []byte(s.expand(text)) }
}

// member is one key of an object, in its place, with its value as it stands.
type member struct{ key, value string }

func members(object []byte) []member {
	dec := json.NewDecoder(bytes.NewReader(object))
	var list []member
	must(dec.Token())
	for dec.More() {
		key := must(dec.Token()).(string)
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			panic(err)
		}
		list = append(list, member{key, string(value)})
	}
	return list
}

func object(list []member) []byte {
	var parts []string
	for _, m := range list {
		parts = append(parts, fmt.Sprintf("%q:%s", m.key, m.value))
	}
	return []byte("{" + strings.Join(parts, ",") + "}")
}

func must[T any](v T, err error) T {
	if err != nil && err != io.EOF {
		panic(err)
	}
	return v
}

// with replaces the value of a key, or adds it at the end.
func with(p payload, key, value string) payload {
	return func(s *scene) []byte {
		list := members(p(s))
		for i := range list {
			if list[i].key == key {
				list[i].value = s.expand(value)
				return object(list)
			}
		}
		return object(append(list, member{key, s.expand(value)}))
	}
}

// without takes a key out.
func without(p payload, key string) payload {
	return func(s *scene) []byte {
		var kept []member
		for _, m := range members(p(s)) {
			if m.key != key {
				kept = append(kept, m)
			}
		}
		return object(kept)
	}
}

// also adds a key at the end, also one that stands already.
func also(p payload, key, value string) payload {
	return func(s *scene) []byte { return object(append(members(p(s)), member{key, s.expand(value)})) }
}

// ahead adds a key at the beginning, also one that stands already.
func ahead(p payload, key, value string) payload {
	return func(s *scene) []byte {
		return object(append([]member{{key, s.expand(value)}}, members(p(s))...))
	}
}

// renamed gives a key another name.
func renamed(p payload, key, name string) payload {
	return func(s *scene) []byte {
		list := members(p(s))
		for i := range list {
			if list[i].key == key {
				list[i].key = name
			}
		}
		return object(list)
	}
}

// around puts bytes before and after.
func around(before string, p payload, after string) payload {
	return func(s *scene) []byte { return []byte(before + string(bytes.TrimSpace(p(s))) + after) }
}

// padded adds a key that no event needs, so long that the whole has the given
// size in bytes.
func padded(p payload, size int) payload {
	return func(s *scene) []byte {
		text := ahead(p, "pad", `""`)(s)
		return ahead(p, "pad", `"`+strings.Repeat("x", size-len(text))+`"`)(s)
	}
}

// heavy is a Write of that many bytes of content.
func heavy(size int) payload {
	return func(s *scene) []byte {
		return s.session.PreToolUse("Write", map[string]any{"file_path": "/tmp/big", "content": strings.Repeat("x", size)})
	}
}

// deep is an array that is nested that deep.
func deep(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
