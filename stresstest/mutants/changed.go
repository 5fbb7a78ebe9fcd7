package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// lineSpan is some lines that follow each other.
type lineSpan struct{ from, to int }

// changedLines are the lines of each file that a revision does not have.
type changedLines map[string][]lineSpan

func (c changedLines) touch(m mutation) bool {
	for _, s := range c[m.file] {
		if m.first <= s.to && s.from <= m.last {
			return true
		}
	}
	return false
}

var hunk = regexp.MustCompile(`^@@ -\S+ \+([0-9]+)(?:,([0-9]+))? @@`)

// changedSince asks git. What is not committed yet counts as changed.
func changedSince(base string) (changedLines, error) {
	cmd := exec.Command("git", append([]string{"diff", "--no-color", "--no-ext-diff", "--relative", "-U0", base, "--"}, packages...)...)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git diff %s: %w", base, err)
	}
	changed, file := changedLines{}, ""
	for _, line := range strings.Split(string(out), "\n") {
		if name, ok := strings.CutPrefix(line, "+++ b/"); ok {
			file = filepath.ToSlash(name)
			continue
		}
		m := hunk.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		from, _ := strconv.Atoi(m[1])
		n := 1
		if m[2] != "" {
			n, _ = strconv.Atoi(m[2])
		}
		if n > 0 {
			changed[file] = append(changed[file], lineSpan{from, from + n - 1})
		}
	}
	return changed, nil
}
