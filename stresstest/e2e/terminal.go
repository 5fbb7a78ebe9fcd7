package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"moirai/stresstest/realclient"
)

// Terminal is one running client as a person has it: keys and a screen. What counts
// is as ever what the model was sent and what lies on disk; the screen is waited for.
type Terminal struct {
	Model *Model

	run   *Run
	world *World
	pane  *pane
	free  func() // gives the slot back
	ended bool
}

// screenLimit bounds every wait for the screen; far more than one takes.
const screenLimit = 3 * time.Minute

// seenInput is how long typed text may take to the screen before it is typed again.
const seenInput = 3 * time.Second

// seenKey is the same for a key that moves or takes something: one that was only late would
// act twice, and a pointer would stand on the next line. Few are lost.
const seenKey = 15 * time.Second

// redrawAfter is when a wait makes the client draw its screen anew: older ones leave
// pieces of two frames behind.
const redrawAfter = 10 * time.Second

// Seed writes user settings, with payloads of prompts and session starts recorded beside
// their hooks, and what the client needs so that it asks nothing at its first start.
func (w *World) Seed(s Settings, trusted ...string) {
	for _, event := range []string{"SessionStart", "UserPromptSubmit"} {
		s.Add(event, entry("", record(w.events())))
	}
	s["skipDangerousModePermissionPrompt"] = true
	w.UserSettings(s)
	projects := Settings{}
	for _, dir := range trusted {
		projects[dir] = Settings{"hasTrustDialogAccepted": true}
	}
	w.write(filepath.Join(w.Home, ".claude.json"), Settings{
		"hasCompletedOnboarding": true, "theme": "dark", "projects": projects,
		"customApiKeyResponses": Settings{"approved": []string{realclient.ScriptedKey[len(realclient.ScriptedKey)-20:]}, "rejected": []string{}},
	}.JSON())
}

func (w *World) events() string { return w.Dir + "/prompts-and-starts" }

// ID is the session id of the last payload that was recorded.
func (w *World) ID() string {
	all := recorded(w.events())
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1].Session
}

// Terminal starts the client in dir and waits until it takes keys.
func (w *World) Terminal(dir string, args ...string) *Terminal {
	t := w.terminal(dir, w.run.client.Command(append(bypass, args...)...).Args...)
	t.Ready()
	return t
}

// terminal runs a program in a terminal.
func (w *World) terminal(dir string, program ...string) *Terminal {
	for _, other := range w.run.worlds { // one at a time, or two rows could wait for each other's slots
		other.close()
	}
	model, err := NewModel()
	w.run.must(err)
	env, err := w.environment(model.URL)
	w.run.must(err)
	env = append(env, "TERM=screen-256color", "LANG=C.UTF-8", "SHELL=/bin/sh")
	path, err := findTmux()
	w.run.must(err)
	p := &pane{tmux: path, socket: w.Dir + "/tmux"}
	cmd := p.serve()
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + w.Home, "PATH=/usr/bin:/bin", "LANG=C.UTF-8"}
	if w.run.private {
		w.run.must(realclient.Wrap(cmd, w.run.scratch, w.tmp, w.Managed, w.Shell))
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	w.run.slots <- struct{}{}
	if err := cmd.Start(); err != nil {
		<-w.run.slots
		w.run.must(err)
	}
	t := &Terminal{Model: model, run: w.run, world: w, pane: p, free: func() { <-w.run.slots }}
	w.open = t
	w.run.must(p.open(dir, env, program, screenLimit))
	return t
}

// End ends the client, whatever it is doing.
func (t *Terminal) End(limit time.Duration) error {
	if t.ended {
		return nil
	}
	t.ended = true
	defer t.free()
	defer t.Model.Close()
	t.pane.close(limit)
	return nil
}

// Leave types /exit and waits until the client has ended.
func (t *Terminal) Leave() {
	t.Type("/exit")
	t.pressUntil("Enter", "the end of the client", t.pane.dead)
	t.run.must(t.End(turnLimit))
}

// Screen is what a person would see.
func (t *Terminal) Screen() string {
	s, err := t.pane.screen()
	if err != nil {
		return err.Error()
	}
	return s
}

