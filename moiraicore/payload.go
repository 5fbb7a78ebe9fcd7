package moiraicore

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strconv"
)

// object holds the judged keys of one JSON object: the raw value of each, and
// how often the key stood. encoding/json's struct matching would ignore case
// and let the last duplicate win (D1).
type object map[string]field

type field struct {
	raw   json.RawMessage
	count int
}

const payloadWayOut = "this is not what the client sends: check what the hook is wired to, and the client's version"

func malformed(format string, args ...any) error {
	return closed(payloadWayOut, "malformed payload on stdin: "+format, args...)
}

// decodeObject reads one JSON object from dec. It keeps the keys that keep
// names and checks the syntax of all others.
func decodeObject(dec *json.Decoder, keep func(o object, key string) bool) (object, error) {
	open, err := dec.Token()
	if err != nil {
		return nil, err
	}
	if open != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	o := object{}
	for {
		t, err := dec.Token()
		if err != nil {
			return nil, err
		}
		key, ok := t.(string)
		if !ok { // the closing brace: the decoder allows nothing else here
			return o, nil
		}
		if !keep(o, key) {
			if err := skipValue(dec); err != nil {
				return nil, err
			}
			continue
		}
		f := field{count: o[key].count + 1}
		if err := dec.Decode(&f.raw); err != nil {
			return nil, err
		}
		o[key] = f
	}
}

// skipValue checks the syntax of the next value and keeps no byte of it: an
// empty struct takes nothing, and that the type does not fit is no matter here.
func skipValue(dec *json.Decoder) error {
	err := dec.Decode(&struct{}{})
	var typ *json.UnmarshalTypeError
	if errors.As(err, &typ) {
		return nil
	}
	return err
}

// text returns the string under key. It is malformed if the key is missing,
// doubled or of another type.
func (o object) text(key string) (string, error) {
	f := o[key]
	if f.count == 0 {
		return "", malformed("key %q is missing", key)
	}
	if f.count > 1 {
		return "", malformed("key %q stands %d times", key, f.count)
	}
	var s string
	if f.raw[0] != '"' || json.Unmarshal(f.raw, &s) != nil {
		return "", malformed("key %q is not a string", key)
	}
	return s, nil
}

// object returns the object under key, with the inner keys named.
func (o object) object(key string, inner ...string) (object, error) {
	f := o[key]
	if f.count == 0 {
		return object{}, nil
	}
	if f.count > 1 {
		return nil, malformed("key %q stands %d times", key, f.count)
	}
	in, err := decodeObject(json.NewDecoder(bytes.NewReader(f.raw)), func(_ object, k string) bool {
		return slices.Contains(inner, k)
	})
	if err != nil {
		return nil, malformed("key %q: %v", key, err)
	}
	return in, nil
}

// Payload is one hook payload, known to be exactly one JSON object. Each method
// judges one key, so that a session elsewhere is never blocked by a rule about
// a field that it does not need (D1, D2).
type Payload struct{ keys object }

// ReadPayload decodes stdin: one JSON object of at most 128 MiB, nothing but
// white space after it (D1). Keys that no event needs are skipped whatever
// they hold.
func ReadPayload(stdin io.Reader) (Payload, error) {
	limited := &io.LimitedReader{R: stdin, N: MaxPayload + 1}
	dec := json.NewDecoder(limited)
	keys, err := decodeObject(dec, keepTop)
	if err == nil {
		if _, after := dec.Token(); after != io.EOF {
			err = errors.New("something stands after the JSON object")
			if after != nil {
				err = errors.New("something stands after the JSON object: " + after.Error())
			}
		}
	}
	if limited.N <= 0 {
		return Payload{}, malformed("it is over %d MiB", MaxPayload>>20)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return Payload{}, malformed("it ends after %d bytes, before the JSON object is complete", MaxPayload+1-limited.N)
	}
	if err != nil {
		return Payload{}, malformed("%v", err)
	}
	return Payload{keys}, nil
}

// keepTop names the top-level keys to keep. tool_input and tool_response may be
// large and matter only for Skill and Read: once the tool is known to be
// another, they are skipped.
func keepTop(o object, key string) bool {
	switch key {
	case keyCwd, keySession, keyAgent, keyEvent, keyPrompt, keyTool:
		return true
	case keyInput, keyResponse:
		tool, err := o.text(keyTool)
		return err != nil || tool == ToolSkill || tool == ToolRead
	}
	return false
}

