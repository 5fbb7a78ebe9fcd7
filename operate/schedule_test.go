package main

import (
	"encoding/xml"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// odd is a path with what each of the formats takes for its own.
const odd = `/Users/o'neil & "co"/100% $HOME <x>`

// played runs the script of a kind with programs of the machine that note how they were called,
// and returns the home and the notes.
func played(t *testing.T, kind string) (p probeRun, notes string) {
	t.Helper()
	bin := t.TempDir()
	log := bin + "/log"
	for name, body := range map[string]string{
		"launchctl": "", "plutil": "", "systemctl": "",
		"crontab": `case $1 in -l) cat "` + bin + `/tab" 2>/dev/null;; -) cat >"` + bin + `/new" && mv "` + bin + `/new" "` + bin + `/tab";; esac`,
	} {
		text := "#!/bin/sh\necho " + name + ` "$@" >>"` + log + "\"\n" + body + "\n"
		if err := os.WriteFile(bin+"/"+name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(bin+"/tab", []byte("5 4 * * * mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p = probeRun{words: []string{"/opt/a b/probe", "-root", odd}, home: t.TempDir() + "/o'neil", env: [][2]string{{"CLAUDE_CONFIG_DIR", odd}}}
	for range 2 { // twice is as once
		cmd := exec.Command("/bin/sh")
		cmd.Stdin = strings.NewReader(p.script(kind))
		cmd.Env = []string{"PATH=" + bin + ":/usr/bin:/bin", "HOME=" + p.home}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	text, _ := os.ReadFile(log)
	tab, _ := os.ReadFile(bin + "/tab")
	return p, string(text) + string(tab)
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestScheduleLaunchd(t *testing.T) {
	p, notes := played(t, "launchd")
	file := p.home + "/Library/LaunchAgents/" + probeLabel + ".plist"
	var strs []string
	d := xml.NewDecoder(strings.NewReader(read(t, file)))
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "string" {
			var s string
			if err := d.DecodeElement(&s, &e); err != nil {
				t.Fatal(err)
			}
			strs = append(strs, s)
		}
	}
	want := []string{probeLabel, p.words[0], "-root", odd, odd}
	if len(strs) < len(want) || !slices.Equal(strs[:len(want)], want) {
		t.Errorf("%q, expected %q", strs, want)
	}
	if !strings.Contains(notes, "launchctl bootstrap gui/") || !strings.Contains(notes, file) {
		t.Error(notes)
	}
}

func TestScheduleSystemd(t *testing.T) {
	p, notes := played(t, "systemd")
	unit := p.home + "/.config/systemd/user/" + probeLabel
	service := read(t, unit+".service")
	for _, want := range []string{
		`ExecStart="/opt/a b/probe" "-root" "/Users/o'neil & \"co\"/100%% $$HOME <x>"` + "\n",
		`Environment="CLAUDE_CONFIG_DIR=/Users/o'neil & \"co\"/100%% $HOME <x>"` + "\n",
	} {
		if !strings.Contains(service, want) {
			t.Errorf("no %s in\n%s", want, service)
		}
	}
	if !strings.Contains(read(t, unit+".timer"), "OnCalendar=hourly") || !strings.Contains(notes, "systemctl --user enable --now "+probeLabel+".timer") {
		t.Error(notes)
	}
	if verify, err := exec.LookPath("systemd-analyze"); err == nil {
		if out, err := exec.Command(verify, "--user", "verify", unit+".timer").CombinedOutput(); err != nil {
			t.Logf("systemd-analyze: %v\n%s", err, out)
		}
	}
}

// TestScheduleCron runs the line that cron would run.
func TestScheduleCron(t *testing.T) {
	_, notes := played(t, "cron")
	var lines []string
	for line := range strings.Lines(notes) {
		if strings.Contains(line, "# "+probeLabel) {
			lines = append(lines, line)
		}
	}
	if len(lines) != 1 || !strings.Contains(notes, "5 4 * * * mine\n") {
		t.Fatalf("not one line of ours, and the others kept:\n%s", notes)
	}
	command, ok := strings.CutPrefix(lines[0], "0 * * * * ")
	if !ok {
		t.Fatal(lines[0])
	}
	if strings.Contains(strings.ReplaceAll(command, `\%`, ""), "%") {
		t.Errorf("cron ends the command at a bare %%: %s", command)
	}
	dir := t.TempDir()
	command = strings.ReplaceAll(strings.Replace(command, "/opt/a b/probe", filepath.Join(dir, "probe"), 1), `\%`, "%") // as cron does
	if err := os.WriteFile(dir+"/probe", []byte("#!/bin/sh\nprintf '%s|' \"$CLAUDE_CONFIG_DIR\" \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("/bin/sh", "-c", command).CombinedOutput()
	if want := odd + "|-root|" + odd + "|"; err != nil || string(out) != want {
		t.Errorf("%v, %s, expected %s", err, out, want)
	}
}
