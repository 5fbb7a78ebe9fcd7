package wiring

import (
	"maps"
	"slices"
	"strings"
)

// switches lists the environment variables that switch all but managed hooks
// off (CLIENT-CONTRACT), in user settings as well as in the environment.
var switches = [...]string{"CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"}

// envFaults finds environment variables in settings that act before the hook's
// first line, or that switch it off.
func (c Client) envFaults(hooks []Hook) []Finding {
	isManaged := func(h Hook) bool { return h.Source.Tier == TierManaged && !h.Source.Remote }
	isOther := func(h Hook) bool { return h.Source.Tier != TierManaged }
	var found []Finding
	for _, name := range c.linkerNames(slices.ContainsFunc(hooks, isOther)) {
		setBy, isPinned := c.env(name)
		if setBy != "" {
			found = append(found, finding(EnvReaches, "%s: sets %s, which acts before the hook does and can answer in its place, or keep it from answering", setBy, name))
		} else if !isPinned && slices.Contains(pinned[:], name) && slices.ContainsFunc(hooks, isManaged) {
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

// linkerNames lists the pinned names, and, where hooks have no second entry
// without a shell, every other name in settings that the dynamic linker reads.
func (c Client) linkerNames(unpinnedToo bool) []string {
	names := slices.Clone(pinned[:])
	for _, s := range c.Sources {
		for _, name := range slices.Sorted(maps.Keys(s.Env)) {
			isLinkers := strings.HasPrefix(name, "LD_") || strings.HasPrefix(name, "DYLD_")
			if unpinnedToo && isLinkers && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
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
