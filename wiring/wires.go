package wiring

import (
	"fmt"

	"moirai/moiraicore"
)

// Guard follows the gate's path in the PreToolUse command (D15). The client
// lets a tool run when a hook ends with anything but 0 and 2: not found, not
// executable, killed. Then the guard blocks a session of a constellation, and
// no other session on the machine. $PWD will not do: a shell keeps in it the
// path of a link.
const Guard = `; r=$?; case $r in 0|2) exit $r;; esac; case $(pwd -P)/ in *[Hh][Aa][Dd][Ee][Ss]*|/) exit 2;; esac; exit $r`

// Pages is how many loaders are wired: room for four pages of 10,000 units (D7, D15).
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
// takes every source of a SessionStart and both triggers of a PreCompact.
type Wire struct{ Event, Matcher, Command string }

// Wires lists the hooks of D15 in the order of Events. Folder is the folder of
// the programs as a word of the shell (Quote). None has a timeout: a hook that
// the client times out lets the tool run, and ours end by themselves (D13).
func Wires(folder string) []Wire {
	gate := folder + "/" + moiraicore.GateName
	load := folder + "/" + moiraicore.LoaderName
	var w []Wire
	for k := 1; k <= Pages; k++ {
		w = append(w, Wire{moiraicore.SessionStart, "", fmt.Sprintf("%s %d/%d", load, k, Pages)})
	}
	return append(w,
		Wire{moiraicore.UserPromptSubmit, "", gate},
		Wire{moiraicore.PreToolUse, everyTool, gate + Guard},
		Wire{moiraicore.PostToolUse, readTool, gate},
		Wire{moiraicore.PreCompact, "", gate},
	)
}
