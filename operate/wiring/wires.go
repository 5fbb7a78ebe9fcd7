package wiring

import (
	"fmt"
	"strings"

	"moirai/moiraicore"
)

// Guard follows the gate's path in the commands whose exit 2 counts, PreToolUse
// and PreCompact (D15). The client goes on when a hook ends with anything but 0
// and 2: not found, not executable, killed. Then the guard blocks a session of a
// folder whose path holds "hades", and no other session on the machine. It asks
// three for the folder: the shell ($PWD will not do, a shell keeps in it the path
// of a link), and, because the client runs hooks in the home folder once the
// session's own is deleted, CLAUDE_PROJECT_DIR and the payload, of which a gate that
// never ran has read nothing.
//
// The shell may have been told to end at the first failure (what follows || is
// exempt from that), to fail at unset names (hence the dash), to run code with each
// line that it traces (hence set, which also keeps the gate's end where such code cannot
// change it), or to take functions from the environment in the place of its own
// commands (hence unset).
const Guard = ` || { set +x -- $?; unset -f exit pwd read; case $1 in 2) exit 2;; esac; ` +
	`case $(pwd -P)/:${CLAUDE_PROJECT_DIR-} in ` + inHades + `|/:*) exit 2;; esac; ` +
	`IFS= read -r p || :; p=${p#*'"cwd":"'}; case ${p%%'","'*} in ` + inHades + `) exit 2;; esac; exit "$1"; }`

const inHades = `*[Hh][Aa][Dd][Ee][Ss]*`

// formerGuards are those of earlier versions: known, so that verify can run what has
// them, and to be replaced.
var formerGuards = [...]string{
	`; r=$?; case $r in 0|2) exit $r;; esac; case $(pwd -P)/ in *[Hh][Aa][Dd][Ee][Ss]*|/) exit 2;; esac; exit $r`,
}

// Pages is how many loaders are wired where nobody asked for another number. Rule files of real size need five; a
// spare loader prints nothing, and costs milliseconds at the start of a session (docs/SPEED.md).
const Pages = 8

// everyTool and readTool are the matchers of the tool events. PreToolUse must
// see every tool there is, of MCP servers and of later clients too.
const (
	everyTool = "*"
	readTool  = moiraicore.ToolRead
)

// PreSkillShell comes before shell code in a skill or typed command, which no
// PreToolUse announces. 2.1.332 is the first version that has it; clients from 2.1.118
// on pass over an event that they do not know (2.1.200 says so, and enforces the rest), and those up to 2.1.50 drop the whole
// settings file that names it, so that no hook in it runs (CLIENT-CONTRACT). The latter read no
// drop-in: there it is always wired, and in user settings only if it is asked for.
const PreSkillShell = moiraicore.PreSkillShell

// Events are the events that need a hook, in the order in which they are printed.
var Events = [...]string{
	moiraicore.SessionStart,
	moiraicore.UserPromptSubmit,
	moiraicore.PreToolUse,
	moiraicore.PostToolUse,
	moiraicore.PreCompact,
	PreSkillShell,
}

// Wire is one hook to be wired. An empty matcher is left out: the client then
// takes every source of a SessionStart and both triggers of a PreCompact. In
// exec form the client starts the command, a path, with the argument (empty: none)
// and without a shell.
type Wire struct {
	Event, Matcher, Command string
	Exec                    bool
	Arg                     string
}

// guarded tells for which events exit 2 counts, so that the guard is worth having.
// The guard needs a shell.
func guarded(event string) bool {
	return event == moiraicore.PreToolUse || event == moiraicore.PreCompact || event == PreSkillShell
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
	w = append(w, Wire{Event: moiraicore.UserPromptSubmit, Command: gate})
	for k := 1; k <= pages; k++ { // the rules go out again with a prompt where a rewind could cut them away (D24)
		w = append(w, Wire{Event: moiraicore.UserPromptSubmit, Command: fmt.Sprintf("%s %d/%d", load, k, pages)})
	}
	return append(w,
		Wire{Event: moiraicore.PreToolUse, Matcher: everyTool, Command: gate + Guard},
		Wire{Event: moiraicore.PostToolUse, Matcher: readTool, Command: gate},
		Wire{Event: moiraicore.PreCompact, Command: gate + Guard},
		Wire{Event: PreSkillShell, Matcher: everyTool, Command: gate + Guard},
	)
}

// ManagedWires lists the hooks of the managed drop-in: Wires in exec form, since
// what reaches a shell (its options, a prefix, a preloaded library) does not reach
// a static binary that the client starts without one, and for the guard alone the
// shell form beside it. Clients before exec form take the command without the
// argument and run it in a shell.
func ManagedWires(pages int) []Wire {
	gate := ManagedPrograms + "/" + moiraicore.GateName
	load := ManagedPrograms + "/" + moiraicore.LoaderName
	var all []Wire
	for _, w := range Wires(Quote(ManagedPrograms, ""), pages) {
		if _, page, isLoader := strings.Cut(w.Command, moiraicore.LoaderName+" "); isLoader {
			all = append(all, Wire{w.Event, w.Matcher, load, true, page})
			continue
		}
		if guarded(w.Event) {
			all = append(all, w)
		}
		all = append(all, Wire{w.Event, w.Matcher, gate, true, ""})
	}
	return all
}
