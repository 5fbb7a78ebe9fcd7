// The runtime need not read /proc and cgroups for a process this short.
//
//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0

// Command hades-gate is the gate of Moirai for Hades, wired on four events:
//
//   - UserPromptSubmit records a typed /start and never blocks it (D9);
//   - PreToolUse records the Skill start, lets exempt calls pass and blocks
//     every other call until all four markers stand (§4.2.2, D10–D12);
//   - PostToolUse records a required file that the main agent was shown whole,
//     and never blocks (D11);
//   - PreCompact voids the load that a compaction takes out of the context (D8).
//
// It exits 0 or 2. What passes is listed first and by name; everything else,
// and every error, is blocked.
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

func gate(w *moiraicore.Watchdog) error {
	payload, err := moiraicore.ReadPayload(os.Stdin)
	if err != nil {
		return err
	}
	cwd, err := payload.Cwd()
	if err != nil {
		return err
	}
	event, eventErr := payload.Text(moiraicore.KeyEvent)
	session, sessionErr := payload.Session()
	agent, agentErr := payload.Agent()
	c := call{payload, moiraicore.Locate(cwd), cwd, session, agent, w}
	err = cmp.Or(eventErr, sessionErr)
	if !c.scope.In && (err != nil || event != moiraicore.PreCompact) {
		return nil // out of scope: nothing is judged and nothing written
	}
	if !c.scope.In {
		return c.void()
	}
	if event != moiraicore.PreCompact {
		err = cmp.Or(err, agentErr)
	}
	if err != nil {
		return err
	}
	if err := moiraicore.CheckTokenDir(); err != nil {
		return err
	}
	switch event {
	case moiraicore.UserPromptSubmit:
		return c.prompt()
	case moiraicore.PreToolUse:
		return c.tool()
	case moiraicore.PostToolUse:
		return c.read()
	case moiraicore.PreCompact:
		return c.void()
	}
	return moiraicore.Fail("wire it as make wiring prints it", "%s is wired for an event that it does not know: %s", moiraicore.GateName, moiraicore.Quote(event))
}

// void appends LOAD_VOID if the session has a token file, whatever its cwd: it
// may have left the root since. If it cannot, exit 2 makes the client not
// compact. The watchdog stays armed: a void too many only keeps closed (D8).
func (c call) void() error {
	_, err := os.Lstat(moiraicore.TokenPath(c.session))
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	if err := moiraicore.CheckTokenDir(); err != nil {
		return err
	}
	return moiraicore.AppendToken(c.session, c.scope.Root, moiraicore.PreCompact, moiraicore.MainAgent, func() {}, (*moiraicore.Load).EarnVoid)
}

// prompt records a typed start. Once the prompt is judged it never blocks: a
// failure is said on stdout, and nothing is recorded (D9).
func (c call) prompt() error {
	prompt, err := c.payload.Text(moiraicore.KeyPrompt)
	if err != nil || !moiraicore.IsStartPrompt(prompt) {
		return err
	}
	c.watchdog.Spare()
	loaded := false
	err = c.append(moiraicore.UserPromptSubmit, func(l *moiraicore.Load) []moiraicore.Record {
		loaded = l.Loaded()
		return l.EarnStart()
	})
	if err != nil {
		moiraicore.NotRecorded(err)
	} else if !loaded {
		os.Stdout.WriteString(startedButNotLoaded)
	}
	return nil
}

// append records for this session, with the watchdog disarmed at the write.
func (c call) append(tool string, earn func(*moiraicore.Load) []moiraicore.Record) error {
	return moiraicore.AppendToken(c.session, c.scope.Root, tool, c.agent, c.watchdog.Disarm, earn)
}

// tool is the gate itself (§4.2.2): recorder, exempt, gate, in that order.
func (c call) tool() error {
	tool, err := c.payload.Text(moiraicore.KeyTool)
	if err != nil {
		return err
	}
	if passes, err := c.exempt(tool); err != nil || passes {
		return err
	}
	load, exists, err := moiraicore.ReadToken(c.session, c.scope.Root)
	if err != nil {
		return err
	}
	if load.Open() {
		moiraicore.Refresh(c.session)
		return nil
	}
	return c.block(tool, &load, exists)
}

// exempt tells whether a call passes without markers (§4.3, D10–D12). The Skill
// start is recorded on the way.
func (c call) exempt(tool string) (bool, error) {
	switch tool {
	case moiraicore.ToolSkill:
		skill, err := c.payload.Input(moiraicore.KeySkill)
		if err == nil && moiraicore.IsStartSkill(skill) {
			err = c.append(tool, (*moiraicore.Load).EarnStart)
		}
		return true, err
	case moiraicore.ToolRead:
		path, err := c.payload.Input(moiraicore.KeyFilePath)
		_, required := moiraicore.RequiredRead(path, c.scope.Root)
		return required || moiraicore.ExemptRead(path, c.cwd, c.scope.Root), err
	}
	return moiraicore.IsExemptTool(tool), nil
}

// read records the marker of a required file after a Read by the main agent
// that showed it whole, as it is now (D11). On anything else it records
// nothing; the tool has run, so there is nothing to block.
func (c call) read() error {
	c.watchdog.Spare()
	tool, toolErr := c.payload.Text(moiraicore.KeyTool)
	path, pathErr := c.payload.Input(moiraicore.KeyFilePath)
	i, required := moiraicore.RequiredRead(path, c.scope.Root)
	shown, whole := c.payload.WholeRead()
	if cmp.Or(toolErr, pathErr) != nil || tool != moiraicore.ToolRead || c.agent != moiraicore.MainAgent || !required || !whole || len(shown) > moiraicore.MaxRead {
		return toolErr
	}
	if content, err := moiraicore.ReadFile(path); err != nil || content != shown {
		return nil
	}
	// An error records nothing, and the next blocked call says what it is.
	_ = c.append(tool, func(l *moiraicore.Load) []moiraicore.Record { return l.EarnFile(i) })
	return nil
}
