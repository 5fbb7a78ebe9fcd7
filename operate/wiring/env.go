package wiring

import (
	"maps"
	"slices"
	"strings"
)

// pinned lists the environment variables that the drop-in sets to empty (D15):
// those that reach the shell that runs a hook, before the hook (CLIENT-CONTRACT), and
// those that Go's runtime obeys before our first line: with very many processors it
// starts for minutes, and with crash it dies one thread each five seconds, while the
// client stops waiting.
var pinned = slices.Concat([]string{"CLAUDE_CODE_SHELL_PREFIX"}, linkerPins, []string{"GOMAXPROCS", "GOTRACEBACK"})

// unpinned lists what reaches every install and is not pinned. A bash that finds
// SHELLOPTS in its environment, even empty, hands its own options on to every bash
// below it: a pin would change what commands do in all sessions of the machine. It
// silences the guard; what stands in exec form it does not reach. BUN_OPTIONS runs
// code in each client that this one starts, but whoever can set it there can
// start one with it.
var unpinned = [...]string{"SHELLOPTS", "BUN_OPTIONS"}

// switches lists the environment variables that switch all but managed hooks
// off, or make the client read other settings than the user's (CLIENT-CONTRACT). They
// count in user settings as well as in the environment, and not in a project's.
var switches = [...]string{"CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_USE_COWORK_PLUGINS"}

// envFaults finds environment variables in settings that act before the hook's
// first line, or that switch it off.
func (c Client) envFaults(hooks []Hook) []Finding {
	isManaged := func(h Hook) bool { return h.Source.Tier == TierManaged && !h.Source.Remote }
	isOther := func(h Hook) bool { return h.Source.Tier != TierManaged }
	var found []Finding
	for _, name := range c.reaching(slices.ContainsFunc(hooks, isOther)) {
		setBy, isPinned := c.env(name)
		if setBy != "" {
			found = append(found, finding(EnvReaches, "%s: sets %s, which acts before the hook does and can answer in its place, or keep it from answering", setBy, name))
		} else if !isPinned && slices.Contains(pinned, name) && slices.ContainsFunc(hooks, isManaged) {
			found = append(found, finding(EnvReaches, "%s: nothing pins %s to empty; the drop-in of make install-managed does", ManagedSettings, name))
		}
	}
	for _, name := range switches {
		for _, s := range c.Sources {
			if value := s.Env[name]; s.Tier == TierUser && value != nil && value != "" && slices.ContainsFunc(hooks, isOther) {
				found = append(found, finding(EnvReaches, "%s: sets %s, which switches our hooks off", s.Path, name))
			}
		}
	}
	return found
}

// reaching lists the names to look at: those pinned and unpinned, and of the
// others in settings what leads a shell, where hooks have no entry without one, and
// what the linker reads, where it links our programs too.
func (c Client) reaching(throughShell bool) []string {
	names := append(slices.Clone(pinned), unpinned[:]...)
	for _, s := range c.Sources {
		for _, name := range slices.Sorted(maps.Keys(s.Env)) {
			reaches := throughShell && leadsShell(name) || linkerReachesUs && strings.HasPrefix(name, "DYLD_")
			if reaches && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// leadsShell tells whether a shell obeys the variable before the hook, as some
// shell does in some mode: by the linker, by a function in the place of a command,
// by a file or code that it runs first, or by where $HOME in the command leads.
func leadsShell(name string) bool {
	for _, prefix := range []string{"LD_", "DYLD_", "BASH_FUNC_", "__BASH_FUNC<"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return slices.Contains([]string{"BASH_ENV", "ENV", "BASHOPTS", "PS4", "HOME"}, name)
}

// env returns the file that gives a variable a value, and whether the managed
// tier, which outranks all others, sets it to empty.
func (c Client) env(name string) (setBy string, isPinned bool) {
	for _, s := range c.Sources { // managed ones first
		value, ok := s.Env[name]
		if !ok || isPinned && s.Tier != TierManaged {
			continue
		}
		if value != "" {
			return s.Path, false
		}
		isPinned = isPinned || s.Tier == TierManaged
	}
	return "", isPinned
}
