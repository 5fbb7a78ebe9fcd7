package main_test

import (
	"strings"
	"testing"

	"moirai/operate/trial"
)

// TestScheduleInstalled: what is scheduled is the installed probe, and none where none is.
func TestScheduleInstalled(t *testing.T) {
	tr := trial.New(t)
	if res := tr.Run(tr.Bin("operate"), "schedule"); res.Code != 1 || !strings.Contains(res.Stderr, "make install first") || res.Stdout != "" {
		t.Errorf("exit %d\n%s%s", res.Code, res.Stdout, res.Stderr)
	}
	tr.Operate("install")
	if out := tr.Operate("schedule", "-root", tr.Root).Stdout; !strings.Contains(out, tr.Home+"/.local/libexec/moirai/moirai-hades-integrity") || !strings.Contains(out, tr.Root) {
		t.Error(out)
	}
}
