package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// print writes the table: one line a fault, in each column how the kind ended, how
// often, what it said, and the longest time.
func printTable(w io.Writer, title string, rows []*row) {
	fmt.Fprintf(w, "\n%s\n", title)
	fmt.Fprintf(w, "where ends differ: 2B the block message, 2C fail-closed, 2F the Go runtime could not start, 0N nothing recorded\n%-50s", "")
	for _, k := range theKinds[:kinds] {
		fmt.Fprintf(w, " %-27s", k.name)
	}
	fmt.Fprintln(w)
	class := ""
	for _, r := range rows {
		if r.class != class {
			class = r.class
			fmt.Fprintf(w, "%s\n", class)
		}
		fmt.Fprintf(w, "  %-48.48s", r.name)
		if r.lacks != "" {
			fmt.Fprintf(w, " lacking here: %s\n", r.lacks)
			continue
		}
		for _, c := range r.cells {
			fmt.Fprintf(w, " %-27s", c)
		}
		fmt.Fprintln(w)
	}
}

// String is a cell of the table.
func (c *cell) String() string {
	if c == nil {
		return "-"
	}
	if len(c.bad) > 0 {
		return fmt.Sprintf("BAD ×%d", len(c.bad))
	}
	var ends []string
	for _, e := range slices.Sorted(keys(c.ends)) {
		code := map[byte]string{'S': "signal", '0': "0", 'N': "0"}[e]
		if code == "" {
			code = "2"
		}
		if len(c.ends) > 1 && e != 'S' && e != '0' {
			code += string(e)
		}
		if c.runs > 1 {
			code += fmt.Sprintf("×%d", c.ends[e])
		}
		ends = append(ends, code)
	}
	text := strings.Join(ends, " ")
	time := fmt.Sprintf(" %.2fs", c.worst)
	room := 27 - len([]rune(text)) - len(time) - 1
	if said := short(c.condition); said != "" && room > 3 {
		if r := []rune(said); len(r) > room {
			said = string(r[:room])
		}
		text += " " + said
	}
	return text + time
}

func keys(m map[byte]int) func(func(byte) bool) {
	return func(yield func(byte) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

var shortened = regexp.MustCompile(`^(malformed payload on stdin: |token file |token directory: |required files: |/tmp/moirai\S* ?|/tmp/c/\S+ |: |the |it |Go runtime: )+`)

// short is what tells a condition from others, for a narrow column.
func short(condition string) string { return shortened.ReplaceAllString(condition, "") }
