package main_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"moirai/moiraicore"
	"moirai/operate/trial"
	"moirai/operate/wiring"
)

// TestStrict: only managed hooks run, and the operator's own are among them: the
// two of §8 always, any other if asked for. It stays so when installed again.
func TestStrict(t *testing.T) {
	for _, yes := range []bool{false, true} {
		tr := trial.New(t)
		tr.NeedManaged()
		tr.Write(tr.Settings(), realSettings)
		before := machine(tr)
		args := []string{"install-managed", "-strict"}
		if yes {
			args = append(args, "-yes")
		}
		if res := tr.RunAsRoot(tr.Bin("operate"), args...); res.Code != 0 {
			t.Fatal(res.Stdout, res.Stderr)
		}
		text, err := os.ReadFile(wiring.DropIn())
		tr.Must(err)
		var all map[string]any
		tr.Must(json.Unmarshal(text, &all))
		if all["allowManagedHooksOnly"] != true {
			t.Errorf("not strict:\n%s", text)
		}
		for what, want := range map[string]bool{
			`"command": "~/.claude/hooks/hades-vault-guard.sh",`: true, `"timeout": 5`: true, `"matcher": "Bash"`: true,
			"hades-deployment-gate.sh": true, "say done": yes, "hades-session-start-gate": false, "start-prompt-marker": false,
		} {
			if got := strings.Contains(string(text), what); got != want {
				t.Errorf("yes=%v: holds %s: %v\n%s", yes, what, got, text)
			}
		}
		for _, again := range [][]string{{"install-managed"}, args} {
			tr.RunAsRoot(tr.Bin("operate"), again...)
			if now, err := os.ReadFile(wiring.DropIn()); err != nil || string(now) != string(text) {
				t.Errorf("%v: %v\n%s", again, err, now)
			}
		}
		for _, name := range trial.Marked(tr.Run(tr.Bin("operate"), "verify", "-root", tr.Root).Stdout, "FAIL") {
			if name != wiring.RetiredHook { // the settings of the bash version are still there
				t.Errorf("verify: %s", name)
			}
		}
		tr.RunAsRoot(tr.Bin("operate"), "uninstall-managed")
		tr.Must(os.RemoveAll(moiraicore.TokenParent)) // what verify's run left
		if after := machine(tr); after != before {
			t.Errorf("left\n%s\nand not\n%s", after, before)
		}
	}
}

// TestManagedSeesUser: the drop-in gets the number of pages that user settings
// wire, and it is said that they must go; verify sees two wirings with different N.
func TestManagedSeesUser(t *testing.T) {
	tr := trial.New(t)
	tr.NeedManaged()
	tr.Operate("wire", "-yes", "-pages", "12")
	res := tr.RunAsRoot(tr.Bin("operate"), "install-managed")
	text, err := os.ReadFile(wiring.DropIn())
	if err != nil || !strings.Contains(string(text), "12/12") || !strings.Contains(res.Stdout, tr.Settings()+" wires them too. Run make unwire") {
		t.Errorf("%v %s%s\n%s", err, res.Stdout, res.Stderr, text)
	}
	tr.RunAsRoot(tr.Bin("operate"), "install-managed", "-pages", "9")
	out := tr.Run(tr.Bin("operate"), "verify").Stdout
	if want := "two wirings with different N run, so that no load is ever whole: loaders for 9 pages in " + wiring.DropIn() + " and for 12 in " + tr.Settings(); !strings.Contains(out, want) {
		t.Errorf("no %q in\n%s", want, out)
	}
	tr.Operate("unwire", "-yes")
	tr.Operate("verify")
}
