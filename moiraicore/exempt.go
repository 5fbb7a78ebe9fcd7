package moiraicore

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsExemptTool tells whether a tool passes whatever its input (§4.3). Names are
// exact and case-sensitive.
func IsExemptTool(tool string) bool { return slices.Contains(exemptTools[:], tool) }

// ExemptRead tells whether a Read passes without markers (§4.3, D12). It is
// judged by its cleaned path; where that is or leads through a link, what it
// resolves to must be exempt itself or lie under root, and be one file to every
// process.
func ExemptRead(filePath, cwd, root string) bool {
	path := filePath
	if slices.Contains(exemptFiles[:], filePath) { // older clients pass what the model wrote
		path = cwd + "/" + filePath
	} else if !isPlain(filePath) {
		return false
	}
	if !isExempt(filepath.Clean(path)) {
		return false
	}
	// A client that takes ".." out before it opens the file and one that
	// leaves it to the kernel may mean two files: both must pass.
	for _, p := range [...]string{filepath.Clean(path), path} {
		resolved, shared := follow(p)
		if !shared || !isExempt(resolved) && !strings.HasPrefix(resolved, root+"/") {
			return false
		}
	}
	return true
}

// RequiredRead returns the index of the required file of root that filePath is: by
// its exact path, else by os.SameFile, so that case does not matter (D11). As in
// ExemptRead, what the kernel opens and what a client opens that takes ".." out first
// must both be it.
func RequiredRead(filePath, root string) (i int, ok bool) {
	for i, r := range Required {
		if filePath == root+"/"+r.Path {
			return i, sameFile(filePath, filePath)
		}
	}
	for i, r := range Required {
		if path := root + "/" + r.Path; isPlain(filePath) && leadsTo(path, filePath) && leadsTo(path, filepath.Clean(filePath)) {
			return i, true
		}
	}
	return 0, false
}

// leadsTo tells whether path is the file, and that to every process.
func leadsTo(file, path string) bool {
	_, shared := follow(path)
	return shared && sameFile(path, file)
}

// AsShown is a text as the client's Read gives it: no byte order mark ahead, line
// ends as "\n", no single "\r" at the end. Everything else is shown as it is (D11,
// measured).
func AsShown(text string) string {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	return strings.TrimSuffix(text, "\r")
}

// isExempt tells whether a path is exempt by its name (§4.3).
func isExempt(path string) bool {
	return slices.Contains(exemptFiles[:], filepath.Base(path)) || strings.Contains(path, exemptSegment)
}

// isPlain tells whether every client opens the path as it is written: absolute, at
// most MaxPath bytes, no blank at either end that it might trim, no control character.
func isPlain(path string) bool {
	return filepath.IsAbs(path) && len(path) <= MaxPath && strings.Trim(path, spaces) == path && !strings.ContainsFunc(path, unicode.IsControl)
}

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
		if typed && (rest == "" || strings.ContainsRune(spaces, next)) || expanded && strings.Contains(begin, commandTags[1]+command+strings.Replace(commandTags[1], "<", "</", 1)) {
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
