package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// maxDepth is encoding/json's own limit.
const maxDepth = 10_000

// Value is one JSON value in a text: the bytes from Start to End. Members are an
// array's values, or an object's, whose keys stand in Key.
type Value struct {
	Kind       Kind
	Start, End int
	Members    []Member
}

// Member is one value of an array or object. Start is where it begins, in an
// object with its key.
type Member struct {
	Key   string // decoded
	Start int
	Value Value
}

// Kind is what a value is.
type Kind byte

const (
	Object Kind = '{'
	Array  Kind = '['
	String Kind = '"'
	Other  Kind = '0' // a number, true, false or null
)

// Get is the member of an object with this key.
func (v Value) Get(key string) (Value, bool) {
	for _, m := range v.Members {
		if v.Kind == Object && m.Key == key {
			return m.Value, true
		}
	}
	return Value{}, false
}

// Place says where in a text an offset lies, as an editor counts: both from 1,
// columns in characters.
func Place(text []byte, offset int) string {
	before := text[:min(offset, len(text))]
	line := 1 + bytes.Count(before, []byte{'\n'})
	column := 1 + utf8.RuneCount(bytes.TrimPrefix(before[bytes.LastIndexByte(before, '\n')+1:], mark))
	return fmt.Sprintf("line %d, column %d", line, column)
}

// mark is the byte order mark that some editors put in front.
var mark = []byte("\ufeff")

// Parse reads one JSON value with nothing but white space and a byte order mark
// around it. Two equal keys in one object are an error: whoever changes one of
// them may change the one that nobody reads.
func Parse(text []byte) (Value, error) {
	if !json.Valid(bytes.TrimPrefix(text, mark)) {
		return Value{}, malformed(text)
	}
	p := parser{text: text, at: 0}
	if bytes.HasPrefix(text, mark) {
		p.at = len(mark)
	}
	return p.value(0)
}

// malformed is what encoding/json says of the text, with the place.
func malformed(text []byte) error {
	skipped := len(text) - len(bytes.TrimPrefix(text, mark))
	var v any
	err := json.Unmarshal(text[skipped:], &v)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return fmt.Errorf("malformed JSON: %v", err)
	}
	// The offset is that after the byte that was read; at the end there is none.
	at := int(syntax.Offset) + skipped
	if at > skipped && at < len(text)+1 && syntax.Error() != "unexpected end of JSON input" {
		at--
	}
	return fmt.Errorf("malformed JSON at %s: %v", Place(text, at), err)
}

// parser walks over a text that is known to be valid.
type parser struct {
	text []byte
	at   int
}

func (p *parser) space() {
	for p.at < len(p.text) && bytes.IndexByte([]byte(" \t\r\n"), p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *parser) value(depth int) (Value, error) {
	p.space()
	v := Value{Kind: Kind(p.text[p.at]), Start: p.at}
	var err error
	switch {
	case depth > maxDepth:
		return v, errors.New("JSON that is nested too deeply")
	case v.Kind == Object || v.Kind == Array:
		err = p.members(&v, depth)
	case v.Kind == String:
		p.str()
	default:
		v.Kind = Other
		for p.at < len(p.text) && bytes.IndexByte([]byte(" \t\r\n,]}"), p.text[p.at]) < 0 {
			p.at++
		}
	}
	v.End = p.at
	return v, err
}

// members reads what stands between the brackets of v.
func (p *parser) members(v *Value, depth int) error {
	seen := map[string]bool{}
	for p.at++; ; p.at++ { // over the bracket, then over each comma
		p.space()
		if p.text[p.at] == '}' || p.text[p.at] == ']' {
			break
		}
		m := Member{Start: p.at}
		if v.Kind == Object {
			m.Key = p.str()
			if seen[m.Key] {
				return fmt.Errorf("the key %q a second time in one object at %s", m.Key, Place(p.text, m.Start))
			}
			seen[m.Key] = true
			p.space()
			p.at++ // the colon
		}
		var err error
		if m.Value, err = p.value(depth + 1); err != nil {
			return err
		}
		v.Members = append(v.Members, m)
		p.space()
		if p.text[p.at] != ',' {
			break
		}
	}
	p.at++
	return nil
}

// str reads a string and decodes it.
func (p *parser) str() string {
	start := p.at
	for p.at++; p.text[p.at] != '"'; p.at++ {
		if p.text[p.at] == '\\' {
			p.at++
		}
	}
	p.at++
	var s string
	if json.Unmarshal(p.text[start:p.at], &s) != nil {
		panic("jsontext: a string of valid JSON that is none")
	}
	return s
}
