package moiraicore

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Payload holds keys of one JSON object, compared exactly, and the value of each:
// what encoding/json makes of it, or the raw bytes of an object that is judged
// later; no bytes where a key stands twice. encoding/json's struct matching would
// ignore case and let the last duplicate win. Each method judges one key, so that a
// session elsewhere is never blocked by a rule about a field that it does not need (D1).
type Payload map[string]any

// skipped takes a value of which only the syntax is checked.
type skipped struct{}

func (skipped) UnmarshalJSON([]byte) error { return nil }

// ReadPayload decodes stdin: exactly one JSON object of at most 128 MiB, and
// nothing but white space after it. Of the keys that no event needs only the
// syntax is checked (D1).
func ReadPayload(stdin io.Reader) (Payload, error) {
	limited := &io.LimitedReader{R: stdin, N: MaxPayload + 1}
	dec := json.NewDecoder(limited)
	p, err := decodeObject(dec)
	if err == nil {
		if _, err = dec.Token(); err == io.EOF && limited.N > 0 {
			return p, nil
		}
		err = cmp.Or(err, errors.New("something stands after the JSON object"))
	}
	switch size := MaxPayload + 1 - limited.N; {
	case size > MaxPayload:
		return nil, malformed("it is over %d bytes", MaxPayload)
	case size == 0 && err == io.EOF:
		return nil, malformed("it is empty")
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return nil, malformed("it ends after %d bytes, with no whole JSON object", size)
	}
	return nil, malformed("%v", err)
}

// malformed is the error of every rule of D1; the condition as for Fail.
func malformed(condition string, args ...any) error {
	return Fail("this is not what the client sends: check what the hook is wired to, and the client's version",
		"malformed payload on stdin: "+condition, args...)
}

// decodeObject reads one JSON object and keeps the keys that are needed. An error
// is one of syntax, or of reading.
func decodeObject(dec *json.Decoder) (Payload, error) {
	dec.UseNumber() // a number of any size is well-formed
	token, err := dec.Token()
	if err == nil && token != json.Delim('{') {
		err = errors.New("it is not a JSON object")
	}
	for p := (Payload{}); err == nil; {
		if token, err = dec.Token(); err != nil {
			break
		}
		key, isKey := token.(string)
		if !isKey { // the closing brace: the decoder allows nothing else here
			return p, nil
		}
		if !needed(p, key) {
			err = dec.Decode(&skipped{})
			continue
		}
		var value any
		if slices.Contains(objectKeys[:], key) {
			var raw json.RawMessage
			err = dec.Decode(&raw)
			value = raw
		} else {
			err = dec.Decode(&value)
		}
		if _, again := p[key]; again {
			value = json.RawMessage(nil)
		}
		p[key] = value
	}
	return nil, err
}

// needed tells whether to keep a key. tool_input and tool_response may be large and
// matter only for Skill and Read: once the tool is another, they are skipped.
func needed(p Payload, key string) bool {
	if key == KeyInput || key == KeyResponse {
		tool, err := p.Text(KeyTool)
		return err != nil || tool == ToolSkill || tool == ToolRead
	}
	return slices.Contains(neededKeys[:], key)
}

// Text returns the string under key. Missing, doubled or of another type, it is
// malformed.
func (p Payload) Text(key string) (text string, err error) {
	value, has := p[key]
	if !has {
		return "", malformed("key %q is missing", key)
	}
	text, isText := value.(string)
	if !isText {
		return "", malformed("key %q stands twice or is not a string", key)
	}
	return text, nil
}

// TextOr is Text, and absent where the key does not stand.
func (p Payload) TextOr(key, absent string) (string, error) {
	if _, has := p[key]; !has {
		return absent, nil
	}
	return p.Text(key)
}

// object returns the needed keys of the object under key; absent, it has none.
func (p Payload) object(key string) (Payload, error) {
	value, has := p[key]
	if !has {
		return nil, nil
	}
	raw, _ := value.(json.RawMessage)
	in, err := decodeObject(json.NewDecoder(bytes.NewReader(raw)))
	if err != nil {
		return nil, malformed("key %q stands twice or is not an object", key)
	}
	return in, nil
}

// Input returns the string under key in tool_input, empty if it is absent.
func (p Payload) Input(key string) (string, error) {
	in, err := p.object(KeyInput)
	if err != nil {
		return "", err
	}
	return in.TextOr(key, "")
}

// WholeRead returns what a Read showed, if tool_response says that it showed a
// file whole: from line 1, as many lines as the file has (D11).
func (p Payload) WholeRead() (content string, whole bool) {
	response, responseErr := p.object(KeyResponse)
	file, fileErr := response.object(KeyFile)
	content, contentErr := file.Text(KeyContent)
	lines, _ := file[KeyNumLines].(json.Number)
	n, _ := lines.Int64()
	return content, errors.Join(responseErr, fileErr, contentErr) == nil &&
		n > 0 && file[KeyTotalLines] == lines && file[KeyStartLine] == json.Number("1")
}

// Cwd returns the working directory: absolute, without control characters, at
// most MaxPath bytes (D1).
func (p Payload) Cwd() (string, error) {
	cwd, err := p.Text(KeyCwd)
	if err == nil && (!filepath.IsAbs(cwd) || len(cwd) > MaxPath || hasControl(cwd)) {
		err = malformed("cwd %s is not absolute, over %d bytes or holds a control character", Quote(cwd), MaxPath)
	}
	return cwd, err
}

// Session returns session_id, which becomes a file name (D1).
func (p Payload) Session() (string, error) { return p.id(KeySession) }

// Agent returns agent_id, or "main" where it is absent, null or empty (D1).
func (p Payload) Agent() (string, error) {
	if p[KeyAgent] == nil || p[KeyAgent] == "" {
		return MainAgent, nil
	}
	return p.id(KeyAgent)
}

func (p Payload) id(key string) (string, error) {
	id, err := p.Text(key)
	if err == nil && (id == "" || len(id) > MaxID || id[0] == '.' || strings.Trim(id, idCharacters) != "") {
		err = malformed("%s %s is not 1 to %d of [A-Za-z0-9._-], not starting with a dot", key, Quote(id), MaxID)
	}
	return id, err
}

// hasControl tells whether s holds a control character (Unicode class Cc), its
// two bytes beyond ASCII included.
func hasControl(s string) bool {
	for i := range len(s) {
		c := s[i]
		if ' ' <= c && c < 0x7f {
			continue
		}
		if c <= 0x7f || c == 0xc2 && i+1 < len(s) && 0x80 <= s[i+1] && s[i+1] < 0xa0 {
			return true
		}
	}
	return false
}

// Quote makes a string of the payload fit for a message: as it is if it is
// plain printable ASCII without a blank, else quoted; cut at MaxQuoted bytes
// (D14).
func Quote(s string) string {
	if len(s) > MaxQuoted {
		return QuotePath(s[:MaxQuoted]) + "…"
	}
	return QuotePath(s)
}

// QuotePath is Quote for a path that somebody is to open: it is not cut.
func QuotePath(s string) string {
	odd := func(r rune) bool { return r <= ' ' || r > '~' || r == '"' }
	if s == "" || strings.ContainsFunc(s, odd) {
		return strconv.QuoteToASCII(s)
	}
	return s
}
