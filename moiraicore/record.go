package moiraicore

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
)

// Record is one line of a token file (§4.5, D5):
//
//	<unix seconds> <marker> <tool> <agent_id> <path>
//
// The path is the rest of the line, may hold spaces, may be empty or absent.
type Record struct {
	Time                      int64
	Marker, Tool, Agent, Path string
}

// fields are the fields of one line, in place.
type fields struct{ time, marker, tool, agent, path []byte }

// splitRecord splits one line without its newline. Any control character, a
// missing field or a time that is no number is an error (D5).
func splitRecord(line []byte) (f fields, err error) {
	if hasControl(line) {
		return f, errors.New("a control character")
	}
	blank := []byte{' '}
	f.time, line, _ = bytes.Cut(line, blank)
	f.marker, line, _ = bytes.Cut(line, blank)
	f.tool, line, _ = bytes.Cut(line, blank)
	f.agent, f.path, _ = bytes.Cut(line, blank)
	if len(f.time) == 0 || len(f.time) > 18 || len(bytes.Trim(f.time, "0123456789")) > 0 {
		return f, errors.New("the first field is not a time in seconds")
	}
	if len(f.marker) == 0 || len(f.tool) == 0 || len(f.agent) == 0 {
		return f, errors.New("fewer than four fields")
	}
	return f, nil
}

// ParseRecord reads one line without its newline, as splitRecord does.
func ParseRecord(line string) (Record, error) {
	f, err := splitRecord([]byte(line))
	if err != nil {
		return Record{}, err
	}
	seconds, err := strconv.ParseInt(string(f.time), 10, 64)
	return Record{seconds, string(f.marker), string(f.tool), string(f.agent), string(f.path)}, err
}

// String is the line of the record without its newline, with no blank at the
// end where there is no path.
func (r Record) String() string {
	line := strconv.FormatInt(r.Time, 10) + " " + r.Marker + " " + r.Tool + " " + r.Agent
	if r.Path == "" {
		return line
	}
	return line + " " + r.Path
}

// pageMarker is the marker of a receipt: page k of m went out (D7).
func pageMarker(k, m int) string {
	return "PAGE_" + strconv.Itoa(k) + "_OF_" + strconv.Itoa(m)
}

// ParsePage reads the marker of a receipt.
func ParsePage(marker string) (k, m int, ok bool) {
	ks, ms, _ := strings.Cut(strings.TrimPrefix(marker, "PAGE_"), "_OF_")
	k, _ = strconv.Atoi(ks)
	m, _ = strconv.Atoi(ms)
	return k, m, 1 <= k && k <= m && m <= MaxPages && pageMarker(k, m) == marker
}
