package main

import (
	"fmt"
	"strings"
	"unicode"

	"moirai/operate/wiring"
)

// alert is one thing that is wrong, in the form of the wiring findings that the
// probe reports as they are.
type alert wiring.Finding

func alarm(name, format string, args ...any) alert {
	return alert{name, fmt.Sprintf(format, args...)}
}

// The names of alerts, beside those of operate/wiring/names.go (§7).
const (
	dirMissing   = "token_dir_missing"
	dirNoDir     = "token_dir_not_directory"
	dirForeign   = "token_dir_foreign"       // it is not ours
	dirMode      = "token_dir_mode"          // we cannot write it, or others can
	stale        = "stale_session_tokens_7d" // a hint to clean up
	unparseable  = "unparseable_marker"      // a line that is no record: the gate is closed on it
	tokenRefused = "token_refused"           // a token file that the gate does not believe
	putAside     = "token_put_aside"         // a token file that a hook took out of its place
	overAlerts   = "stale_session_alerts"    // alerts of sessions that are over, once a day
	orphan       = "orphan_marker"           // a record that no hook of ours would write (§4.5)
	startNoLoad  = "start_without_load"      // /start, and in an hour no load
	mcpServe     = "ungated_mcp_serve"       // a server that runs tools past every hook
	ungated      = "ungated_session"         // a session that the hooks never saw
)

// oneLine keeps an alert on one line, whatever a path holds.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '�'
		}
		return r
	}, s)
}
