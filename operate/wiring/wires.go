package wiring

import (
	"fmt"

	"moirai/moiraicore"
)

// Guard follows the gate's path in the commands whose exit 2 counts, PreToolUse
// and PreCompact (D15). The client goes on when a hook ends with anything but 0
// and 2: not found, not executable, killed. Then the guard blocks a session of a
// folder whose path holds "hades", and no other session on the machine. $PWD will
// not do: a shell keeps in it the path of a link.
const Guard = `; r=$?; case $r in 0|2) exit $r;; esac; case $(pwd -P)/ in *[Hh][Aa][Dd][Ee][Ss]*|/) exit 2;; esac; exit $r`

// Pages is how many loaders are wired where nobody asked for more: room for four pages of 10,000 units (D7, D15).
const Pages = 4

// everyTool and readTool are the matchers of the tool events. PreToolUse must
// see every tool there is, of MCP servers and of later clients too.
const (
	everyTool = "*"
	readTool  = moiraicore.ToolRead
)

// Events are the events that need a hook, in the order in which they are printed.
var Events = [...]string{
	moiraicore.SessionStart,
	moiraicore.UserPromptSubmit,
	moiraicore.PreToolUse,
	moiraicore.PostToolUse,
	moiraicore.PreCompact,
}

// Wire is one hook to be wired. An empty matcher is left out: the client then
// takes every source of a SessionStart and both triggers of a PreCompact. In
// exec form the client starts the command, a path, without a shell.
type Wire struct {
	Event, Matcher, Command string
	Exec                    bool
}

// guarded tells for which events exit 2 counts, so that the guard and, managed,
// the second entry in exec form are worth having.
func guarded(event string) bool {
	return event == moiraicore.PreToolUse || event == moiraicore.PreCompact
}

// Wires lists the hooks of D15 in the order of Events, with so many loaders. Folder
// is the folder of the programs as a word of the shell (Quote). None has a timeout: a hook that
// the client times out lets the tool run, and ours end by themselves (D13).
func Wires(folder string, pages int) []Wire {
	gate := folder + "/" + moiraicore.GateName
	load := folder + "/" + moiraicore.LoaderName
	var w []Wire
	for k := 1; k <= pages; k++ {
		w = append(w, Wire{Event: moiraicore.SessionStart, Command: fmt.Sprintf("%s %d/%d", load, k, pages)})
	}
	return append(w,
		Wire{Event: moiraicore.UserPromptSubmit, Command: gate},
		Wire{Event: moiraicore.PreToolUse, Matcher: everyTool, Command: gate + Guard},
		Wire{Event: moiraicore.PostToolUse, Matcher: readTool, Command: gate},
		Wire{Event: moiraicore.PreCompact, Command: gate + Guard},
	)
}

// ManagedWires lists the hooks of the managed drop-in: Wires, and beside each
// guarded one a second entry in exec form. The guard needs a shell, and what
// reaches the shell (a prefix, a preloaded library) does not reach a static
// binary without one. Clients before exec form run it as one more plain hook.
func ManagedWires(pages int) []Wire {
	var all []Wire
	for _, w := range Wires(Quote(ManagedPrograms, ""), pages) {
		all = append(all, w)
		if guarded(w.Event) {
			all = append(all, Wire{w.Event, w.Matcher, ManagedPrograms + "/" + moiraicore.GateName, true})
		}
	}
	return all
}
