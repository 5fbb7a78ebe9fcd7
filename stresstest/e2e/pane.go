package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A pane is a terminal that tmux plays: keys go in, the screen comes out as text.
// Its server is the process that a session's namespaces end with.
type pane struct {
	tmux   string // the program
	socket string
	server *exec.Cmd
}

// The screen is wide, so that lines which rows look for are not broken.
const (
	paneWidth  = 160
	paneHeight = 60
)

// look is how often a screen is read while it is waited for.
const look = 100 * time.Millisecond

// findTmux fails where the terminal rows cannot be played.
func findTmux() (string, error) {
	path, err := exec.LookPath("tmux")
	if err != nil {
		return "", errors.New("the terminal rows need tmux: install it, or leave them out with -run")
	}
	return path, nil
}

// serve is the command that is to be started before open. It stays in the foreground.
func (p *pane) serve() *exec.Cmd {
	p.server = exec.Command(p.tmux, "-D", "-u", "-S", p.socket, "-f", "/dev/null")
	return p.server
}

// open runs a program with this environment and no other in the terminal.
func (p *pane) open(dir string, env []string, program []string, limit time.Duration) error {
	args := []string{"set-option", "-g", "remain-on-exit", "on", ";",
		"new-session", "-d", "-x", strconv.Itoa(paneWidth), "-y", strconv.Itoa(paneHeight), "-c", dir, "/usr/bin/env", "-i"}
	args = append(append(args, env...), program...)
	var err error
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(look) { // until the server answers
		if _, err = p.run(args...); err == nil {
			return nil
		}
	}
	return err
}

// run asks the server. -N: one that does not answer is never replaced by one outside the namespaces.
func (p *pane) run(args ...string) (string, error) {
	cmd := exec.Command(p.tmux, append([]string{"-N", "-u", "-S", p.socket}, args...)...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LANG=C.UTF-8"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("tmux %.60q: %w: %s", args, err, out)
	}
	return string(out), nil
}

// screen is what the terminal shows, without blanks at the ends of lines.
func (p *pane) screen() (string, error) {
	out, err := p.run("capture-pane", "-p")
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimRight(out, "\n "), "\n") {
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String(), err
}

// redraw changes the height for a moment, which makes the program draw everything.
func (p *pane) redraw() {
	for _, height := range []int{paneHeight - 1, paneHeight} {
		p.run("resize-window", "-x", strconv.Itoa(paneWidth), "-y", strconv.Itoa(height))
	}
}

// dead tells whether the program has ended.
func (p *pane) dead() bool {
	out, err := p.run("list-panes", "-F", "#{pane_dead}")
	return err != nil || strings.TrimSpace(out) != "0"
}

// keys presses named keys.
func (p *pane) keys(names ...string) error {
	_, err := p.run(append([]string{"send-keys"}, names...)...)
	return err
}

// text types text.
func (p *pane) text(s string) error {
	_, err := p.run("send-keys", "-l", s)
	return err
}

// paste pastes text as a terminal does that brackets it.
func (p *pane) paste(s string) error {
	_, err := p.run("set-buffer", s, ";", "paste-buffer", "-p")
	return err
}

// close ends the program and the server.
func (p *pane) close(limit time.Duration) {
	timer := time.AfterFunc(limit, func() { syscall.Kill(-p.server.Process.Pid, syscall.SIGKILL) })
	defer timer.Stop()
	p.run("kill-server")
	p.server.Wait()
	os.Remove(p.socket)
}
