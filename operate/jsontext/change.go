package jsontext

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Span is a run of bytes of a text, and what takes its place.
type Span struct {
	Start, End int
	Text       string
}

// Splice puts each span's text in the place of its bytes. Spans must not overlap.
func Splice(text []byte, spans []Span) []byte {
	sorted := slices.Clone(spans)
	slices.SortFunc(sorted, func(a, b Span) int { return a.Start - b.Start })
	var out []byte
	at := 0
	for _, s := range sorted {
		out = append(append(out, text[at:s.Start]...), s.Text...)
		at = s.End
	}
	return append(out, text[at:]...)
}

// Without are the spans that take the members with these indexes out of v, each
// with one comma. What stands between the members that stay is not touched.
func (v Value) Without(gone map[int]bool) []Span {
	kept := -1 // the last one before that stays
	var spans []Span
	for i := range v.Members {
		switch {
		case !gone[i]:
			kept = i
		case len(gone) == len(v.Members):
			return []Span{{Start: v.Start + 1, End: v.End - 1}}
		case kept >= 0:
			spans = append(spans, Span{Start: v.Members[i-1].Value.End, End: v.Members[i].Value.End})
		default:
			spans = append(spans, Span{Start: v.Members[i].Start, End: v.Members[i+1].Start})
		}
	}
	return spans
}

// Append is the span that adds a member to the end of v, written as the text
// around it is: its line ends, its indentation, or all on one line. In an object
// the member has a key. value is valid JSON.
func Append(text []byte, v Value, key string, value []byte) Span {
	style := styleOf(text)
	head := ""
	if v.Kind == Object {
		head = quoted(key) + ":"
		if style.spaced {
			head += " "
		}
	}
	if len(v.Members) == 0 {
		if style.oneLine {
			return Span{v.Start + 1, v.End - 1, head + style.value(value, "")}
		}
		outer := indentAt(text, v.Start)
		inner := outer + style.unit
		return Span{v.Start + 1, v.End - 1, style.eol + inner + head + style.value(value, inner) + style.eol + outer}
	}
	last := v.Members[len(v.Members)-1]
	between := "," // and the white space that stands before the last member
	space := text[:last.Start]
	space = space[len(bytes.TrimRight(space, " \t\r\n")):]
	base := indentAt(text, last.Start)
	if i := bytes.LastIndexByte(space, '\n'); i >= 0 {
		between += style.eol + string(space[i+1:])
	} else if len(v.Members) > 1 || style.spaced {
		between += " "
	}
	return Span{last.Value.End, last.Value.End, between + head + style.value(value, base)}
}

// style is how a text is written.
type style struct {
	eol, unit       string
	oneLine, spaced bool // spaced: a blank after colon and comma
}

func styleOf(text []byte) style {
	s := style{eol: "\n", unit: "  ", spaced: true}
	root, err := Parse(text)
	if err != nil || len(root.Members) == 0 {
		if bytes.Contains(text, []byte("\r\n")) {
			s.eol = "\r\n"
		}
		return s
	}
	first := root.Members[0]
	lead := text[root.Start+1 : first.Start]
	if i := bytes.IndexByte(text[root.Start:root.End], '\n'); i < 0 {
		s.oneLine = true
	} else if i > 0 && text[root.Start+i-1] == '\r' {
		s.eol = "\r\n"
	}
	if i := bytes.LastIndexByte(lead, '\n'); i >= 0 {
		s.unit = strings.TrimPrefix(string(lead[i+1:]), indentAt(text, root.Start))
	}
	if root.Kind == Object { // as the first key has it
		s.spaced = text[first.Value.Start-1] != ':'
	}
	return s
}

// value is JSON as the style has it, its further lines indented by base.
func (s style) value(value []byte, base string) string {
	var b bytes.Buffer
	if s.oneLine {
		if err := json.Compact(&b, value); err != nil {
			panic("jsontext: a value that is not JSON: " + err.Error())
		}
		if s.spaced {
			return spread(b.Bytes())
		}
		return b.String()
	}
	if err := json.Indent(&b, value, base, s.unit); err != nil {
		panic("jsontext: a value that is not JSON: " + err.Error())
	}
	return strings.ReplaceAll(b.String(), "\n", s.eol)
}

// spread puts a blank behind each colon and comma outside of strings.
func spread(compact []byte) string {
	var b strings.Builder
	inString := false
	for i := 0; i < len(compact); i++ {
		c := compact[i]
		b.WriteByte(c)
		switch {
		case c == '\\':
			i++
			b.WriteByte(compact[i])
		case c == '"':
			inString = !inString
		case !inString && (c == ':' || c == ','):
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// indentAt is the white space at the start of the line that an offset lies in.
func indentAt(text []byte, offset int) string {
	line := bytes.TrimPrefix(text[bytes.LastIndexByte(text[:offset], '\n')+1:], mark)
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic("jsontext: a key that JSON cannot hold: " + err.Error())
	}
	return strings.TrimSpace(b.String())
}
