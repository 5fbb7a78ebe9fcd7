package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"moirai/moiraicore"
)

// The block message of §4.6, in its order and wording (D14).
//
//go:embed block.txt
var blockMessage string

// How to do it, by which markers are missing: the fourth, all, or markers 1–3.
const (
	typeStart    = "type /start or /war-room-start."
	resolveStart = typeStart + " The gate opens once the\nfourth marker is recorded.\n" + doNotTry + "the Skill tool with skill \"start\".\n" + pressEsc
	resolveBoth  = typeStart + "\nThat alone is not enough: markers 1–3 are missing too, see below.\n" + doNotTry + "the way out below, then the Skill tool with skill \"start\".\n" + pressEsc
	resolveLoad  = "START_ACK stands; markers 1–3 are what is missing, see below.\n" + doNotTry + "the way out below.\n"
	doNotTry     = "Agent: other tools are blocked too, so stop and do not try others. Your own\nroute is "
	pressEsc     = "Operator: if a turn is running, press Esc before you type /start. If it is no\ncommand here, resume the session inside the constellation, or make install offers one.\n"

	startedInNoRoot     = "Moirai (Hades): START_ACK stands, but this is no Hades root, or it lacks rule files. A blocked call says more.\n"
	startedButNotLoaded = "Moirai (Hades): START_ACK stands. The three rule files were not loaded when it was recorded: if a call is blocked, its message says what to do.\n"
)

// block returns the message of a gated call that lacks markers: what is
// missing, why as far as the token tells, and what to do (§4.6, D14).
func (c call) block(tool string, load *moiraicore.Load) error {
	gate, err := os.Executable()
	if err != nil {
		gate = os.Args[0]
	}
	gate = moiraicore.Resolve(gate)
	loader := filepath.Join(filepath.Dir(gate), moiraicore.LoaderName)
	resolution := resolveStart
	if !load.Loaded() {
		resolution = map[bool]string{true: resolveLoad, false: resolveBoth}[load.Started] + "\nMarkers 1–3 are MISSING here: " + load.Reason(c.scope)
	}
	built := "an unknown commit"
	if info, ok := debug.ReadBuildInfo(); ok {
		built = info.Main.Version // the go command stamps the commit into it
	}
	return fmt.Errorf(blockMessage, load.ToDo(), moiraicore.GateName, checklist(load), resolution, loader, moiraicore.TokenDir,
		moiraicore.Quote(tool), moiraicore.TokenPath(c.session), gate, loader, built, filepath.Join(filepath.Dir(gate), moiraicore.ReadmeName))
}

// checklist ticks the markers that count.
func checklist(load *moiraicore.Load) string {
	box, list := map[bool]string{true: "[x]", false: "[ ]"}, ""
	for i, r := range moiraicore.Required {
		list += fmt.Sprintf("  %s %-18s (set by SessionStart loader)\n", box[load.Acked[i]], r.Marker)
	}
	return list + fmt.Sprintf("  %s %-18s (set by /start OR /war-room-start)\n", box[load.Started], moiraicore.Start)
}
