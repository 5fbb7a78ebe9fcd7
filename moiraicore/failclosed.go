package moiraicore

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// Closed is a failure that keeps the gate closed: the condition, which names
// operation and path, and the way out of it (D13).
type Closed struct{ Condition, WayOut string }

func (c *Closed) Error() string {
	return closedPrefix + c.Condition + "\nWay out: " + c.WayOut + "\n"
}

const closedPrefix = "Moirai (Hades) fail-closed: "

// Fail makes a Closed; the condition is formatted in the manner of Sprintf.
func Fail(wayOut, condition string, args ...any) error {
	return &Closed{fmt.Sprintf(condition, args...), wayOut}
}

// Watchdog ends the process five seconds after Run began, whatever it waits
// for, because a hook that the client times out lets the tool run (D13).
type Watchdog struct {
	timer      *time.Timer
	neverBlock atomic.Bool
}

// Run runs a hook to its end: exit 0 if it returns, exit 2 after a failed Check or
// Must, and after a panic or the watchdog (there exit 0 after NeverBlock). Signals that would stop
// the process, or end it with another code, are ignored, since the watchdog bounds
// every wait; SIGKILL is answered by the guard of D15.
func Run(hook func(*Watchdog)) {
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGPIPE,
		syscall.SIGTERM, syscall.SIGXCPU, syscall.SIGXFSZ, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU)
	syscall.Umask(0o077)
	w := new(Watchdog)
	fail := func(wayOut, condition string, args ...any) {
		err := Fail(wayOut, condition, args...)
		if w.neverBlock.Load() {
			NotRecorded(err)
			exit(0)
		}
		Check(err)
	}
	w.timer = time.AfterFunc(Watch, func() {
		fail("try again; if it stays, look for what holds stdin, the disk or the lock of the token file",
			"the hook had not finished after %v (it waited for stdin, the disk or a pipe)", Watch)
	})
	defer func() {
		if r := recover(); r != nil {
			fail("report it with the payload; the gate stays closed meanwhile", "internal error: %v", r)
		}
	}()
	_ = os.Chdir("/") // our working directory need not be the client's: no path may mean it
	hook(w)
	exit(0)
}

// exit ends the process: one that fails must not lead to another end.
func exit(code int) {
	for {
		os.Exit(code)
	}
}

// Check is the one function that ends a hook badly (D13): an error goes to
// stderr, and then exit 2. Without an error it returns.
func Check(err error) {
	if err == nil {
		return
	}
	// A pipe that nobody reads would hold the message.
	time.AfterFunc(WatchGrace, func() { exit(2) })
	os.Stderr.WriteString(err.Error())
	exit(2)
}

// Must is Check for a call that returns a value.
func Must[T any](value T, err error) T {
	Check(err)
	return value
}

// Disarm stops the watchdog just before an append that earns something, so
// that a hook never both records and fails (D6). If the watchdog has already
// bitten, it waits for the end.
func (w *Watchdog) Disarm() {
	if !w.timer.Stop() {
		select {}
	}
}

// NeverBlock makes the watchdog end in exit 0 from here on: what only records never
// blocks (D9, D11).
func (w *Watchdog) NeverBlock() { w.neverBlock.Store(true) }

// NotRecorded says on stdout why a hook that never blocks recorded nothing (D9).
func NotRecorded(err error) {
	Say("Moirai (Hades) not recorded: " + strings.TrimPrefix(err.Error(), closedPrefix))
}

// Say writes to stdout for a hook that never blocks. Where nobody reads it, the
// hook ends in exit 0.
func Say(text string) {
	time.AfterFunc(WatchGrace, func() { exit(0) })
	os.Stdout.WriteString(text)
}
