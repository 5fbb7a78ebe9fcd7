// Package trial is the place in which the tests of wiring, operate and the
// probe try the built programs: a temporary home, a private /tmp, and, where
// root runs the tests, a private /etc and /opt for what is managed. The
// programs run through exec, as an ordinary user, with an environment of their own.
package trial

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"moirai/moiraicore"
	"moirai/stresstest/rig"
)

// nobody is the uid that the programs run with when root runs the tests.
const nobody = 65534

var place struct {
	iso     *rig.Isolation
	bin     string // the built programs
	managed bool   // /etc and /opt are private
}

// Main isolates the test program, builds the programs and runs the tests.
func Main(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "trial:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	iso, err := rig.Enter(rig.Request{KeepUser: true})
	if err != nil {
		return 1, err
	}
	defer iso.Leave()
	place.iso, place.bin = iso, filepath.Join(iso.Scratch, "bin")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", place.bin+"/", "moirai/hades-gate",
		"moirai/hades-session-load", "moirai/operate", "moirai/operate/moirai-hades-integrity")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return 1, fmt.Errorf("go build: %w\n%s", err, out)
	}
	if err := os.Mkdir(filepath.Join(place.bin, "docs"), 0o755); err != nil {
		return 1, err
	}
	for _, page := range []string{moiraicore.ReadmeName, "docs/ALERTS.md"} {
		if err := os.WriteFile(filepath.Join(place.bin, page), []byte("# Moirai\n"), 0o644); err != nil {
			return 1, err
		}
	}
	if iso.PrivateTmp && os.Geteuid() == 0 {
		if err := coverManaged(iso.Scratch); err != nil {
			return 1, err
		}
		place.managed = true
	}
	return m.Run(), nil
}

// Trial is one user on a fresh machine, with a constellation of small files.
type Trial struct {
	testing.TB
	Home, Root string
	Env        []string // besides HOME and PATH
}

// New makes a fresh machine. Tests that use it must not run in parallel: /tmp,
// /etc and /opt are one for all.
func New(t testing.TB) *Trial {
	t.Helper()
	if !place.iso.PrivateTmp {
		t.Skip("no private /tmp: ", place.iso.Refused)
	}
	dir := filepath.Join(place.iso.Scratch, "machine")
	tr := &Trial{TB: t, Home: filepath.Join(dir, "home of a user"), Root: filepath.Join(dir, rig.RootName)}
	tr.Must(os.RemoveAll(moiraicore.TokenParent))
	tr.Must(os.RemoveAll(dir))
	tr.Must(os.MkdirAll(filepath.Join(tr.Home, ".claude"), 0o755))
	_, err := rig.Constellation(tr.Root, rig.SmallContents())
	tr.Must(err)
	tr.Must(os.MkdirAll(filepath.Join(tr.Root, ".claude/commands"), 0o755))
	tr.Must(os.WriteFile(filepath.Join(tr.Root, ".claude/commands/start.md"), []byte("Start.\n"), 0o644))
	tr.Own(dir)
	if place.managed {
		tr.Must(clearManaged())
	}
	return tr
}

// NeedManaged skips the test where nothing managed can be tried.
func (tr *Trial) NeedManaged() {
	tr.Helper()
	if !place.managed {
		tr.Skip("managed files need root and a private /etc")
	}
}

// Own gives everything under dir to the user.
func (tr *Trial) Own(dir string) {
	tr.Helper()
	if os.Geteuid() != 0 {
		return
	}
	tr.Must(filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, nobody, nobody)
	}))
}

// Must ends the test on an error.
func (tr *Trial) Must(err error) {
	tr.Helper()
	if err != nil {
		tr.Fatal(err)
	}
}

// Bin is the path of a built program.
func (tr *Trial) Bin(name string) string { return filepath.Join(place.bin, name) }

// Run runs a program as the user.
func (tr *Trial) Run(path string, args ...string) rig.Result {
	tr.Helper()
	return tr.Play(rig.Command{Path: path, Args: args})
}

// Play runs a command as the user, in the user's environment.
func (tr *Trial) Play(c rig.Command) rig.Result {
	tr.Helper()
	res, err := tr.Command(c).Run()
	tr.Must(err)
	return res
}

// Command is c as the user would run it, in the user's environment.
func (tr *Trial) Command(c rig.Command) rig.Command {
	c.Env = append([]string{"HOME=" + tr.Home, "PATH=/usr/bin:/bin"}, tr.Env...)
	c.Attr = &syscall.SysProcAttr{}
	if os.Geteuid() == 0 {
		c.Attr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	return c
}

// RunAsRoot runs a program as root.
func (tr *Trial) RunAsRoot(path string, args ...string) rig.Result {
	tr.Helper()
	c := tr.Command(rig.Command{Path: path, Args: args})
	c.Attr.Credential = nil
	res, err := c.Run()
	tr.Must(err)
	return res
}

// Operate runs operate as the user and wants exit 0.
func (tr *Trial) Operate(args ...string) rig.Result {
	tr.Helper()
	res := tr.Run(tr.Bin("operate"), args...)
	if res.Code != 0 {
		tr.Fatalf("operate %v: exit %d\n%s%s", args, res.Code, res.Stdout, res.Stderr)
	}
	return res
}

// Settings is where the user's settings are.
func (tr *Trial) Settings() string { return filepath.Join(tr.Home, ".claude/settings.json") }

// Wire installs the hooks and puts the printed block into the user's settings.
func (tr *Trial) Wire() {
	tr.Helper()
	tr.Operate("install", "-root", tr.Root)
	tr.Write(tr.Settings(), tr.Operate("wiring").Stdout)
}

// Write writes a file that belongs to the user, and the folders above it.
func (tr *Trial) Write(path, text string) {
	tr.Helper()
	top := path
	for dir := filepath.Dir(path); !exists(dir); dir = filepath.Dir(dir) {
		top = dir
	}
	tr.Must(os.MkdirAll(filepath.Dir(path), 0o755))
	tr.Must(os.WriteFile(path, []byte(text), 0o644))
	tr.Own(top)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// EditJSON changes a JSON file in place, keeping its owner and mode.
func (tr *Trial) EditJSON(path string, change func(map[string]any)) {
	tr.Helper()
	text, err := os.ReadFile(path)
	tr.Must(err)
	var all map[string]any
	tr.Must(json.Unmarshal(text, &all))
	change(all)
	text, err = json.Marshal(all)
	tr.Must(err)
	tr.Must(os.WriteFile(path, text, 0o644))
}

// Group is the n-th hook group of an event in settings.
func Group(settings map[string]any, event string, n int) map[string]any {
	return settings["hooks"].(map[string]any)[event].([]any)[n].(map[string]any)
}

// Hook is the k-th hook of the first group of an event in settings.
func Hook(settings map[string]any, event string, k int) map[string]any {
	return Group(settings, event, 0)["hooks"].([]any)[k].(map[string]any)
}

// Marked lists the second words of the lines of output that begin with mark:
// the names of alerts, or of what failed.
func Marked(output, mark string) []string {
	var names []string
	for line := range strings.Lines(output) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == mark {
			names = append(names, fields[1])
		}
	}
	return names
}

// OnLinux skips the test elsewhere.
func OnLinux(t testing.TB) {
	if runtime.GOOS != "linux" {
		t.Skip("Linux only")
	}
}
