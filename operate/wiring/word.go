package wiring

import (
	"path/filepath"
	"strings"
)

// homeWord is how a printed command names the home folder, so that one
// settings file serves every machine that it is copied to.
const homeWord = `"$HOME"`

// Quote writes an absolute path as one word of the shell, as "$HOME"/REST if it
// lies in the home folder.
func Quote(path, home string) string {
	if rest, ok := strings.CutPrefix(path, home+"/"); ok && home != "" {
		return homeWord + "/" + quoteText(rest)
	}
	return quoteText(path)
}

func quoteText(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,@%:=") == "" {
		return s
	}
	if !strings.ContainsAny(s, "\"$`\\!") {
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// firstWord reads the first word of a command as the shell would: quotes and
// backslashes taken away, $HOME, ${HOME} and a leading ~/ replaced. Rest is
// what follows it, unread. It is not ok if the word is not an absolute path or holds anything
// else that the shell would replace.
func firstWord(command, home string) (path, rest string, ok bool) {
	s := strings.TrimLeft(command, " \t")
	if after, tilde := strings.CutPrefix(s, "~/"); tilde {
		s = homeWord + "/" + after
	}
	var word strings.Builder
	quote := byte(0)
	i := 0
	for ; i < len(s); i++ {
		c := s[i]
		switch {
		case quote == 0 && strings.IndexByte(" \t\n;|&<>()", c) >= 0:
			return word.String(), s[i:], filepath.IsAbs(word.String())
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote:
			quote = 0
		case quote == '\'':
			word.WriteByte(c)
		case c == '$':
			name := homeName(s[i:])
			if name == 0 {
				return "", "", false
			}
			word.WriteString(home)
			i += name - 1
		case c == '`' || quote == 0 && strings.IndexByte("*?[{~#", c) >= 0:
			return "", "", false
		case c == '\\' && i+1 < len(s):
			i++
			word.WriteByte(s[i])
		default:
			word.WriteByte(c)
		}
	}
	return word.String(), "", quote == 0 && filepath.IsAbs(word.String())
}

// homeName is the length of $HOME or ${HOME} at the start of s, 0 if another
// name stands there.
func homeName(s string) int {
	if strings.HasPrefix(s, "${HOME}") {
		return len("${HOME}")
	}
	if !strings.HasPrefix(s, "$HOME") {
		return 0
	}
	if after := s[len("$HOME"):]; after != "" && strings.IndexByte("/\"' \t;|&", after[0]) < 0 {
		return 0
	}
	return len("$HOME")
}
