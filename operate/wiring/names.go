package wiring

import "fmt"

// Finding is one thing that is wrong with the wiring. The names are an
// interface: verify prints them, the probe alerts with them, docs/ALERTS.md
// explains them.
type Finding struct{ Name, Detail string }

func finding(name, format string, args ...any) Finding {
	return Finding{name, fmt.Sprintf(format, args...)}
}

// The names of findings.
const (
	HookMissing  = "hook_missing"           // gate or loader is not there
	HookMode     = "hook_mode"              // its mode is not exactly 0755
	HookWritable = "hook_writable"          // others can write it or replace it
	HookChecksum = "hook_checksum_mismatch" // it is not what install put there
	Malformed    = "wiring_settings_malformed"
	Missing      = "wiring_missing"
	Doubled      = "wiring_doubled"
	BadGuard     = "wiring_guard"
	HasTimeout   = "wiring_timeout"
	BadMatcher   = "wiring_matcher"
	BadForm      = "wiring_form"
	NoExec       = "wiring_exec_missing"
	BadEvent     = "wiring_event"
	NoProgram    = "wiring_program"
	PagesUnwired = "wiring_pages_unwired"
	NoPromptLoad = "wiring_prompt_load"
	Disabled     = "wiring_disabled"
	ManagedOnly  = "wiring_managed_only"
	Replaced     = "wiring_managed_replaced"
	Writable     = "wiring_managed_writable"
	EnvReaches   = "wiring_env"
	Rewrites     = "wiring_rewrites"
	RetiredFile  = "wiring_retired_file"
	RetiredHook  = "wiring_retired_hook"
	NoRoot       = "wiring_root"
	PagesNeeded  = "wiring_pages_needed"
	TypesStart   = "wiring_schedule"
	WorktreeOut  = "wiring_worktree"
	NoStart      = "wiring_start_command"
	TypesAtStart = "wiring_autostart"
)
