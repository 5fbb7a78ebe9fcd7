package moiraicore

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsStartPrompt tells whether a prompt is a conscious start: the slash command
// alone or followed by white space, or the client's expansion of it. The tag
// counts only in a prompt that begins with a command tag: anywhere, it would
// open the gate to a pasted transcript or a subagent's output (D9).
func IsStartPrompt(prompt string) bool {
	tagged := isExpanded(prompt)
	for _, command := range startCommands {
		if rest, ok := strings.CutPrefix(prompt, command); ok {
			next, _ := utf8.DecodeRuneInString(rest)
			if rest == "" || unicode.IsSpace(next) {
				return true
			}
		}
		if tagged && strings.Contains(prompt, nameOpen+command+nameClose) {
			return true
		}
	}
	return false
}

func isExpanded(prompt string) bool {
	begin := strings.TrimLeftFunc(prompt, unicode.IsSpace)
	return slices.ContainsFunc(commandTags[:], func(tag string) bool { return strings.HasPrefix(begin, tag) })
}

// IsStartSkill tells whether a Skill call is a conscious start: exactly one of
// the two names (D10).
func IsStartSkill(skill string) bool { return slices.Contains(startSkills[:], skill) }
