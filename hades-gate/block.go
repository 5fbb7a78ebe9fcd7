package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"moirai/moiraicore"
)

const startedButNotLoaded = `Moirai (Hades): START_ACK stands, but the three rule files are not loaded: read them in full, or the operator resumes or restarts the session. A blocked call says more.
`

// The block message of §4.6, in its order and wording (D14).
const blockMessage = `BLOCKED by Moirai (Hades).

Hades sessions must complete the Minimum Session Load before any gated
tool call. This boundary is absolute — rules are hard-coded in
%[1]s and cannot be weakened at runtime.

Required markers (in any order):
%[2]s
Resolution: %[3]s
%[4]s
If markers 1–3 are MISSING, the SessionStart loader failed. Check:
  - %[5]s available + executable
  - %[6]s/ writable
  - Required files present on disk

Blocked tool: %[7]s
Session token: %[8]s
Gate source:   %[9]s
Loader source: %[10]s
Built from:    %[11]s
README:        %[12]s
`

const resolveStart = `type /start or /war-room-start. The gate opens once the
fourth marker is recorded.
Agent: other tools are blocked too, so stop and do not try others. Your own
route is the Skill tool with skill "start".
Operator: if a turn is running, press Esc before you type /start.
`

const resolveLoad = `START_ACK stands; markers 1–3 are what is missing, see below.
Agent: other tools are blocked too, so stop and do not try others.
`

// block returns the verdict on a gated call that lacks markers: what is
// missing, why as far as the token tells, and what to do (§4.6, D14).
func (c call) block(tool string, load *moiraicore.Load, exists bool) error {
	gate := self()
	loader := filepath.Join(filepath.Dir(gate), moiraicore.LoaderName)
	resolution := resolveStart
	if load.Started {
		resolution = resolveLoad
	}
	return moiraicore.Blocked(fmt.Sprintf(blockMessage,
		moiraicore.GateName, checklist(load), resolution, c.missing(load, exists),
		loader, moiraicore.TokenDir, moiraicore.Quote(tool), moiraicore.TokenPath(c.session),
		gate, loader, commit(), filepath.Join(filepath.Dir(gate), moiraicore.ReadmeName)))
}

func checklist(load *moiraicore.Load) string {
	var b strings.Builder
	line := func(set bool, marker, by string) {
		mark := ' '
		if set {
			mark = 'x'
		}
		fmt.Fprintf(&b, "  [%c] %-18s (set by %s)\n", mark, marker, by)
	}
	for i, r := range moiraicore.Required {
		line(load.Acked[i], r.Marker, "SessionStart loader")
	}
	line(load.Started, moiraicore.Start, "/start OR /war-room-start")
	return b.String()
}

// missing says why markers 1–3 are missing, as far as the token tells, and the
// ways out that work. Empty if they stand.
func (c call) missing(load *moiraicore.Load, exists bool) string {
	if load.Loaded() {
		return ""
	}
	if !c.scope.Whole {
		return fmt.Sprintf("Markers 1–3 are MISSING here: this is no Hades root. No directory holds the\nthree required files; tried: %s\n"+
			"Way out: the operator puts the files in place (git status, git checkout) and\nresumes or restarts the session. A folder that is no constellation: give it\nanother name.\n",
			quoteAll(c.scope.Tried))
	}
	return "Markers 1–3 are MISSING here: " + c.reason(load, exists) + "\n" + c.waysOut(load)
}

func (c call) reason(load *moiraicore.Load, exists bool) string {
	switch {
	case !exists:
		return "this session has no token. It was never loaded here (it\nstarted elsewhere, or the loader is not wired or failed), or /tmp was cleaned\nor the machine restarted."
	case load.Voided:
		return "a compaction took the rules out of the context\n(LOAD_VOID), and no load followed."
	case load.Pages.M > 0 && !load.Pages.Complete():
		return pagesMissing(load.Pages)
	case load.Other != "":
		return "the session was loaded for another root,\n" + moiraicore.Quote(load.Other) + ", and this root is\n" + moiraicore.Quote(c.scope.Root) + "."
	case load.Acked != [len(moiraicore.Required)]bool{}:
		return "only the files checked above were read in full."
	}
	return "the token holds no load: the loader is not wired or failed."
}

func pagesMissing(p moiraicore.Receipts) string {
	var came, missing []string
	for k := 1; k <= p.M; k++ {
		if p.Got&(1<<(k-1)) != 0 {
			came = append(came, fmt.Sprint(k))
		} else {
			missing = append(missing, fmt.Sprint(k))
		}
	}
	return fmt.Sprintf("the load has %d pages; came: %s; missing: %s.\nEach page K must be wired as %s K/N, N at least %d.",
		p.M, strings.Join(came, ", "), strings.Join(missing, ", "), moiraicore.LoaderName, p.M)
}

func (c call) waysOut(load *moiraicore.Load) string {
	var b strings.Builder
	b.WriteString("Way out: the main agent reads these files in full (Read tool, no offset, no limit):\n")
	for i, r := range moiraicore.Required {
		if load.Acked[i] {
			continue
		}
		path := c.scope.Root + "/" + r.Path
		fmt.Fprintf(&b, "  %s\n", moiraicore.Quote(path))
		if info, err := os.Stat(path); err == nil && info.Size() > moiraicore.MaxRead {
			fmt.Fprintf(&b, "    (%d bytes: over %d a Read does not count; wire pages or shorten it)\n", info.Size(), moiraicore.MaxRead)
		}
	}
	b.WriteString("or the operator resumes or restarts the session (exit, then claude --resume).\n")
	if !load.Started {
		b.WriteString("Then /start, as above.\n")
	}
	return b.String()
}

func quoteAll(paths []string) string {
	quoted := make([]string, len(paths))
	for i, p := range paths {
		quoted[i] = moiraicore.Quote(p)
	}
	return strings.Join(quoted, ", ")
}

// self is the resolved absolute path of this binary.
func self() string {
	path, err := os.Executable()
	if err != nil {
		return moiraicore.GateName
	}
	return moiraicore.Resolve(path)
}

// commit is what the binary was built from, as the Go command stamped it.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	revision, dirty := "unknown commit", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = "commit " + s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = " with uncommitted changes (dirty)"
		}
	}
	return revision + dirty
}
