package moiraicore

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// FuzzExemptRead: an exempt path must still be exempt by its name once a client
// has trimmed, cleaned or resolved it, or lie under the root.
func FuzzExemptRead(f *testing.F) {
	top, err := filepath.EvalSymlinks(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	root := filepath.Join(top, ScopeName)
	for _, dir := range []string{"memory/sub", ScopeName + "/memory", "secret/sub"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o700); err != nil {
			f.Fatal(err)
		}
	}
	// What a link leads to has to be there: the oracle asks the system.
	if err := os.WriteFile(filepath.Join(top, "secret/key"), nil, 0o600); err != nil {
		f.Fatal(err)
	}
	for link, to := range map[string]string{
		"memory/out": top + "/secret", "memory/hop": top + "/secret/sub", "CLAUDE.md": top + "/secret/key", ScopeName + "/CLAUDE.md": "AGENTS.md", "l": "memory/sub", "loop": "loop",
	} {
		if err := os.Symlink(to, filepath.Join(top, link)); err != nil {
			f.Fatal(err)
		}
	}
	for _, p := range []string{
		"CLAUDE.md", "MEMORY.md", "/CLAUDE.md", "/CLAUDE.md ", "/memory/a", "/memory/../secret/key", "/memory/out/key", "/l/../../secret/key",
		"/" + ScopeName + "/CLAUDE.md", "/loop/memory/x", "/memory/\x00", "~/memory/x", "/x/Memory/a", "/claude.md", "/memory", "/memory/..\ufeff",
		"/memory/hop/../key", "/memory/a ", "/" + ScopeName + "/x",
	} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		path := p
		if strings.HasPrefix(p, "/") {
			path = top + p
		}
		if !ExemptRead(path, root, root) {
			return
		}
		if !strings.HasPrefix(path, "/") {
			if p != "CLAUDE.md" && p != "MEMORY.md" {
				t.Fatalf("relative %q is exempt", p)
			}
			path = root + "/" + path
		}
		clean := filepath.Clean(path)
		named := func(p string) bool {
			return slices.Contains([]string{"CLAUDE.md", "MEMORY.md"}, filepath.Base(p)) || strings.Contains(p, "/memory/")
		}
		if !named(clean) || strings.TrimFunc(path, unicode.IsSpace) != path {
			t.Fatalf("%q is exempt", path)
		}
		for _, open := range []string{clean, path} {
			if real, err := filepath.EvalSymlinks(open); err == nil && !named(real) && !strings.HasPrefix(real, root+"/") {
				t.Fatalf("%q is exempt and opens %q", path, real)
			}
		}
	})
}

// FuzzResolve: what exists resolves as the system says; what does not keeps
// what exists of it.
func FuzzResolve(f *testing.F) {
	top, err := filepath.EvalSymlinks(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	if err := os.MkdirAll(top+"/a/b", 0o700); err != nil {
		f.Fatal(err)
	}
	for link, to := range map[string]string{"l": "a/b", "a/up": "..", "dangling": "a/gone", "loop": "loop", "chain": "dangling"} {
		if err := os.Symlink(to, filepath.Join(top, link)); err != nil {
			f.Fatal(err)
		}
	}
	for _, p := range []string{"/a/b", "/l", "/l/..", "/a/up/a", "/dangling", "/dangling/x/../y", "/chain", "/loop", "/loop/x", "/a/gone/../b", "//a//b/", "/l/../../x"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		if strings.ContainsRune(p, 0) || strings.Count(p, "..") > 3 {
			return
		}
		got := Resolve(top + "/" + p)
		if !filepath.IsAbs(got) || filepath.Clean(got) != got {
			t.Fatalf("Resolve(%q) = %q", p, got)
		}
		if want, err := filepath.EvalSymlinks(top + "/" + p); err == nil && got != want {
			t.Fatalf("Resolve(%q) = %q, want %q", p, got, want)
		}
	})
}

func TestResolveWhatIsGone(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(top+"/a/b", 0o700); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"l": "a/b", "dangling": "a/gone", "chain": "dangling", "far": "/nowhere/" + ScopeName} {
		if err := os.Symlink(to, top+"/"+link); err != nil {
			t.Fatal(err)
		}
	}
	for in, want := range map[string]string{
		"/l/gone":       "/a/b/gone",
		"/l/../gone":    "/a/gone",
		"/dangling":     "/a/gone",
		"/dangling/x":   "/a/gone/x",
		"/chain/":       "/a/gone",
		"/gone/../l":    "/a/b",
		"/gone/x/../..": "",
	} {
		if got := Resolve(top + in); got != top+want {
			t.Errorf("Resolve(%s) = %s, want %s", in, strings.TrimPrefix(got, top), want)
		}
	}
	if got := Resolve(top + "/far/sub"); got != "/nowhere/"+ScopeName+"/sub" {
		t.Errorf("Resolve(/far/sub) = %s", got)
	}
}
