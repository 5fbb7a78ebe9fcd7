package main_test

import (
	"os"
	"strings"
	"testing"

	"moirai/moiraicore"
	"moirai/operate/trial"
)

// TestStatusOfAnother: root that asks for the status of a user's sessions is told whose they are,
// and not to remove them.
func TestStatusOfAnother(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	tr := trial.New(t)
	tr.Must(os.MkdirAll(moiraicore.TokenDir, 0o700))
	tr.Own(moiraicore.TokenParent)
	res := tr.RunAsRoot(tr.Bin("operate"), "status")
	if res.Code != 1 || !strings.Contains(res.Stdout, "belongs to nobody (uid 65534)") || !strings.Contains(res.Stdout, "sudo -u 'nobody'") {
		t.Errorf("exit %d\n%s%s", res.Code, res.Stdout, res.Stderr)
	}
	if strings.Contains(res.Stdout+res.Stderr, "rm -r") {
		t.Errorf("advises to remove what lives\n%s", res.Stdout)
	}
	if res := tr.Run(tr.Bin("operate"), "status"); res.Code != 0 {
		t.Errorf("as the user: exit %d\n%s", res.Code, res.Stdout)
	}
}

// TestVerifyLeavesNoTokenDir: verify as root makes no token directory that the user's hooks refuse.
func TestVerifyLeavesNoTokenDir(t *testing.T) {
	tr := trial.New(t)
	tr.Wire()
	run := tr.Run
	if os.Geteuid() == 0 {
		run = tr.RunAsRoot
	}
	res := run(tr.Bin("operate"), "verify")
	if !strings.Contains(res.Stdout, "run_blocks") {
		t.Fatalf("nothing was run\n%s%s", res.Stdout, res.Stderr)
	}
	if _, err := os.Lstat(moiraicore.TokenParent); !os.IsNotExist(err) {
		t.Errorf("verify left %s (%v)", moiraicore.TokenParent, err)
	}
}
