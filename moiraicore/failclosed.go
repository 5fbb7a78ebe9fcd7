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

// Fail makes a Closed; the condition is formatted in the manner of Sprintf.
func Fail(wayOut, condition string, args ...any) error {
	return &Closed{fmt.Sprintf(condition, args...), wayOut}
}

// Watchdog ends the process five seconds after its start, whatever it waits
// for, because a hook that the client times out lets the tool run (D13).
type Watchdog struct {
	bite, last *time.Timer
	spare      atomic.Bool
}

// Run runs a hook to its end: exit 0 if it returns nil, else its error on
// stderr and exit 2, as for a panic and the watchdog. Signals that would end
// the process with another code are ignored, since the watchdog bounds every
// wait; SIGKILL is answered by the guard of D15.
func Run(hook func(*Watchdog) error) {
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGPIPE,
		syscall.SIGTERM, syscall.SIGXCPU, syscall.SIGXFSZ)
	syscall.Umask(0o077)
	w := new(Watchdog)
	w.bite = time.AfterFunc(Watch, func() {
		w.end(Fail("try again; if it stays, look for what holds stdin, the disk or the lock of the token file",
			"the hook was not done after %v (it waited for stdin, the disk or a pipe)", Watch))
	})
	// The first end writes a message, and a pipe that nobody reads would hold it.
	w.last = time.AfterFunc(Watch+WatchGrace, func() { w.end(nil) })
	defer func() {
		if r := recover(); r != nil {
			failClosed(Fail("report it with the payload; the gate stays closed meanwhile", "internal error: %v", r))
		}
	}()
	err := hook(w)
	for err == nil {
		os.Exit(0)
	}
	failClosed(err)
}

// failClosed is the one function that ends a hook badly (D13).
func failClosed(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error())
	}
	for {
		os.Exit(2) // even an exit that fails must not lead to another end, here and above
	}
}

// Disarm stops the watchdog just before an append that earns something, so
// that a hook never both records and fails (D6). If the watchdog has already
// bitten, it waits for the end. A spared hook still ends, in exit 0: what it
// says after the append may meet a pipe that nobody reads.
func (w *Watchdog) Disarm() {
	if !w.bite.Stop() || !w.spare.Load() && !w.last.Stop() {
		select {}
	}
}

// Spare makes the watchdog end in exit 0 from here on: what only records never
// blocks (D9, D11).
func (w *Watchdog) Spare() { w.spare.Store(true) }

func (w *Watchdog) end(err error) {
	if !w.spare.Load() {
		failClosed(err)
	}
	if err != nil {
		NotRecorded(err)
	}
	os.Exit(0)
}

// NotRecorded says on stdout why a hook that never blocks recorded nothing (D9).
func NotRecorded(err error) {
	os.Stdout.WriteString("Moirai (Hades): not recorded. " + err.Error())
}
