package moiraicore

import (
	"errors"
	"fmt"
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

// ParseRecord reads one line without its newline. Any control character, a
// missing field or a time that is no whole number from 0 to 2^63-1 is an error (D5).
func ParseRecord(line string) (r Record, err error) {
	if hasControl(line) {
		return r, errors.New("a control character")
	}
	stamp, rest, _ := strings.Cut(line, " ")
	r.Marker, rest, _ = strings.Cut(rest, " ")
	r.Tool, rest, _ = strings.Cut(rest, " ")
	r.Agent, r.Path, _ = strings.Cut(rest, " ")
	seconds, err := strconv.ParseUint(stamp, 10, 63)
	if err != nil {
		return r, errors.New("the first field is not a time in seconds")
	}
	if r.Marker == "" || r.Tool == "" || r.Agent == "" {
		return r, errors.New("fewer than four fields")
	}
	r.Time = int64(seconds)
	return r, nil
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

// ParsePage reads the marker of a receipt: page k of m went out (D7).
func ParsePage(marker string) (k, m int, ok bool) { return pageOf(pageMarker, marker) }

// ParseArgument reads the loader's argument: it is the k-th of n wired (D7).
func ParseArgument(arg string) (k, n int, ok bool) { return pageOf(pageArgument, arg) }

// pageOf reads two numbers, 1 <= k <= m <= MaxPages, written as form writes them.
func pageOf(form, text string) (k, m int, ok bool) {
	if len(text) > len(form) { // two digits each at most
		return 0, 0, false
	}
	_, err := fmt.Sscanf(text, form, &k, &m)
	return k, m, err == nil && 1 <= k && k <= m && m <= MaxPages && fmt.Sprintf(form, k, m) == text
}
