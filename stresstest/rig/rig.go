// Package rig is what the test programs of this project share: a place where a
// hook can be run without touching the machine, and a way to run it.
//
// Isolation. The hooks keep their token files in /tmp/moirai/hades, a true
// constant (D3, D17), so a test needs a /tmp of its own. Enter starts the
// program once more inside a mount namespace and puts an empty memory file
// system over /tmp there. The program then runs as an ordinary uid, also when
// root started it, because root ignores the mode bits that many cases are about.
// It keeps the right to mount, which the hooks that it runs do not inherit.
// Where the platform has no namespaces, or refuses them, Enter says why and
// the program decides what it must skip.
//
// Running. Command starts one process with a payload on stdin and reports its
// exit code, signal, output and time. Descriptors can be closed, full or broken.
//
// Samples. Constellation writes the three required files in the sizes that a
// case asks for. Session builds payloads shaped as the measured clients send them.
package rig

// Request says what a program needs. The zero value asks for a private /tmp and,
// when started by root, for an unprivileged uid.
type Request struct {
	// Hooks is the folder of the built programs. It stays reachable, at
	// Isolation.Hooks, for the unprivileged uid and under the private /tmp.
	Hooks string
	// Keep lists folders and files under /tmp that must stay at their paths. The working
	// directory and the folder of the program itself are kept without being listed.
	Keep []string
	// Loopback asks for a network namespace too, in which only lo is up.
	Loopback bool
	// KeepUser leaves root as root.
	KeepUser bool
	// Claims lists fixed paths in /tmp that the program makes, changes or removes. Where /tmp
	// cannot be private, Enter refuses a program with claims, unless it is Live or Sparing.
	Claims []string
	// Live says that this machine has no live sessions. Then what lies at the claims is put
	// aside while the program runs, and given back however it ends; what a run that was
	// killed has left comes back with the next.
	Live bool
	// Sparing says that without Live the program leaves out all that would disturb a live session.
	Sparing bool
}

// Isolation says what was separated from the machine.
type Isolation struct {
	// PrivateTmp: /tmp is an empty file system that only this program sees.
	PrivateTmp bool
	// Loopback: the only network device is lo, and it is up.
	Loopback bool
	// Unprivileged: mode bits hold for this program and for what it runs.
	Unprivileged bool
	// Foreign: files can be given to another uid.
	Foreign bool
	// Refused says why something that was asked for is missing. Empty when nothing is.
	Refused string
	// Hooks is where Request.Hooks can be reached now.
	Hooks string
	// PutAside: /tmp is the real one, and what lay at the claims is put aside.
	PutAside bool
	// Scratch is a folder for the program's own files. It is removed by Leave.
	Scratch string

	missing []string // claims at which nothing lay
}
