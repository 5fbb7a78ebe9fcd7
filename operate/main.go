// Command operate installs, wires, checks and explains Moirai for Hades. It is
// what the Makefile's targets of the same names call.
//
//	operate install [-root DIR]     copy the binaries, link them where settings name them
//	operate uninstall [-force]      undo that; what install found there comes back
//	operate wire [-root DIR] [-pages N] [-yes] [-all] [-statusline]
//	                                install, and put the hooks into each account's settings
//	operate unwire [-yes] [-all]    take them out; what wire found comes back
//	operate wiring [-root DIR] [-pages N]
//	                                print the hooks for user settings
//	operate wiring-managed [-root DIR] [-pages N]
//	                                print the managed drop-in
//	operate install-managed [-root DIR] [-pages N] [-strict] [-yes]
//	                                as root: binaries and drop-in out of every user's reach
//	operate uninstall-managed       undo that
//	operate verify [-root DIR]      check what is wired, and run it
//	operate status [-session ID]    say why a session is blocked and what to do
//	operate schedule [-root DIR]    print what runs the probe every hour
//	operate statusline [COMMAND …]  print the gate's state for the client's status line
//	operate fit -root DIR           say how many pages the rule files need
//
// Exit 0: done, or all is well. Exit 1: not done, or something is wrong. Exit
// 2: wrong usage. Settings are written by wire and unwire alone, after they have
// shown the change and were told yes (the drop-in, a file of its own, excepted).
//
// An installed file or link is put in place by rename, so that a running
// session meets the old one or the new one and never half of it (D16). The
// record of what was done lies beside the binaries (wiring.Record).
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"moirai/operate/wiring"
)

const usage = `usage: operate install [-root DIR] [-yes] | uninstall [-force] |
       wire [-root DIR] [-pages N] [-yes] [-all] [-statusline] | unwire [-yes] [-all] |
       wiring [-root DIR] [-pages N] | wiring-managed [-root DIR] [-pages N] |
       install-managed [-root DIR] [-pages N] [-strict] [-yes] | uninstall-managed | verify [-root DIR] |
       status [-session ID] | statusline [COMMAND ...] | schedule [-root DIR] |
       fit -root DIR
`

// Ends of a command that need no message of their own: errFound has said what
// is wrong, errUsage prints the usage.
var (
	errFound = errors.New("something is wrong")
	errUsage = errors.New("wrong usage")
)

// command is one subcommand with the options that it takes.
type command struct {
	run                  func(options) error
	root, session, force bool
	pages, yes, all      bool
	statusLine, strict   bool
}

// options are what the command line says. Root is absolute, or empty.
type options struct {
	machine       wiring.Machine
	root, session string
	force         bool
	pages         int // 0: not said
	all           bool
	statusLine    bool
	strict        bool
	ask           *questions
}

var commands = map[string]command{
	"install":           {run: install, root: true, yes: true},
	"uninstall":         {run: uninstall, force: true},
	"wire":              {run: wire, root: true, pages: true, yes: true, all: true, statusLine: true},
	"unwire":            {run: unwire, yes: true, all: true},
	"wiring":            {run: printWiring, root: true, pages: true},
	"wiring-managed":    {run: printManaged, root: true, pages: true},
	"install-managed":   {run: installManaged, root: true, pages: true, strict: true, yes: true},
	"uninstall-managed": {run: uninstallManaged},
	"verify":            {run: verify, root: true},
	"status":            {run: status, session: true},
	"schedule":          {run: schedule, root: true},
	"fit":               {run: fit, root: true},
}

func main() {
	err := operate(os.Args[1:])
	switch {
	case err == nil:
	case errors.Is(err, errUsage):
		io.WriteString(os.Stderr, usage)
		os.Exit(2)
	case errors.Is(err, errFound):
		os.Exit(1)
	default:
		fmt.Fprintln(os.Stderr, "operate:", err)
		os.Exit(1)
	}
}

func operate(args []string) error {
	if len(args) == 0 {
		return errUsage
	}
	if args[0] == "statusline" { // what follows is a command of the operator's
		return statusline(args[1:])
	}
	c, ok := commands[args[0]]
	if !ok {
		return errUsage
	}
	var o options
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	if c.root {
		flags.StringVar(&o.root, "root", "", "")
	}
	if c.session {
		flags.StringVar(&o.session, "session", "", "")
	}
	if c.force {
		flags.BoolVar(&o.force, "force", false, "")
	}
	if c.pages {
		flags.IntVar(&o.pages, "pages", 0, "")
	}
	yes := false
	if c.yes {
		flags.BoolVar(&yes, "yes", false, "")
	}
	if c.all {
		flags.BoolVar(&o.all, "all", false, "")
	}
	if c.statusLine {
		flags.BoolVar(&o.statusLine, "statusline", false, "")
	}
	if c.strict {
		flags.BoolVar(&o.strict, "strict", false, "")
	}
	if flags.Parse(args[1:]) != nil || flags.NArg() > 0 {
		return errUsage
	}
	var err error
	if o.machine, err = wiring.Here(); err != nil {
		return err
	}
	if o.root != "" {
		if o.root, err = filepath.Abs(o.root); err != nil {
			return err
		}
	}
	if _, ok := commands["statusline"]; o.statusLine && !ok {
		return errors.New("this build has no command statusline to be wired")
	}
	o.ask = ask(os.Stdin, yes)
	return c.run(o)
}
