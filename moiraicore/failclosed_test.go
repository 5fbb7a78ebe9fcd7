package moiraicore

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestDisarmAfterTheBite: a hook whose watchdog has bitten comes no further, so that
// it does not both record and fail (D6). The moment between the two is too short to
// be met by exec.
func TestDisarmAfterTheBite(t *testing.T) {
	bitten, returned := make(chan bool), make(chan bool)
	w := &Watchdog{timer: time.AfterFunc(0, func() { close(bitten) })}
	<-bitten
	go func() {
		w.Disarm()
		close(returned)
	}()
	for stacks := make([]byte, 1<<16); ; runtime.Gosched() {
		select {
		case <-returned:
			t.Fatal("Disarm returned after the watchdog had bitten")
		default:
		}
		if bytes.Contains(stacks[:runtime.Stack(stacks, true)], []byte("[select (no cases)]")) {
			return
		}
	}
}

// TestPanicCloses: a hook that panics ends in exit 2 and says so (D13). No payload is
// known that makes one of ours panic, so this test is its own hook.
func TestPanicCloses(t *testing.T) {
	if os.Getenv("BE_A_HOOK_THAT_PANICS") != "" {
		Run(func(*Watchdog) { panic("no reason") })
		return
	}
	hook := exec.Command(os.Args[0], "-test.run=^TestPanicCloses$")
	hook.Env = append(os.Environ(), "BE_A_HOOK_THAT_PANICS=1")
	var stderr strings.Builder
	hook.Stderr = &stderr
	err := hook.Run()
	if code := hook.ProcessState.ExitCode(); code != 2 || !strings.HasPrefix(stderr.String(), "Moirai (Hades) fail-closed: internal error: no reason\nWay out: ") {
		t.Errorf("%v, exit %d: %s", err, code, &stderr)
	}
}