// wait waits for what is neither told nor sent: it looks again and again.
func (t *Terminal) wait(what string, ok func() bool) {
	drawn := time.Now()
	for end := time.Now().Add(screenLimit); !ok(); time.Sleep(look) {
		if time.Now().After(end) {
			t.run.must(fmt.Errorf("after %v there is still not %s", screenLimit, what))
		}
		if time.Since(drawn) > redrawAfter {
			drawn = time.Now()
			t.pane.redraw()
		}
	}
}

// Until waits for text on the screen.
func (t *Terminal) Until(pattern string) string {
	re, s := regexp.MustCompile(pattern), ""
	t.wait(pattern+" on the screen", func() bool { s = t.Screen(); return re.MatchString(s) })
	return s
}

// Press presses keys.
func (t *Terminal) Press(keys ...string) { t.run.must(t.pane.keys(keys...)) }

var rule = regexp.MustCompile(`^──────────`)

// input is what stands between the two rules that the client draws around its input
// line, and whether it draws them: a dialog stands in their place.
func input(screen string) (string, bool) {
	lines := strings.Split(screen, "\n")
	for i := len(lines) - 1; i > 0; i-- {
		if !rule.MatchString(lines[i]) {
			continue
		}
		for j := i - 1; j >= 0; j-- {
			if rule.MatchString(lines[j]) {
				first := []rune(strings.Join(lines[j+1:i], " ") + " ")
				if first[0] != '❯' && first[0] != '!' && first[0] != '>' {
					return "", false
				}
				return strings.TrimSpace(string(first[1:])), true
			}
		}
	}
	return "", false
}

// idle tells whether the client waits for a prompt.
func (t *Terminal) idle() bool {
	s := t.Screen()
	_, ok := input(s)
	return ok && !strings.Contains(s, "esc to interrupt")
}

// Ready waits until the client takes keys. It draws its input line before: what is
// typed then is lost, in part. So a letter goes first, until it is seen and gone again.
func (t *Terminal) Ready() {
	t.wait("the input line", t.idle)
	t.Type("x")
	t.clear()
}

// Type types text and waits until it stands in the input line.
func (t *Terminal) Type(text string) { t.enter(text, t.pane.text) }

// Paste does the same with the clipboard.
func (t *Terminal) Paste(text string) { t.enter(text, t.pane.paste) }

func (t *Terminal) enter(text string, by func(string) error) {
	var begin time.Time
	seen := false
	for end := time.Now().Add(screenLimit); !seen; time.Sleep(look) {
		if time.Now().After(end) {
			t.run.must(fmt.Errorf("%.40q never stands in the input line", text))
		}
		if time.Since(begin) > seenInput { // lost, or what stood there before is in the way
			if !begin.IsZero() {
				t.clear()
			}
			begin = time.Now()
			t.run.must(by(text))
		}
		now, _ := input(t.Screen())
		seen = squeeze(now) == squeeze(text)
	}
}

// squeeze takes blanks out: the client breaks a long input.
func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

// clear empties the input line.
func (t *Terminal) clear() {
	t.wait("an empty input line", func() bool {
		before, ok := input(t.Screen())
		if !ok {
			return false
		}
		t.Press("C-e", "C-u")
		return t.changed(seenInput, func() bool { now, _ := input(t.Screen()); return now != before || now == "" })
	})
}

// Submit types text and presses Enter, again if that was lost: on what is not there any more it does nothing.
func (t *Terminal) Submit(text string) {
	t.Type(text)
	t.Enter(text)
}

// Enter presses Enter until text has left the input line.
func (t *Terminal) Enter(text string) {
	t.pressUntil("Enter", "Enter to be taken", func() bool {
		now, ok := input(t.Screen())
		return !ok || squeeze(now) != squeeze(text)
	})
}

// Prompt plays one turn: it types a prompt, and the model takes these steps and says done.
func (t *Terminal) Prompt(text string, steps ...Step) *Turn {
	return t.turn(func() { t.Submit(text) }, steps...)
}

