package moiraicore

import "time"

// This file holds every rule literal of the gate. A reviewer can read it alone.

// The scope: a session is gated if a component of its resolved cwd has this
// name, without regard to case (D2).
const ScopeName = "constellation-hades"

// The token directory and the names in it (D3, §4.5).
const (
	TokenParent = "/tmp/moirai"
	TokenDir    = TokenParent + "/hades"
	TokenPrefix = "session-"
)

// Start is the marker of a conscious start (§4.2.2). The others tell what became of
// the main agent's context under the same session_id (D20): a new, empty one, an old
// one that goes on, one that was compacted (D8).
const (
	Start   = "START_ACK"
	New     = "CONTEXT_NEW"
	Resumed = "CONTEXT_RESUMED"
	Void    = "LOAD_VOID"
)

// Required are the files that a session must have been given, relative to
// HADES_ROOT, and the marker of each (§2, §4.2.1).
var Required = [...]struct{ Path, Marker string }{
	{"docs/book-of-hades/COMMANDMENTS.md", "COMMANDMENTS_ACK"},
	{"context/scope.md", "SCOPE_ACK"},
	{"CONTEXT.md", "CONTEXT_ACK"},
}

// What may set START_ACK (§4.2.2, D9, D10).
var (
	startCommands = [...]string{"/start", "/war-room-start"}
	startSkills   = [...]string{"start", "war-room-start"}

	// An expanded slash command begins with one of these tags; the second names it.
	commandTags = [...]string{"<command-message>", "<command-name>", "<command-args>"}

	// What an IDE puts ahead of what was typed.
	ideTags = [...]string{"ide_opened_file>", "ide_selection>"}
)

// spaces is what the client's language trims from a prompt.
const spaces = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

// What passes without markers (§4.3, D12), exact and case-sensitive.
var (
	exemptTools   = [...]string{"TaskCreate", "TaskUpdate", "TaskGet", "TaskList", "TaskStop", "TaskOutput"}
	exemptFiles   = [...]string{"CLAUDE.md", "MEMORY.md"}
	exemptSegment = "/memory/"
)

// Below these a path may be one file to us and another to the client: /dev/fd/3,
// /proc/self/cwd (D12).
const devDir, procDir = "/dev", "/proc"

// Tools that the gate looks into, and the names that records carry (§4.5).
const (
	ToolSkill = "Skill"
	ToolRead  = "Read"
	MainAgent = "main"
	atPrompt  = "@" // main@PROMPT_ID: the main agent, at that prompt alone (D24)
	NoPrompt  = MainAgent + atPrompt
)

// Events that are wired (§4.2, D8, D11).
const (
	SessionStart     = "SessionStart"
	UserPromptSubmit = "UserPromptSubmit"
	PreToolUse       = "PreToolUse"
	PreSkillShell    = "PreSkillShellCommand"
	PostToolUse      = "PostToolUse"
	PreCompact       = "PreCompact"
)

// The loader's argument; the marker of a receipt, which says that page K of M went
// out; and its path field, which names what is in all of them (D7).
const (
	pageArgument = "%d/%d"
	pageMarker   = "PAGE_%d_OF_%d"
	DigestPrefix = "sha256:"
	Digest       = DigestPrefix + "%x"
)

// The banners of a page, and how one FILE…END part of a file ends (D7).
const (
	headBanner = "===== MOIRAI (HADES) INJECTION BLOCK: page %d of %d (pages arrive in any order) =====\n"
	fileBanner = "----- FILE %s: bytes %d to %d of %d, path %s -----\n" // then the bytes
	endBanner  = "\n----- END %s: %s -----\n"                           // its first newline is no byte of the file
	complete   = "complete"
	continued  = "to be continued on page %d"
	footBanner = "===== END OF MOIRAI (HADES) INJECTION BLOCK: page %d of %d =====\n"
)

// contexts says what the source of a SessionStart does to the context; any other
// source, and none, begins an empty one (D20).
var contexts = map[string]string{"compact": Void, "resume": Resumed, "fork": Resumed}

// Payload keys that are judged, compared exactly (D1): of every event, of one or the
// other, and within tool_input and tool_response.
const (
	KeyCwd, KeySession, KeyAgent, KeyPromptID, KeyEvent = "cwd", "session_id", "agent_id", "prompt_id", "hook_event_name"

	KeySource, KeyPrompt, KeyTool, KeyServer, KeyInput, KeyResponse = "source", "prompt", "tool_name", "mcp_server", "tool_input", "tool_response"

	KeyFilePath, KeySkill, KeyFile, KeyContent = "file_path", "skill", "file", "content"

	KeyStartLine, KeyNumLines, KeyTotalLines = "startLine", "numLines", "totalLines"
)

// Names of the programs and of the page that the messages point at (D14).
const GateName, LoaderName, ReadmeName = "hades-gate", "hades-session-load", "README.md"

// What session_id and agent_id are made of (D1).
const idCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"

// tooDeep is in the decoder's error about a value that is nested over 10,000 deep (D23).
const tooDeep = "exceeded max depth"

// Limits.
const (
	MaxPayload  = 128 << 20              // bytes of stdin (D1)
	MaxID       = 128                    // characters of session_id and agent_id (D1)
	MaxPath     = 4096                   // bytes of a path: what a kernel takes
	MaxToken    = 1 << 20                // bytes of a token file (D4)
	MaxRequired = 64 << 20               // bytes of one required file: more than any pages carry, and read in time
	MaxRead     = 25_000                 // bytes of a file that a Read can prove (D11)
	PageUnits   = 10_000                 // UTF-16 code units of one page (D7)
	MaxPages    = 64                     // pages that can be wired (D7)
	LockWait    = 2 * time.Second        // for the lock of a token file (D4)
	LockPoll    = time.Millisecond       // between two tries
	Watch       = 5 * time.Second        // a hook ends by then (D13)
	WatchGrace  = 500 * time.Millisecond // for a message that nobody reads (D13)
	KeepAlive   = 12 * time.Hour         // a token older than this is refreshed (D18)
	MaxQuoted   = 200                    // bytes of a payload string in a message (D14)
	maxTried    = 10                     // directories listed in a message, outermost first (D2)
	maxLinks    = 255                    // links followed: more than any kernel follows (D2)
)
