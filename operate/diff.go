package main

import (
	"fmt"
	"strings"
)

// diffContext is how many lines are shown around each change.
const diffContext = 3

// maxDiffCells bounds the table of a comparison; a larger change is shown whole.
const maxDiffCells = 4_000_000

// diff shows how the lines of before become those of after, as diff -u does.
func diff(before, after []byte) string {
	a, b := lines(before), lines(after)
	var all []string // each with its mark
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		all = append(all, " "+a[head])
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	all = append(all, changed(a[head:len(a)-tail], b[head:len(b)-tail])...)
	for _, l := range a[len(a)-tail:] {
		all = append(all, " "+l)
	}
	return hunks(all)
}

// lines are the lines of a text, with their ends.
func lines(text []byte) []string {
	var all []string
	for l := range strings.Lines(string(text)) {
		all = append(all, l)
	}
	return all
}

// changed marks the lines that go and come, by their longest common subsequence.
func changed(a, b []string) []string {
	var out []string
	if len(a)*len(b) > maxDiffCells {
		for _, l := range a {
			out = append(out, "-"+l)
		}
		a = nil
	}
	same := make([][]int, len(a)+1)
	for i := range same {
		same[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			same[i][j] = max(same[i+1][j], same[i][j+1])
			if a[i] == b[j] {
				same[i][j] = same[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, " "+a[i])
			i++
			j++
		case j == len(b) || i < len(a) && same[i+1][j] >= same[i][j+1]:
			out = append(out, "-"+a[i])
			i++
		default:
			out = append(out, "+"+b[j])
			j++
		}
	}
	return out
}

// hunks are the marked lines that changed, with their context. What a terminal
// would take as a command of its own is shown as a mark.
func hunks(all []string) string {
	near := make([]bool, len(all))
	for i, l := range all {
		for k := max(0, i-diffContext); l[0] != ' ' && k <= min(len(all)-1, i+diffContext); k++ {
			near[k] = true
		}
	}
	var b strings.Builder
	for i, l := range all {
		if !near[i] {
			continue
		}
		if i > 0 && !near[i-1] {
			b.WriteString("  …\n")
		}
		ends := strings.HasSuffix(l, "\n")
		fmt.Fprintln(&b, "  "+plain(strings.TrimRight(l, "\r\n")))
		if !ends && l[0] != ' ' {
			b.WriteString("  \\ no newline at the end\n")
		}
	}
	return b.String()
}

// plain is a line of a file with its control characters made visible.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '�'
		}
		return r
	}, s)
}
