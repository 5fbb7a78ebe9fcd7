package moiraicore

import (
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// Closed is a failure that keeps the gate closed: the condition, which names
// operation and path, and the way out of it (D13).
type Closed struct{ Condition, WayOut string }

func (c *Closed) Error() string {
	return "Moirai (Hades) fail-closed: " + c.Condition + "\nWay out: " + c.WayOut + "\n"
}

// closed makes a Closed from a condition in the manner of Sprintf.
func closed(wayOut, format string, args ...any) error {
	return &Closed{fmt.Sprintf(format, args...), wayOut}
}

// Blocked is the verdict of the gate on one call: the whole message of §4.6.
type Blocked string

func (b Blocked) Error() string { return string(b) }

// Watchdog ends the process five seconds after its start, whatever it waits
// for, because a hook that the client times out lets the tool run (D13).
type Watchdog struct {
	timer, last *time.Timer
	spare       atomic.Pointer[func(error)]
}

// Run runs a hook to its end: exit 0 if it returns nil, else its error on
// stderr and exit 2. A panic and the watchdog end in exit 2 as well. Signals
// that would end the process with another code are ignored, since every wait
// is bounded by the watchdog; SIGKILL is answered by the guard of D15.
func Run(hook func(*Watchdog) error) {
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGPIPE,
		syscall.SIGTERM, syscall.SIGXCPU, syscall.SIGXFSZ)
	syscall.Umask(0o077)
	w := new(Watchdog)
	w.timer = time.AfterFunc(Watch, w.bite)
	// bite writes a message, and a pipe that nobody reads would hold it.
	w.last = time.AfterFunc(Watch+WatchGrace, func() { os.Exit(w.code()) })
	defer func() {
		if r := recover(); r != nil {
			failClosed(closed("report it with the payload; the gate stays closed meanwhile", "internal error: %v", r))
		}
	}()
	if err := hook(w); err != nil {
		failClosed(err)
	}
	os.Exit(0)
}

// failClosed is the one function that ends a hook badly (D13).
func failClosed(err error) {
	os.Stderr.WriteString(err.Error())
	os.Exit(2)
}

// Disarm stops the watchdog just before an append that earns something, so
// that a hook never both records and fails (D6). If the watchdog has already
// bitten, it waits for the end.
func (w *Watchdog) Disarm() {
	if !w.timer.Stop() || !w.last.Stop() {
		select {}
	}
}

// Spare makes the watchdog end in exit 0 from here on, after it said why: the
// branches that only record never block (D9, D11).
func (w *Watchdog) Spare(say func(error)) { w.spare.Store(&say) }

func (w *Watchdog) code() int {
	if w.spare.Load() != nil {
		return 0
	}
	return 2
}

func (w *Watchdog) bite() {
	err := closed("try again; if it stays, look for what holds stdin, the disk or the lock of the token file",
		"the hook was not done after %v (it waited for stdin, the disk or a pipe)", Watch)
	if say := w.spare.Load(); say != nil {
		(*say)(err)
		os.Exit(0)
	}
	failClosed(err)
}
