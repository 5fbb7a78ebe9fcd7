package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"moirai/stresstest/rig"
)

// onStdin lists what can be wrong with stdin. All of it comes before any branch, so
// every kind ends in exit 2 (§4.4), except where the bytes are fine after all.
var onStdin = []fault{
	{name: "closed", want: "CCCCCC", says: "payload.*ends after 0 bytes", apply: func(s *scene, _ int) error {
		s.cmd.Closed = append(s.cmd.Closed, 0)
		return nil
	}},
	{name: "empty", want: "CCCCCC", says: "payload.*ends after 0 bytes", apply: payload(func([]byte) []byte { return nil })},
	{name: "white space alone", want: "CCCCCC", says: "payload", apply: payload(func([]byte) []byte { return []byte(" \n\t ") })},
	{name: "a directory", want: "CCCCCC", says: "payload.*directory", apply: stdinFrom("/")},
	{name: "/dev/null", want: "CCCCCC", says: "payload.*ends after 0 bytes", apply: stdinFrom(os.DevNull)},
	{name: "/dev/zero", want: "CCCCCC", says: "payload.*invalid", apply: stdinFrom("/dev/zero")},
	{name: "write-only", want: "CCCCCC", says: "payload.*bad file descriptor", apply: func(s *scene, _ int) error {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		s.later(func() { r.Close(); w.Close() })
		s.cmd.In = w
		return nil
	}},
	{name: "a pipe that never ends, half a payload", want: "CCCCCC", says: "had not finished", slow: true, apply: func(s *scene, _ int) error {
		return s.feed(func(w *os.File) { w.Write(s.payload[:len(s.payload)/2]) }, false)
	}},
	{name: "a pipe that never ends, a whole payload", want: "CCCCCC", says: "had not finished", slow: true, apply: func(s *scene, _ int) error {
		return s.feed(func(w *os.File) { w.Write(s.payload) }, false)
	}},
	{name: "one byte a second", want: "CCCCCC", says: "had not finished", slow: true, apply: func(s *scene, _ int) error {
		return s.feed(func(w *os.File) {
			for _, b := range s.payload {
				if _, err := w.Write([]byte{b}); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
		}, true)
	}},
	{name: "a string that never ends", want: "CCCCCC", says: "payload.*over|had not finished", heavy: true, apply: func(s *scene, _ int) error {
		return s.feed(func(w *os.File) {
			w.Write([]byte(`{"a":"`))
			for chunk := bytes.Repeat([]byte("x"), 1<<16); ; {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}, true)
	}},
	{name: "cut at every byte", want: "CCCCCC", says: "payload", tries: func(s *scene) int { return len(trim(s.payload)) },
		apply: func(s *scene, i int) error { s.payload = trim(s.payload)[:i]; return nil }},
	{name: "64 MiB", want: same, heavy: true, apply: payload(func(p []byte) []byte { return large(p, 64<<20) })},
	{name: "129 MiB", want: "CCCCCC", says: "payload.*over|had not finished", heavy: true, apply: payload(func(p []byte) []byte { return large(p, 129<<20) })},
	{name: "invalid UTF-8 in a skipped value", want: same, apply: payload(with("\"a\":\"\xff\xfe\xc0\x80\""))},
	{name: "invalid UTF-8 in session_id", want: "CCCCCC", says: "session_id", apply: payload(instead(sessionID, "\xff\xfe"))},
	{name: "BOM", want: "CCCCCC", says: "payload.*invalid", apply: payload(func(p []byte) []byte { return append([]byte("\ufeff"), p...) })},
	{name: "NUL before, after, inside", want: "CCCCCC", says: "payload", tries: three, apply: func(s *scene, i int) error {
		at := []int{0, len(s.payload), len(s.payload) / 2}[i]
		s.payload = slices.Insert(s.payload, at, 0)
		return nil
	}},
	{name: "UTF-16, both byte orders", want: "CCCCCC", says: "payload.*invalid", tries: two, apply: func(s *scene, i int) error {
		var out []byte
		for _, u := range utf16.Encode([]rune(string(s.payload))) {
			pair := []byte{byte(u >> 8), byte(u)}
			if i == 1 {
				slices.Reverse(pair)
			}
			out = append(out, pair...)
		}
		s.payload = out
		return nil
	}},
	{name: "nested 9,000 deep", want: same, apply: payload(with(`"a":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000)))},
	{name: "nested 1,000,000 deep", want: "CCCCCC", says: "payload.*depth", apply: payload(with(`"a":` + strings.Repeat(`{"a":`, 1_000_000)))},
	{name: "a million keys", want: same, heavy: true, apply: payload(with(strings.TrimSuffix(strings.Repeat(`"cwd ":1,`, 1_000_000), ",")))},
	{name: "doubled session_id", want: "CCCCCC", says: "session_id.*(2 times|twice)", apply: payload(with(`"session_id":"` + sessionID + `"`))},
	{name: "doubled cwd", want: "CCCCCC", says: "cwd.*(2 times|twice)", apply: payload(with(`"cwd":"/tmp"`))},
	{name: "doubled hook_event_name", want: "CCCCCC", says: "hook_event_name.*(2 times|twice)", apply: payload(with(`"hook_event_name":"PreToolUse"`))},
	{name: "another case beside the key", want: same, apply: payload(with(`"CWD":"/tmp","Session_ID":"x","Tool_Name":"Skill","Hook_Event_Name":"PostToolUse"`))},
	{name: "another case instead of the key", want: "CCCCCC", says: "payload.*missing", tries: two, apply: func(s *scene, i int) error {
		key := []string{"session_id", "cwd"}[i]
		s.payload = bytes.Replace(s.payload, []byte(`"`+key+`"`), []byte(`"`+strings.ToUpper(key)+`"`), 1)
		return nil
	}},
	{name: "huge numbers in skipped values", want: same, apply: payload(with(`"a":1e999999999,"b":-` + strings.Repeat("9", 100_000)))},
	{name: "a number, null, an object as session_id", want: "CCCCCC", says: "payload", tries: three, apply: func(s *scene, i int) error {
		v := []string{"1e999999999", "null", `{"a":1}`}[i]
		s.payload = bytes.Replace(s.payload, []byte(`"`+sessionID+`"`), []byte(v), 1)
		return nil
	}},
	{name: "session_id that leads out of the folder", want: "CCCCCC", says: "session_id", tries: three, apply: func(s *scene, i int) error {
		v := []string{"../../../etc/passwd", "..", ""}[i]
		s.payload = bytes.Replace(s.payload, []byte(sessionID), []byte(v), -1)
		return nil
	}},
	{name: "two objects, an array, a string", want: "CCCCCC", says: "payload", tries: three, apply: func(s *scene, i int) error {
		p := string(s.payload)
		s.payload = []byte([]string{p + p, "[" + p + "]", `"` + sessionID + `"`}[i])
		return nil
	}},
}

func two(*scene) int   { return 2 }
func three(*scene) int { return 3 }

func trim(p []byte) []byte { return bytes.TrimRight(p, "\n") }

// payload changes the bytes on stdin.
func payload(change func([]byte) []byte) func(*scene, int) error {
	return func(s *scene, _ int) error {
		s.payload = change(s.payload)
		return nil
	}
}

// with puts more keys at the front of the object.
func with(keys string) func([]byte) []byte {
	return func(p []byte) []byte { return append([]byte("{"+keys+","), p[1:]...) }
}

func instead(old, new string) func([]byte) []byte {
	return func(p []byte) []byte { return bytes.ReplaceAll(p, []byte(old), []byte(new)) }
}

// large makes the payload total bytes long by a key that nobody needs.
func large(p []byte, total int) []byte {
	fill := bytes.Repeat([]byte("x"), total-len(p)-len(`"a":"",`))
	return slices.Concat([]byte(`{"a":"`), fill, []byte(`",`), p[1:])
}

func stdinFrom(path string) func(*scene, int) error {
	return func(s *scene, _ int) error {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		s.later(func() { f.Close() })
		s.cmd.In = f
		return nil
	}
}

// feed gives the hook a pipe that stays open until the call is over.
func (s *scene) feed(write func(w *os.File), aside bool) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	s.later(func() { w.Close() })
	s.cmd.In = r
	s.during = func(*rig.Process) error {
		r.Close() // else a hook that has gone would not break the pipe
		if aside {
			go write(w)
		} else {
			write(w)
		}
		return nil
	}
	return nil
}
