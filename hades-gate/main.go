// Command hades-gate is the gate of Moirai for Hades, wired on five events:
//
//   - UserPromptSubmit records a typed /start and never blocks it (D9);
//   - PreToolUse records the Skill start, lets exempt calls pass and blocks
//     every other call until all four markers stand (§4.2.2, D10–D12);
//   - PreSkillShellCommand, the shell code of a skill or a typed command, is a call
//     that nothing exempts;
//   - PostToolUse records a required file that the main agent was shown whole
//     (D11);
//   - PreCompact voids the load that a compaction takes out of the context (D8).
//
// It exits 0 or 2; of PostToolUse and UserPromptSubmit 2 only for what is checked
// before every branch and for a payload without tool_name or prompt. The code lists
// what passes first and by name; it blocks everything else, and on every error.
package main

import (
	"cmp"
	"os"

	"moirai/moiraicore"
)

// call is one hook call of a session, judged as far as its event needs it.
type call struct {
	payload        moiraicore.Payload
	scope          moiraicore.Scope
	session, agent string // agent_id, or "main"
	viewer         string // agent, but the main agent as of the prompt (D24)
	watchdog       *moiraicore.Watchdog
}

func main() { moiraicore.Run(gate) }

func gate(w *moiraicore.Watchdog) {
	payload, scope := moiraicore.Enter(os.Stdin)
	event, eventErr := payload.Text(moiraicore.KeyEvent)
	session, sessionErr := payload.Session()
	agent, agentErr := payload.Agent()
	viewer, promptErr := payload.AtPrompt()
	if agent != moiraicore.MainAgent {
		viewer = agent
	}
	c := call{payload, scope, session, agent, viewer, w}
	err := cmp.Or(eventErr, sessionErr)
	if event == moiraicore.PreCompact && err == nil {
		c.void(agentErr == nil && agent != moiraicore.MainAgent)
		return
	}
	if !scope.In {
		return // out of scope nothing else is judged, and nothing written
	}
	moiraicore.Check(cmp.Or(err, agentErr, promptErr))
	moiraicore.Check(moiraicore.CheckTokenDir())
	switch event {
	case moiraicore.UserPromptSubmit:
		c.prompt()
	case moiraicore.PreToolUse, moiraicore.PreSkillShell:
		c.tool(event)
	case moiraicore.PostToolUse:
		c.read()
	default:
		moiraicore.Check(moiraicore.Fail("wire it as make wiring prints it", "%s is wired for an event that it does not know: %s", moiraicore.GateName, moiraicore.Quote(event)))
	}
}

// void appends LOAD_VOID if the session has a token file, whatever its cwd: it
// may have left the root since. If it cannot, exit 2 makes the client not
// compact. The watchdog stays armed: a void too many only keeps closed (D8). What
// another agent compacts is its own context (D21).
func (c call) void(another bool) {
	if another || !c.scope.In && !moiraicore.HasToken(c.session, true) {
		return
	}
	moiraicore.Check(moiraicore.CheckTokenDir())
	if moiraicore.HasToken(c.session, false) {
		moiraicore.Must(moiraicore.AppendToken(c.session, c.scope.Root, moiraicore.PreCompact, moiraicore.MainAgent, func() {}, (*moiraicore.Load).Void))
	}
}

// prompt records a typed start. Once the prompt is judged it never blocks: a
// failure is said on stdout, and nothing is recorded (D9).
func (c call) prompt() {
	if !moiraicore.IsStartPrompt(moiraicore.Must(c.payload.Text(moiraicore.KeyPrompt))) {
		return
	}
	c.watchdog.NeverBlock()
	load, err := c.append(moiraicore.UserPromptSubmit, c.agent, (*moiraicore.Load).EarnStart)
	switch {
	case err != nil:
		moiraicore.NotRecorded(err)
	case !load.Loaded() && !c.scope.Whole:
		moiraicore.Say(startedInNoRoot)
	case !load.Loaded():
		moiraicore.Say(startedButNotLoaded)
	}
}

// append records for this session, with the watchdog disarmed at the write.
func (c call) append(tool, agent string, earn func(*moiraicore.Load) []moiraicore.Record) (*moiraicore.Load, error) {
	return moiraicore.AppendToken(c.session, c.scope.Root, tool, agent, c.watchdog.Disarm, earn)
}

// tool is the gate itself (§4.2.2): recorder, exempt, gate, in that order.
func (c call) tool(event string) {
	tool := moiraicore.Must(c.payload.Text(moiraicore.KeyTool))
	_, served := c.payload[moiraicore.KeyServer] // a tool of an MCP server may have any name
	if event == moiraicore.PreToolUse && !served && c.passes(tool) {
		return
	}
	load := moiraicore.Must(moiraicore.ReadToken(c.session, c.scope.Root, c.viewer))
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
			moiraicore.Must(c.append(tool, c.agent, (*moiraicore.Load).EarnStart))
		}
		return true
	case moiraicore.ToolRead:
		path := moiraicore.Must(c.payload.Input(moiraicore.KeyFilePath))
		cwd := moiraicore.Must(c.payload.Text(moiraicore.KeyCwd))
		_, required := moiraicore.RequiredRead(path, c.scope.Root)
		return required || moiraicore.ExemptRead(path, cwd, c.scope.Root)
	}
	return moiraicore.IsExemptTool(tool)
}

// read records the marker of a required file after a Read by the main agent
// that showed it whole, as it is now (D11). On anything else it records
// nothing; the tool has run, so there is nothing to block.
func (c call) read() {
	tool := moiraicore.Must(c.payload.Text(moiraicore.KeyTool))
	c.watchdog.NeverBlock()
	path, err := c.payload.Input(moiraicore.KeyFilePath)
	i, required := moiraicore.RequiredRead(path, c.scope.Root)
	shown, whole := c.payload.WholeRead()
	_, served := c.payload[moiraicore.KeyServer]
	if err != nil || tool != moiraicore.ToolRead || served || c.agent != moiraicore.MainAgent || !required || !whole {
		return
	}
	content, err := moiraicore.ReadFile(c.scope.Root + "/" + moiraicore.Required[i].Path)
	if err == nil && len(content) <= moiraicore.MaxRead && moiraicore.AsShown(content) == moiraicore.AsShown(shown) {
		// An error records nothing, and the next blocked call says what it is.
		_, _ = c.append(tool, c.viewer, func(l *moiraicore.Load) []moiraicore.Record { return l.EarnFile(i) })
	}
}
