package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"moirai/moiraicore"
	"moirai/operate/trial"
	"moirai/stresstest/rig"
)

// TestStatusline: each state in a few characters, nothing out of scope, the
// operator's own command first, and nothing is written.
func TestStatusline(t *testing.T) {
	own := []string{"sh", "-c", `printf 'mine %s' "$(grep -c session_id)"`}
	loaded := func(tr *trial.Trial, s rig.Session) { loadPages(tr, s, "startup", 1) }
	for name, c := range map[string]struct {
		session func(*trial.Trial, rig.Session)
		cwd     string // in place of the root
		own     []string
		want    string
	}{
		"no token":    {func(*trial.Trial, rig.Session) {}, "", nil, "moirai: not loaded\n"},
		"not started": {loaded, "", nil, "moirai: /start\n"},
		"open": {func(tr *trial.Trial, s rig.Session) {
			loaded(tr, s)
			play(tr, "hades-gate", s.Prompt("/start"))
		}, "", nil, "moirai open\n"},
		"voided": {func(tr *trial.Trial, s rig.Session) {
			loaded(tr, s)
			play(tr, "hades-gate", s.PreCompact("auto"))
		}, "", nil, "moirai: not loaded\n"},
		"one file read": {func(tr *trial.Trial, s rig.Session) {
			play(tr, "hades-gate", s.PostRead(filepath.Join(tr.Root, rig.Required[2]), rig.SmallContents()[2]))
		}, "", nil, "moirai: rules 1/3\n"},
		"refused": {func(tr *trial.Trial, s rig.Session) {
			loaded(tr, s)
			tr.Must(os.Chmod(moiraicore.TokenPath(s.ID), 0o666))
		}, "", nil, "moirai: blocked, make status\n"},
		"out of scope":               {loaded, "/", nil, ""},
		"own command":                {loaded, "", own, "mine 1  moirai: /start\n"},
		"own command out of scope":   {loaded, "/", own, "mine 1\n"},
		"an own command that fails":  {loaded, "", []string{"false"}, "moirai: /start\n"},
		"an own command that is not": {loaded, "", []string{"/nonexistent"}, "moirai: /start\n"},
	} {
		t.Run(name, func(t *testing.T) {
			tr := trial.New(t)
			s := rig.Session{ID: "one", Cwd: tr.Root}
			c.session(tr, s)
			if c.cwd == "" {
				c.cwd = tr.Root
			}
			before := tree(t, moiraicore.TokenParent)
			stdin := fmt.Sprintf(`{"session_id":"one","cwd":%q,"model":{"id":"x"}}`, c.cwd)
			res := tr.Play(rig.Command{Path: tr.Bin("operate"), Args: append([]string{"statusline"}, c.own...), Stdin: []byte(stdin)})
			if res.Code != 0 || res.Stdout != c.want {
				t.Errorf("exit %d: %q, not %q: %s", res.Code, res.Stdout, c.want, res.Stderr)
			}
			if after := tree(t, moiraicore.TokenParent); after != before {
				t.Errorf("statusline made\n%s\nof\n%s", after, before)
			}
		})
	}
}