// Bang types a command of the operator's own in shell mode. It leads to a turn where
// the client shows the model what came of it.
func (t *Terminal) Bang(line string, steps ...Step) *Turn {
	return t.turn(func() {
		t.shellMode()
		t.Submit(line)
	}, steps...)
}

func (t *Terminal) shellMode() {
	t.wait("shell mode", func() bool {
		t.Press("!")
		if t.changed(seenInput, func() bool { return strings.Contains(t.Screen(), "\n!") }) {
			return true
		}
		t.clear()
		return false
	})
}

// turn does what makes the client take a turn, and waits for its end.
func (t *Terminal) turn(begin func(), steps ...Step) *Turn {
	t.Model.Script(steps...)
	before, ends := len(t.Model.Requests()), t.Model.Ends()
	begin()
	return t.await(before, ends)
}

func (t *Terminal) await(before, ends int) *Turn {
	t.wait("the end of the turn", func() bool { return t.Model.Ends() > ends && t.idle() })
	return t.Model.Turn(before)
}

// Choose waits for a menu with a line that begins so, and takes it: by its number, or where
// the client gives none by the pointer.
func (t *Terminal) Choose(text string) {
	line := regexp.MustCompile(`(?m)^\s*❯?\s*(?:(\d)\. )?` + regexp.QuoteMeta(text))
	var m []string
	t.wait("a choice "+text, func() bool { m = line.FindStringSubmatch(t.Screen()); return m != nil })
	key := m[1]
	if key == "" {
		t.GoTo("Down", text)
		key = "Enter"
	}
	t.pressUntil(key, "the menu to go", func() bool { return !line.MatchString(t.Screen()) || t.pane.dead() })
}

// pressUntil presses a key, again whenever it seems lost, until what it leads to is there.
func (t *Terminal) pressUntil(key, what string, ok func() bool) {
	var pressed time.Time
	t.wait(what, func() bool {
		if ok() {
			return true
		}
		if time.Since(pressed) > seenKey {
			pressed = time.Now()
			t.Press(key)
		}
		return false
	})
}

// GoTo moves a menu's pointer by a key until it is at a line that begins so.
func (t *Terminal) GoTo(key, text string) {
	at := regexp.MustCompile(`(?m)^ +❯ ` + regexp.QuoteMeta(text))
	t.wait("the pointer at "+text, func() bool {
		before := t.Screen()
		if at.MatchString(before) {
			return true
		}
		t.Press(key)
		t.changed(seenKey, func() bool { return t.Screen() != before })
		return at.MatchString(t.Screen())
	})
}

// changed waits for the effect of a key, and tells whether it came.
func (t *Terminal) changed(limit time.Duration, ok func() bool) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(look) {
		if ok() {
			return true
		}
	}
	return false
}

// Clear types /clear and waits for the session that it begins.
func (t *Terminal) Clear() {
	before := t.world.ID()
	t.Submit("/clear")
	t.wait("another session id", func() bool { return t.world.ID() != before })
	t.wait("the input line", t.idle)
}

// Compact types /compact and waits for the load behind it.
func (t *Terminal) Compact() {
	starts := len(recorded(t.world.events()))
	t.Submit("/compact")
	t.compacted(starts)
}

// compacted waits until a session start of a compaction is recorded, and the client is done with it.
func (t *Terminal) compacted(before int) {
	t.wait("the start of the session behind the compaction", func() bool {
		for _, p := range recorded(t.world.events())[before:] {
			if p.Source == "compact" {
				return true
			}
		}
		return false
	})
	t.wait("the input line", t.idle)
}

// Rewind goes back to before a prompt, by one of the choices that the client offers.
func (t *Terminal) Rewind(prompt, how string) {
	t.Submit("/rewind")
	t.Until("Restore the code and/or conversation")
	t.GoTo("Up", prompt)
	t.Press("Enter")
	summaries := t.Model.Summaries()
	t.Choose(how)
	if strings.HasPrefix(how, "Summarize") {
		t.wait("the summary to be asked for", func() bool { return t.Model.Summaries() > summaries })
	}
	t.wait("the input line", t.idle)
	t.clear()
}
