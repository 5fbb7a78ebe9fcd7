package wiring

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"

	"moirai/moiraicore"
)

// rewritesKey is the key by which a hook replaces what the model is shown of a call.
const rewritesKey = "updatedToolOutput"

// rewriteLimit is how much of a script is looked through.
const rewriteLimit = 1 << 20

// rewritesReads tells whether a hook that is not ours replaces what a Read shows, as
// far as its command, or a script that the command names, says so: the payload of our
// own hook has the file, whatever the model is shown (D11).
func (s *Source) rewritesReads(event, matcher, command, home string) bool {
	h := Hook{Event: moiraicore.PostToolUse, Matcher: matcher}
	if event != h.Event || !h.matches() {
		return false
	}
	if strings.Contains(command, rewritesKey) {
		return true
	}
	project := filepath.Dir(filepath.Dir(s.Path))
	named := strings.NewReplacer(`"$CLAUDE_PROJECT_DIR"`, project, "${CLAUDE_PROJECT_DIR}", project, "$CLAUDE_PROJECT_DIR", project).Replace(command)
	for _, word := range strings.Fields(named) {
		if path, _, ok := firstWord(word, home); ok && holds(path, rewritesKey) {
			return true
		}
	}
	return false
}

// holds tells whether a regular file holds the text. A file that cannot be read does not.
func holds(path, text string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, rewriteLimit))
	return err == nil && bytes.Contains(b, []byte(text))
}
