package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"

	"moirai/moiraicore"
)

// The block message of §4.6, in its order and wording (D14).
const blockMessage = `BLOCKED by Moirai (Hades).

Hades sessions must complete the Minimum Session Load before any gated
tool call. This boundary is absolute — rules are hard-coded in
%s and cannot be weakened at runtime.

Required markers (in any order):
%s
Resolution: %s
%sIf markers 1–3 are MISSING, the SessionStart loader failed. Check:
  - %s available + executable
  - %s/ writable
  - Required files present on disk

Blocked tool: %s
Session token: %s
Gate source:   %s
Loader source: %s
Built from:    %s
README:        %s
`

// What to do, by which markers are missing: the fourth, all, or markers 1–3.
const (
	typeStart = `type /start or /war-room-start. The gate opens once the
fourth marker is recorded.
`
	doNotTry = `Agent: other tools are blocked too, so stop and do not try others. Your own
route is `
	pressEsc = `Operator: if a turn is running, press Esc before you type /start.
`
	resolveStart = typeStart + doNotTry + `the Skill tool with skill "start".
` + pressEsc
	resolveBoth = typeStart + `That alone is not enough: markers 1–3 are missing too, see below.
` + doNotTry + `the way out below, then the Skill tool with skill "start".
` + pressEsc
	resolveLoad = `START_ACK stands; markers 1–3 are what is missing, see below.
` + doNotTry + `the way out below.
`
)

const startedInNoRoot = `Moirai (Hades): START_ACK stands, but this is no Hades root: no directory holds the three rule files. A blocked call says more.
`

const startedButNotLoaded = `Moirai (Hades): START_ACK stands, but the three rule files are not loaded: the agent reads them in full, or the operator resumes or restarts the session. A blocked call says more.
`

// Why markers 1–3 are missing, as far as the token tells.
const (
	noRoot = `this is no Hades root: no directory holds the three
required files. Tried:%s
Way out: the operator puts the files in place (git status, git checkout) and
resumes or restarts the session. A folder that is no constellation: give it
another name.

`
	noToken = `this session has no token. It was never loaded here (it
started elsewhere, or the loader is not wired or failed), or /tmp was cleaned
or the machine restarted.`
	voided = `a compaction, or the client's preparation of one, voids
what was loaded (LOAD_VOID), and no load followed.`
	somePages = `the load has %[1]d pages; missing:%[2]s.
Each page K must be wired as %[3]s K/N with the same N, at least %[1]d.`
	otherRoot = `the session was loaded for another root, %s;
this root is %s.`
	unfit    = "    (no Read or load counts: it is missing, empty, no file or unreadable; the operator\n    mends it first: git checkout, chmod u+r)\n"
	tooLong  = "    (%d bytes: over %d a Read does not count; wire pages or shorten it)\n"
	someRead = `only the files checked above were shown in full.`
	noLoad   = `the token holds no load: the loader is not wired or failed.`
	canLoad  = `
Whether the loader is wired, for enough pages, and can load here: the operator
runs make verify ROOT=%s`
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
	resolution, missing := resolveStart, ""
	if !load.Loaded() {
		resolution, missing = resolveBoth, "Markers 1–3 are MISSING here: "+c.reason(load)
	}
	if load.Started {
		resolution = resolveLoad
	}
	message := fmt.Sprintf(blockMessage, moiraicore.GateName, checklist(load), resolution, missing, loader, moiraicore.TokenDir,
		moiraicore.Quote(tool), moiraicore.TokenPath(c.session), gate, loader, commit(), filepath.Join(filepath.Dir(gate), moiraicore.ReadmeName))
	return errors.New(message)
}

// checklist ticks the markers that count.
func checklist(load *moiraicore.Load) string {
	box, list := map[bool]string{true: "[x]", false: "[ ]"}, ""
	for i, r := range moiraicore.Required {
		list += fmt.Sprintf("  %s %-18s (set by SessionStart loader)\n", box[load.Acked[i]], r.Marker)
	}
	return list + fmt.Sprintf("  %s %-18s (set by /start OR /war-room-start)\n", box[load.Started], moiraicore.Start)
}

// reason says why markers 1–3 are missing, and the ways out that work.
func (c call) reason(load *moiraicore.Load) string {
	if !c.scope.Whole {
		return fmt.Sprintf(noRoot, c.scope.TriedList("\n  "))
	}
	verify := fmt.Sprintf(canLoad, moiraicore.QuotePath(c.scope.Root))
	why := noLoad + verify
	switch {
	case !load.Exists:
		why = noToken + verify
	case load.Voided:
		why = voided
	case load.Last.M > 0 && !load.Complete(load.Last):
		why = pagesLost(load)
	case load.Other != "":
		why = fmt.Sprintf(otherRoot, moiraicore.Quote(load.Other), moiraicore.Quote(c.scope.Root))
	case load.Any():
		why = someRead
	}
	return why + "\n" + c.waysOut(load) + "\n"
}

// pagesLost names the pages of the last load that did not come (D7).
func pagesLost(load *moiraicore.Load) string {
	missing := ""
	for k := 1; k <= load.Last.M; k++ {
		if !load.Came(k, load.Last) {
			missing += fmt.Sprintf(" %d", k)
		}
	}
	return fmt.Sprintf(somePages, load.Last.M, missing, moiraicore.LoaderName)
}

// waysOut lists the files whose Read helps, and what the operator can do (D11).
func (c call) waysOut(load *moiraicore.Load) string {
	out := "Way out: the main agent reads these files (Read tool, no offset;\nif the answer is that the file is unchanged, again with limit 2500):\n"
	for i, r := range moiraicore.Required {
		if load.Acked[i] {
			continue
		}
		path := c.scope.Root + "/" + r.Path
		out += "  " + moiraicore.QuotePath(path) + "\n"
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || info.Size() == 0 || syscall.Access(path, 4) != nil { // R_OK
			out += unfit
		} else if info.Size() > moiraicore.MaxRead {
			out += fmt.Sprintf(tooLong, info.Size(), moiraicore.MaxRead)
		}
	}
	out += "or the operator resumes or restarts the session (exit, then claude --resume).\n"
	if !load.Started {
		out += "Then START_ACK is needed too, as above.\n"
	}
	return out
}

// commit is what the binary was built from, as the go command stamped it.
func commit() string {
	text := "an unknown commit"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return text
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			text = "commit " + s.Value
		}
		if s.Key == "vcs.modified" && s.Value == "true" {
			text += " with uncommitted changes (dirty)"
		}
	}
	return text
}
