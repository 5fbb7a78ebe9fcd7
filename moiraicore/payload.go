package moiraicore

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
)

// Payload holds the keys of one JSON object, compared exactly, and the value of each
// as it stands; no bytes where a key stands twice. encoding/json's struct matching
// would ignore case and let the last duplicate win. Each method judges one key, so
// that no event is blocked by a rule about a field that it does not need (D1).
type Payload map[string]json.RawMessage

// Enter reads stdin and tells whether the call is in scope. Out of scope only two
// things are judged: that stdin is JSON, and that cwd is absolute. There a value that
// is nested too deep for the decoder is let pass if cwd came before it (D1, D23).
func Enter(stdin io.Reader) (Payload, Scope) {
	p, err := ReadPayload(stdin)
	cwd, cwdErr := p.Text(KeyCwd)
	if cwdErr == nil && !filepath.IsAbs(cwd) {
		cwdErr = malformed("cwd %s is not absolute", Quote(cwd))
	}
	if cwdErr != nil {
		Check(cmp.Or(err, cwdErr))
	}
	scope := Locate(cwd)
	if scope.In || err != nil && !strings.Contains(err.Error(), tooDeep) {
		Check(err)
	}
	if scope.In && (len(cwd) > MaxPath || strings.ContainsFunc(cwd, unicode.IsControl)) {
		Check(malformed("cwd %s is over %d bytes or holds a control character", Quote(cwd), MaxPath))
	}
	return p, scope
}

// ReadPayload decodes stdin: exactly one JSON object of at most 128 MiB, and nothing
// but white space after it (D1). With an error it returns what came before.
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
	if limited.N == 0 {
		err = fmt.Errorf("it is over %d bytes", MaxPayload)
	} else if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = fmt.Errorf("it ends after %d bytes, with no whole JSON object", MaxPayload+1-limited.N)
	}
	return p, malformed("%v", err)
}

// malformed is the error of every rule of D1; the condition as for Fail.
func malformed(condition string, args ...any) error {
	return Fail("this is not what the client sends: check what the hook is wired to, and the client's version",
		"malformed payload on stdin: "+condition, args...)
}

// decodeObject reads one JSON object. An error is one of syntax, or of reading.
func decodeObject(dec *json.Decoder) (Payload, error) {
	p := Payload{}
	token, err := dec.Token()
	if err == nil && token != json.Delim('{') {
		err = errors.New("it is not a JSON object")
	}
	for err == nil {
		if token, err = dec.Token(); err != nil {
			break
		}
		key, isKey := token.(string)
		if !isKey { // the closing brace: the decoder allows nothing else here
			return p, nil
		}
		var value json.RawMessage
		err = dec.Decode(&value)
		if _, again := p[key]; again {
			value = nil
		}
		p[key] = value
	}
	return p, err
}

// Text returns the string under key. Missing, doubled or of another type, it is
// malformed.
func (p Payload) Text(key string) (text string, err error) {
	raw, has := p[key]
	if !has {
		return "", malformed("key %q is missing", key)
	}
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
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

// object returns the object under key; absent, it has no keys.
func (p Payload) object(key string) (Payload, error) {
	raw, has := p[key]
	if !has {
		return nil, nil
	}
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
	lines := string(file[KeyNumLines])
	n, _ := strconv.Atoi(lines)
	return content, errors.Join(responseErr, fileErr, contentErr) == nil &&
		n > 0 && string(file[KeyTotalLines]) == lines && string(file[KeyStartLine]) == "1"
}

// Session returns session_id, which becomes a file name (D1).
func (p Payload) Session() (string, error) {
	id, err := p.id(KeySession)
	if err == nil && id == "" {
		err = malformed("key %q is missing or empty", KeySession)
	}
	return id, err
}

// Agent returns agent_id, or "main" where it is absent, null or empty (D1).
func (p Payload) Agent() (string, error) {
	id, err := p.id(KeyAgent)
	return cmp.Or(id, MainAgent), err
}

// AtPrompt names the main agent as of the prompt that the call belongs to. The client
// gives each prompt a new prompt_id, and old clients give none (D24).
func (p Payload) AtPrompt() (string, error) {
	id, err := p.id(KeyPromptID)
	return NoPrompt + id, err
}

// id returns an id that may be absent, null or empty.
func (p Payload) id(key string) (string, error) {
	if string(p[key]) == "null" {
		return "", nil
	}
	id, err := p.TextOr(key, "")
	if id != "" && (len(id) > MaxID || id[0] == '.' || strings.Trim(id, idCharacters) != "") {
		err = malformed("%s %s is not 1 to %d of [A-Za-z0-9._-], not starting with a dot", key, Quote(id), MaxID)
	}
	return id, err
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
