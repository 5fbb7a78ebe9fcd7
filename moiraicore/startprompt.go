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
	begin := strings.TrimLeftFunc(prompt, unicode.IsSpace)
	expanded := slices.ContainsFunc(commandTags[:], func(tag string) bool { return strings.HasPrefix(begin, tag) })
	for _, command := range startCommands {
		rest, typed := strings.CutPrefix(prompt, command)
		next, _ := utf8.DecodeRuneInString(rest)
		if typed && (rest == "" || unicode.IsSpace(next)) || expanded && strings.Contains(prompt, nameOpen+command+nameClose) {
			return true
		}
	}
	return false
}

// IsStartSkill tells whether a Skill call is a conscious start: exactly one of
// the two names (D10).
func IsStartSkill(skill string) bool { return slices.Contains(startSkills[:], skill) }
