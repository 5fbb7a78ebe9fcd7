package wiring

import (
	"math/rand"
	"os/exec"
	"testing"
)

// TestQuote: a quoted path is one word that the real shell reads as the path,
// and that firstWord reads as the shell does.
func TestQuote(t *testing.T) {
	const home = "/home/some user"
	paths := []string{
		"/opt/moirai", "/Library/Application Support/Moirai", home + "/.claude/hooks/moirai",
		home + "/it's $(here)/`x`", "/a\"b", `/back\slash`, "/star*?[x]{a,b}~", "/a!b", "/x;y|z&", "/ü/漢", home + "ish/.claude",
	}
	letters := []rune("aZ0 \"'\\$`!*?;&|<>(){}[]~#=%@:,+-_./ü漢\t")
	for range 300 {
		p := []rune("/")
		for range rand.Intn(12) {
			p = append(p, letters[rand.Intn(len(letters))])
		}
		paths = append(paths, string(p))
	}
	for _, path := range paths {
		word := Quote(path, home)
		cmd := exec.Command("/bin/sh", "-c", "printf %s "+word)
		cmd.Env = []string{"HOME=" + home}
		out, err := cmd.Output()
		if err != nil || string(out) != path {
			t.Errorf("Quote(%q) = %s: the shell reads %q (%v)", path, word, out, err)
		}
		got, rest, ok := firstWord(word+" 1/4; x", home)
		if !ok || got != path || rest != " 1/4; x" {
			t.Errorf("firstWord(%s) = %q, %q, %v", word, got, rest, ok)
		}
	}
}

// TestFirstWord: what the shell would replace is not read as a path.
func TestFirstWord(t *testing.T) {
	for command, want := range map[string]string{
		`"$HOME"/a`: "/h/a", `$HOME/a`: "/h/a", `${HOME}/a`: "/h/a", `~/a b`: "/h/a", `  /a/b`: "/a/b", `/a\ b`: "/a b",
		`"${HOME}/a b"/c;x`: "/h/a b/c",
		`$HOMER/a`:          "", `$X/a`: "", "`x`/a": "", `"$(x)"/a`: "", `/a/*`: "", `hades-gate`: "", `"/a`: "", `'/a`: "", `~root/a`: "", ``: "",
	} {
		got, _, ok := firstWord(command, "/h")
		if ok != (want != "") || ok && got != want {
			t.Errorf("firstWord(%s) = %q, %v; want %q", command, got, ok, want)
		}
	}
}
