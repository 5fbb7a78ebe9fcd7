package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"moirai/operate/wiring"
)

// probeLabel names the schedule of the probe, in launchd, systemd and cron.
const probeLabel = "moirai-hades-integrity"

// schedule prints the shell commands that run the probe every hour, for what this machine
// runs things with: launchd, systemd for the user, or cron. It changes nothing.
func schedule(o options) error {
	p, err := newProbeRun(o)
	if err != nil {
		return err
	}
	kind := "cron"
	if runtime.GOOS == "darwin" {
		kind = "launchd"
	} else if exec.Command("systemctl", "--user", "show-environment").Run() == nil {
		kind = "systemd"
	}
	fmt.Print(p.script(kind))
	fmt.Fprintf(os.Stderr, "\nThis runs the probe every hour with %s, as you. Nothing is changed yet: make probe-schedule | sh\n", kind)
	return nil
}

// probeRun is how the probe is to be run.
type probeRun struct {
	words []string // program and arguments
	home  string
	env   [][2]string
}

func newProbeRun(o options) (probeRun, error) {
	p := probeRun{home: o.machine.Home}
	for _, folder := range []string{wiring.ManagedPrograms, o.machine.Programs()} {
		if info, err := os.Stat(filepath.Join(folder, probeName)); err == nil && info.Mode().IsRegular() {
			p.words = []string{filepath.Join(folder, probeName)}
			break
		}
	}
	if p.words == nil {
		return p, errors.New("the probe is not installed: make install first. What lies in a clone can be gone tomorrow")
	}
	if o.root != "" {
		p.words = append(p.words, "-root", o.root)
	}
	if dir := os.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		p.env = [][2]string{{"CLAUDE_CONFIG_DIR", o.machine.ConfigDir}}
	}
	for _, w := range append([]string{p.home, o.machine.ConfigDir}, p.words...) {
		if strings.ContainsAny(w, "\n\r") {
			return p, fmt.Errorf("no schedule can name %q", w)
		}
	}
	return p, nil
}

// script is what a shell runs to set the schedule; to run it twice changes nothing.
func (p probeRun) script(kind string) string {
	switch kind {
	case "launchd":
		return p.launchd()
	case "systemd":
		return p.systemd()
	}
	return p.cron()
}

func (p probeRun) launchd() string {
	var b strings.Builder
	text := func(s string) string {
		var e strings.Builder
		xml.EscapeText(&e, []byte(s))
		return "<string>" + e.String() + "</string>"
	}
	file := p.home + "/Library/LaunchAgents/" + probeLabel + ".plist"
	log := p.home + "/Library/Logs/" + probeLabel + ".log"
	fmt.Fprintf(&b, "set -e\nmkdir -p %s %s\ncat >%s <<'MOIRAI'\n", shellWord(filepath.Dir(file)), shellWord(filepath.Dir(log)), shellWord(file))
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>` + text(probeLabel) + `
	<key>ProgramArguments</key>
	<array>
`)
	for _, w := range p.words {
		b.WriteString("\t\t" + text(w) + "\n")
	}
	b.WriteString("\t</array>\n\t<key>StartInterval</key><integer>3600</integer>\n\t<key>RunAtLoad</key><true/>\n")
	if len(p.env) > 0 {
		b.WriteString("\t<key>EnvironmentVariables</key>\n\t<dict>\n")
		for _, e := range p.env {
			b.WriteString("\t\t<key>" + e[0] + "</key>" + text(e[1]) + "\n")
		}
		b.WriteString("\t</dict>\n")
	}
	b.WriteString("\t<key>StandardOutPath</key>" + text(log) + "\n\t<key>StandardErrorPath</key>" + text(log) + "\n</dict>\n</plist>\nMOIRAI\n")
	fmt.Fprintf(&b, `plutil -lint %[1]s
launchctl bootout gui/$(id -u)/%[2]s 2>/dev/null || :
launchctl bootstrap gui/$(id -u) %[1]s
echo "every hour; what it says is in %[3]s"
echo "undo: launchctl bootout gui/$(id -u)/%[2]s; rm %[1]s"
`, shellWord(file), probeLabel, log)
	return b.String()
}

func (p probeRun) systemd() string {
	word := func(s string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`, `$`, `$$`).Replace(s) + `"`
	}
	var line, env strings.Builder
	for _, w := range p.words {
		line.WriteString(" " + word(w))
	}
	for _, e := range p.env {
		env.WriteString("Environment=" + strings.ReplaceAll(word(e[0]+"="+e[1]), "$$", "$") + "\n")
	}
	folder := shellWord(p.home + "/.config/systemd/user")
	return fmt.Sprintf(`set -e
mkdir -p %[1]s
cat >%[1]s/%[2]s.service <<'MOIRAI'
[Unit]
Description=Integrity of Moirai for Hades

[Service]
Type=oneshot
ExecStart=%[3]s
%[4]sMOIRAI
cat >%[1]s/%[2]s.timer <<'MOIRAI'
[Unit]
Description=Integrity of Moirai for Hades, every hour

[Timer]
OnCalendar=hourly
Persistent=true

[Install]
WantedBy=timers.target
MOIRAI
systemctl --user daemon-reload
systemctl --user enable --now %[2]s.timer
echo "every hour; what it says: journalctl --user -u %[2]s"
echo "undo: systemctl --user disable --now %[2]s.timer; rm %[1]s/%[2]s.*"
`, folder, probeLabel, strings.TrimPrefix(line.String(), " "), env.String())
}

func (p probeRun) cron() string {
	var line strings.Builder
	line.WriteString("0 * * * *")
	for _, e := range p.env {
		line.WriteString(" " + e[0] + "=" + shellWord(e[1]))
	}
	for _, w := range p.words {
		line.WriteString(" " + shellWord(w))
	}
	entry := strings.ReplaceAll(line.String(), "%", `\%`) + " # " + probeLabel
	return fmt.Sprintf(`set -e
{ crontab -l 2>/dev/null | grep -v ' # %[2]s$' || :; cat <<'MOIRAI'
%[1]s
MOIRAI
} | crontab -
echo "every hour; cron mails what it says"
echo "undo: crontab -e, and take out the line that ends in # %[2]s"
`, entry, probeLabel)
}

// shellWord quotes s as one word of a shell.
func shellWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