// Cwd returns the working directory: absolute, without control characters, at
// most MaxPath bytes (D1).
func (p Payload) Cwd() (string, error) {
	cwd, err := p.keys.text(keyCwd)
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(cwd) {
		return "", malformed("cwd %s is not absolute", Quote(cwd))
	}
	if len(cwd) > MaxPath || hasControl(cwd) {
		return "", malformed("cwd %s is over %d bytes or holds a control character", Quote(cwd), MaxPath)
	}
	return cwd, nil
}

// Event returns hook_event_name.
func (p Payload) Event() (string, error) { return p.keys.text(keyEvent) }

// HasEvent tells whether hook_event_name stands in the payload: the loader
// does not need it (D1).
func (p Payload) HasEvent() bool { return p.keys[keyEvent].count > 0 }

// Prompt returns the prompt of a UserPromptSubmit.
func (p Payload) Prompt() (string, error) { return p.keys.text(keyPrompt) }

// Tool returns tool_name.
func (p Payload) Tool() (string, error) { return p.keys.text(keyTool) }

// Session returns session_id, which becomes a file name: 1 to 128 characters
// of [A-Za-z0-9._-], not starting with a dot (D1).
func (p Payload) Session() (string, error) {
	id, err := p.keys.text(keySession)
	if err != nil {
		return "", err
	}
	if !isID(id) {
		return "", malformed("session_id %s is not 1 to %d of [A-Za-z0-9._-], not starting with a dot", Quote(id), MaxID)
	}
	return id, nil
}

// Agent returns agent_id, or "main" where it is absent, null or empty (D1).
func (p Payload) Agent() (string, error) {
	f := p.keys[keyAgent]
	if f.count == 0 || f.count == 1 && (string(f.raw) == "null" || string(f.raw) == `""`) {
		return MainAgent, nil
	}
	id, err := p.keys.text(keyAgent)
	if err != nil {
		return "", err
	}
	if !isID(id) {
		return "", malformed("agent_id %s is not 1 to %d of [A-Za-z0-9._-], not starting with a dot", Quote(id), MaxID)
	}
	return id, nil
}

// Skill returns tool_input.skill, empty if it is absent.
func (p Payload) Skill() (string, error) { return p.input(keySkill) }

// FilePath returns tool_input.file_path, empty if it is absent.
func (p Payload) FilePath() (string, error) { return p.input(keyFilePath) }

func (p Payload) input(key string) (string, error) {
	in, err := p.keys.object(keyInput, key)
	if err != nil || in[key].count == 0 {
		return "", err
	}
	return in.text(key)
}

// WholeRead returns what a Read showed, if tool_response says that it showed a
// file whole: from line 1, as many lines as the file has (D11).
func (p Payload) WholeRead() (content string, whole bool) {
	response, err := p.keys.object(keyResponse, keyFile)
	if err != nil {
		return "", false
	}
	file, err := response.object(keyFile, keyContent, keyStartLine, keyNumLines, keyTotalLines)
	if err != nil {
		return "", false
	}
	content, err = file.text(keyContent)
	start, num, total := file[keyStartLine], file[keyNumLines], file[keyTotalLines]
	if err != nil || start.count != 1 || num.count != 1 || total.count != 1 {
		return "", false
	}
	_, notNumber := strconv.ParseUint(string(num.raw), 10, 63)
	return content, notNumber == nil && string(start.raw) == "1" && bytes.Equal(num.raw, total.raw)
}

func isID(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && c != '_' && c != '-' && (c != '.' || i == 0) {
			return false
		}
	}
	return 0 < len(s) && len(s) <= MaxID
}

// Quote makes a string of the payload fit for a message: as it is if it is
// plain printable ASCII, else quoted; cut at MaxQuoted bytes (D14).
func Quote(s string) string {
	cut := ""
	if len(s) > MaxQuoted {
		s, cut = s[:MaxQuoted], "…"
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' || s[i] == '"' {
			return strconv.QuoteToASCII(s) + cut
		}
	}
	if s == "" {
		return `""`
	}
	return s + cut
}

// hasControl tells whether s holds a control character (Unicode class Cc).
func hasControl(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c < 0x20 || c == 0x7f {
			return true
		}
		if c == 0xc2 && i+1 < len(s) && 0x80 <= s[i+1] && s[i+1] < 0xa0 { // U+0080 to U+009F
			return true
		}
	}
	return false
}
