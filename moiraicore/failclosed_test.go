package moiraicore

import (
	"bytes"
	"runtime"
	"testing"
	"time"
)

// TestDisarmAfterTheBite: a hook whose watchdog has bitten comes no further, so that
// it does not both record and fail (D6). The moment between the two is too short to
// be met by exec.
func TestDisarmAfterTheBite(t *testing.T) {
	bitten, returned := make(chan bool), make(chan bool)
	w := &Watchdog{bite: time.AfterFunc(0, func() { close(bitten) })}
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
