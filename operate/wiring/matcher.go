package wiring

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"moirai/moiraicore"
)

// slips says what a matcher that is too narrow lets through.
var slips = map[string]string{
	moiraicore.SessionStart: "a start, resume, clear, compaction or fork",
	moiraicore.PreToolUse:   "tools",
	moiraicore.PostToolUse:  "the Read of a required file",
	moiraicore.PreCompact:   "a manual or an automatic compaction",
	PreSkillShell:           "shell code of skills and commands",
}

func wanted(event string) string {
	for _, w := range Wires("", Pages) {
		if w.Event == event && w.Matcher != "" {
			return strconv.Quote(w.Matcher)
		}
	}
	return "empty"
}

// matches tells whether the matcher takes all that the event must see. For
// PreToolUse that is every name there may ever be, so only the forms that mean
// everything will do.
func (h Hook) matches() bool {
	if h.Matcher == "" || h.Matcher == "*" || h.Event == moiraicore.UserPromptSubmit {
		return true
	}
	switch h.Event {
	case moiraicore.SessionStart:
		return matchesAll(h.Matcher, "startup", "resume", "clear", "compact", "fork")
	case moiraicore.PreCompact:
		return matchesAll(h.Matcher, "manual", "auto")
	case moiraicore.PostToolUse:
		return matchesAll(h.Matcher, readTool)
	}
	return h.Matcher == ".*"
}

var nameList = regexp.MustCompile(`^[a-zA-Z0-9_|, -]+$`)

// matchesAll is the client's rule: a list of names is compared, anything else
// is a regular expression that may match anywhere.
func matchesAll(matcher string, names ...string) bool {
	isList := nameList.MatchString(matcher)
	expr, err := regexp.Compile(matcher)
	if !isList && err != nil {
		return false
	}
	var listed []string
	for _, name := range strings.FieldsFunc(matcher, func(r rune) bool { return r == '|' || r == ',' }) {
		listed = append(listed, strings.TrimSpace(name))
	}
	for _, name := range names {
		if isList && !slices.Contains(listed, name) || !isList && !expr.MatchString(name) {
			return false
		}
	}
	return true
}
