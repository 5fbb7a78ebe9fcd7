// Command hades-gate is the gate of Moirai for Hades, wired on four events:
//
//   - UserPromptSubmit records a typed /start and never blocks it (D9);
//   - PreToolUse records the Skill start, lets exempt calls pass and blocks
//     every other call until all four markers stand (§4.2.2, D10–D12);
//   - PostToolUse records a required file that the main agent was shown whole
//     (D11);
//   - PreCompact voids the load that a compaction takes out of the context (D8).
//
// It exits 0 or 2; of PostToolUse and UserPromptSubmit 2 only for what is checked
// before every branch and for a payload without tool_name or prompt. What passes is
// listed first and by name; everything else, and every error, is blocked.
package main

import (
	"cmp"
	"errors"
	"os"
	"syscall"

	"moirai/moiraicore"
)

// call is one hook call of a session, judged as far as its event needs it.
type call struct {
	payload             moiraicore.Payload
	scope               moiraicore.Scope
	cwd, session, agent string
	watchdog            *moiraicore.Watchdog
}

func main() { moiraicore.Run(gate) }

func gate(w *moiraicore.Watchdog) {
	payload := moiraicore.Must(moiraicore.ReadPayload(os.Stdin))
	cwd := moiraicore.Must(payload.Cwd())
	event, eventErr := payload.Text(moiraicore.KeyEvent)
	session, sessionErr := payload.Session()
	agent, agentErr := payload.Agent()
	c := call{payload, moiraicore.Locate(cwd), cwd, session, agent, w}
	err := cmp.Or(eventErr, sessionErr)
	if !c.scope.In {
		if err == nil && event == moiraicore.PreCompact && !moiraicore.IsForeign() {
			c.void()
		}
		return // out of scope nothing else is judged, and nothing written
	}
	moiraicore.Check(err)
	if event != moiraicore.PreCompact { // a void needs no agent
		moiraicore.Check(agentErr)
	}
	moiraicore.Check(moiraicore.CheckTokenDir())
	switch event {
	case moiraicore.UserPromptSubmit:
		c.prompt()
	case moiraicore.PreToolUse:
		c.tool()
	case moiraicore.PostToolUse:
		c.read()
	case moiraicore.PreCompact:
		c.void()
	default:
		moiraicore.Check(moiraicore.Fail("wire it as make wiring prints it", "%s is wired for an event that it does not know: %s", moiraicore.GateName, moiraicore.Quote(event)))
	}
}

// void appends LOAD_VOID if the session has a token file, whatever its cwd: it
// may have left the root since. If it cannot, exit 2 makes the client not
// compact. The watchdog stays armed: a void too many only keeps closed (D8).
func (c call) void() {
	_, err := os.Lstat(moiraicore.TokenPath(c.session))
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return
	}
	moiraicore.Check(moiraicore.CheckTokenDir())
	moiraicore.Check(moiraicore.AppendToken(c.session, c.scope.Root, moiraicore.PreCompact, moiraicore.MainAgent, func() {}, (*moiraicore.Load).EarnVoid))
}

// prompt records a typed start. Once the prompt is judged it never blocks: a
// failure is said on stdout, and nothing is recorded (D9).
func (c call) prompt() {
	if !moiraicore.IsStartPrompt(moiraicore.Must(c.payload.Text(moiraicore.KeyPrompt))) {
		return
	}
	c.watchdog.Spare()
	loaded := false
	err := c.append(moiraicore.UserPromptSubmit, func(l *moiraicore.Load) []moiraicore.Record {
		loaded = l.Loaded()
		return l.EarnStart()
	})
	switch {
	case err != nil:
		moiraicore.NotRecorded(err)
	case !loaded && !c.scope.Whole:
		moiraicore.Say(startedInNoRoot)
	case !loaded:
		moiraicore.Say(startedButNotLoaded)
	}
}

// append records for this session, with the watchdog disarmed at the write.
func (c call) append(tool string, earn func(*moiraicore.Load) []moiraicore.Record) error {
	return moiraicore.AppendToken(c.session, c.scope.Root, tool, c.agent, c.watchdog.Disarm, earn)
}

// tool is the gate itself (§4.2.2): recorder, exempt, gate, in that order.
func (c call) tool() {
	tool := moiraicore.Must(c.payload.Text(moiraicore.KeyTool))
	if c.passes(tool) {
		return
	}
	load := moiraicore.Must(moiraicore.ReadToken(c.session, c.scope.Root))
	if !load.Open() {
		moiraicore.Check(c.block(tool, load))
	}
	moiraicore.Refresh(c.session)
}

// passes tells whether a call passes without markers (§4.3, D10–D12). The Skill
// start is recorded on the way.
func (c call) passes(tool string) bool {
	switch tool {
	case moiraicore.ToolSkill:
		if moiraicore.IsStartSkill(moiraicore.Must(c.payload.Input(moiraicore.KeySkill))) {
			moiraicore.Check(c.append(tool, (*moiraicore.Load).EarnStart))
		}
		return true
	case moiraicore.ToolRead:
		path := moiraicore.Must(c.payload.Input(moiraicore.KeyFilePath))
		_, required := moiraicore.RequiredRead(path, c.scope.Root)
		return required || moiraicore.ExemptRead(path, c.cwd, c.scope.Root)
	}
	return moiraicore.IsExemptTool(tool)
}

// read records the marker of a required file after a Read by the main agent
// that showed it whole, as it is now (D11). On anything else it records
// nothing; the tool has run, so there is nothing to block.
func (c call) read() {
	tool := moiraicore.Must(c.payload.Text(moiraicore.KeyTool))
	c.watchdog.Spare()
	path, err := c.payload.Input(moiraicore.KeyFilePath)
	i, required := moiraicore.RequiredRead(path, c.scope.Root)
	shown, whole := c.payload.WholeRead()
	if err != nil || tool != moiraicore.ToolRead || c.agent != moiraicore.MainAgent || !required || !whole {
		return
	}
	content, err := moiraicore.ReadFile(c.scope.Root + "/" + moiraicore.Required[i].Path)
	if err == nil && len(content) <= moiraicore.MaxRead && moiraicore.AsShown(content) == moiraicore.AsShown(shown) {
		// An error records nothing, and the next blocked call says what it is.
		_ = c.append(tool, func(l *moiraicore.Load) []moiraicore.Record { return l.EarnFile(i) })
	}
}
