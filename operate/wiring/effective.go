package wiring

import (
	"fmt"
	"slices"
	"strings"

	"moirai/moiraicore"
)

// Client is what one client of this user reads: the settings of one config
// folder under those of the machine, and of a constellation if one was given.
type Client struct {
	ConfigDir string
	Sources   []*Source
}

func readClient(m Machine, configDir, root string) (Client, error) {
	managed, err := managedSources(configDir, m.Home)
	if err != nil {
		return Client{}, err
	}
	others, err := otherSources(configDir, root, m.Home)
	return Client{configDir, append(managed, others...)}, err
}

// hooks lists our hooks of the sources that in accepts.
func (c Client) hooks(in func(*Source) bool) []Hook {
	var all []Hook
	for _, s := range c.Sources {
		if in(s) {
			all = append(all, s.Hooks...)
		}
	}
	return all
}

// inForce tells which sources' hooks the client runs. disableAllHooks below the
// managed tier leaves managed hooks alone (CLIENT-CONTRACT).
func (c Client) inForce() func(*Source) bool {
	managedOff, othersOff := false, false
	for _, s := range c.Sources {
		managedOff = managedOff || s.Tier == TierManaged && s.DisableAll
		othersOff = othersOff || s.DisableAll || s.Tier == TierManaged && s.ManagedOnly
	}
	return func(s *Source) bool {
		if s.Tier == TierManaged {
			return !managedOff
		}
		return !othersOff
	}
}

// Hooks lists our hooks that this client runs.
func (c Client) Hooks() []Hook { return c.hooks(c.inForce()) }

// findings judges what this client runs.
func (c Client) findings() []Finding {
	found := c.sourceFaults()
	hooks := c.Hooks()
	if all := c.hooks(func(*Source) bool { return true }); len(unwired(hooks)) > len(unwired(all)) {
		// Wired, and switched off: that is the one thing to say.
		found = append(found, c.switchedOff()...)
		hooks = all
	}
	if events := unwired(hooks); events != nil {
		found = append(found, finding(Missing, "%s: no hook of ours for %s", c.ConfigDir, strings.Join(events, ", ")))
	}
	for _, h := range hooks {
		found = append(found, h.faults()...)
	}
	found = append(found, execFaults(hooks)...)
	found = append(found, c.doubled(hooks)...)
	for _, event := range [...]string{moiraicore.SessionStart, moiraicore.UserPromptSubmit} {
		if gaps := pageGaps(hooks, event); gaps != "" {
			found = append(found, finding(PagesUnwired, "%s: %s", c.ConfigDir, gaps))
		}
	}
	if loads(hooks, moiraicore.SessionStart) && !loads(hooks, moiraicore.UserPromptSubmit) {
		found = append(found, finding(NoPromptLoad, "%s: no loader for UserPromptSubmit: after a compaction or a resume the session is blocked until the rule files are read, at every prompt again", c.ConfigDir))
	}
	return append(found, c.envFaults(hooks)...)
}

// sourceFaults judges the files as such.
func (c Client) sourceFaults() []Finding {
	var found []Finding
	localHooks, remoteHooks := false, false
	replacing := profiles()
	for _, s := range c.Sources {
		if s.malformed != nil {
			found = append(found, finding(Malformed, "%s: the client ignores a file that it cannot parse: %v", s.Path, s.malformed))
		}
		for _, w := range s.Retired {
			found = append(found, finding(RetiredHook, "%s: %s: take it out (RETIREMENT.md): %s", s.Path, w.Event, w.Command))
		}
		for _, w := range s.Rewrites {
			found = append(found, finding(Rewrites, "%s: %s: names %s, so what a Read shows the model may be another text than the one that the markers stand for: %s", s.Path, w.Event, rewritesKey, w.Command))
		}
		if s.Remote {
			replacing = append(replacing, s.Path)
			remoteHooks = len(s.Hooks) > 0
		} else if s.Tier == TierManaged && len(s.Hooks) > 0 {
			localHooks = true
			found = append(found, s.rootFaults()...)
		}
	}
	if localHooks && !remoteHooks {
		for _, path := range replacing {
			found = append(found, finding(Replaced, "%s: an organisation's settings may replace %s without a warning; put the hooks there too", path, ManagedSettings))
		}
	}
	return found
}

// rootFaults tells whether somebody other than root can change a managed file
// or a program that it wires.
func (s *Source) rootFaults() []Finding {
	paths := []string{s.Path}
	for _, h := range s.Hooks {
		if h.Program != "" && !slices.Contains(paths, h.Program) {
			paths = append(paths, h.Program)
		}
	}
	var found []Finding
	for _, path := range paths {
		if err := OnlyRoot(path); err != nil {
			found = append(found, finding(Writable, "%s is not root's alone: %v", path, err))
		}
	}
	return found
}

func (c Client) switchedOff() []Finding {
	var found []Finding
	for _, s := range c.Sources {
		if s.DisableAll {
			found = append(found, finding(Disabled, "%s: disableAllHooks switches our hooks off", s.Path))
		}
		if s.Tier == TierManaged && s.ManagedOnly {
			found = append(found, finding(ManagedOnly, "%s: allowManagedHooksOnly switches off our hooks in user settings; install them managed", s.Path))
		}
	}
	return found
}

// unwired lists the events for which there is no hook that serves them. In user
// settings alone PreSkillShell may be missing.
func unwired(hooks []Hook) []string {
	var missing []string
	isManaged := slices.ContainsFunc(hooks, func(h Hook) bool { return h.Source.Tier == TierManaged })
	for _, event := range Events {
		if event == PreSkillShell && !isManaged {
			continue
		}
		if !slices.ContainsFunc(hooks, func(h Hook) bool {
			return h.Event == event && h.serves() && (h.Name == moiraicore.GateName || event == moiraicore.SessionStart)
		}) {
			missing = append(missing, event)
		}
	}
	return missing
}

// loads tells whether a loader is wired on the event.
func loads(hooks []Hook, event string) bool {
	return slices.ContainsFunc(hooks, func(h Hook) bool { return h.Event == event && h.Name == moiraicore.LoaderName })
}

// doubled finds what would run twice for one event. Only the same text twice
// does the client run once. Two sets of loaders that run at once after a
// compaction can void what the other has just loaded (D8), so one must go.
func (c Client) doubled(hooks []Hook) []Finding {
	var found []Finding
	first := map[string]Hook{}
	for _, h := range hooks {
		if !h.serves() {
			continue
		}
		key := h.Event
		if h.Exec && guarded(h.Event) { // beside the shell form, for the guard
			key += " in exec form"
		}
		if h.Name == moiraicore.LoaderName {
			k, n, _ := h.Page()
			key = fmt.Sprintf("%s page %d/%d", key, k, n)
		}
		if f, twice := first[key]; twice && !inPlaceOf(f, h) {
			found = append(found, finding(Doubled, "%s: %s in %s and again in %s; %s", c.ConfigDir, key, f.Source.Path, h.Source.Path, keepOne(f, h)))
			continue
		}
		first[key] = h
	}
	return found
}

// inPlaceOf tells whether one is the other as a server sends it, in the place of
// the local file: what the finding Replaced asks for.
func inPlaceOf(first, again Hook) bool {
	return first.Source.Tier == TierManaged && again.Source.Remote && first.Wire() == again.Wire()
}

// keepOne says which of two hooks goes: managed ones are first in the order of
// sources and cannot be switched off.
func keepOne(first, again Hook) string {
	if first.Source.Tier == TierManaged && again.Source.Tier != TierManaged {
		return "take it out of the latter"
	}
	return "keep one"
}
