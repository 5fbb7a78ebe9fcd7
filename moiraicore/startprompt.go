package moiraicore

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// IsStartPrompt tells whether a prompt is a conscious start: the slash command alone
// or followed by white space, or the client's expansion of it. White space is what
// the client trims; ahead of the command only an IDE's own blocks may stand. A command
// tag counts only at the beginning: anywhere, it would open the gate to a pasted
// transcript or a subagent's output (D9).
func IsStartPrompt(prompt string) bool {
	begin := strings.TrimLeft(afterIDE(prompt), spaces)
	expanded := slices.ContainsFunc(commandTags[:], func(tag string) bool { return strings.HasPrefix(begin, tag) })
	for _, command := range startCommands {
		rest, typed := strings.CutPrefix(begin, command)
		next, _ := utf8.DecodeRuneInString(rest)
		if typed && (rest == "" || strings.ContainsRune(spaces, next)) || expanded && strings.Contains(begin, nameOpen+command+nameClose) {
			return true
		}
	}
	return false
}

// afterIDE returns what was typed below the blocks of an IDE that a prompt begins
// with. A selected text may hold the end of a block and a command: so the last end
// counts.
func afterIDE(prompt string) string {
	begin, end := strings.TrimLeft(prompt, spaces), 0
	for _, tag := range ideTags {
		if !strings.HasPrefix(begin, "<"+ideTags[0]) && !strings.HasPrefix(begin, "<"+ideTags[1]) {
			return prompt
		}
		if i := strings.LastIndex(begin, "</"+tag); i >= 0 {
			end = max(end, i+len("</"+tag))
		}
	}
	return begin[end:]
}

// IsStartSkill tells whether a Skill call is a conscious start: exactly one of
// the two names (D10).
func IsStartSkill(skill string) bool { return slices.Contains(startSkills[:], skill) }
