package wiring

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Tier is the rank of a settings file. The client runs the hooks of all tiers
// together; only the managed tier can switch others off for good, and cannot be
// switched off by them.
type Tier string

const (
	TierManaged Tier = "managed"
	TierUser    Tier = "user"
	TierProject Tier = "project"
	TierLocal   Tier = "local"
)

// Source is one settings file that a client reads.
type Source struct {
	Path        string
	Tier        Tier
	DisableAll  bool // disableAllHooks
	ManagedOnly bool // allowManagedHooksOnly
	Remote      bool // sent by a server, in the place of the local managed files
	Env         map[string]any
	Hooks       []Hook // ours
	Retired     []Wire // of the bash version (§8)
	Rewrites    []Wire // not ours: they replace what a Read shows

	empty     bool
	malformed error
}

// readSource reads one settings file; nil if it is not there. What the client
// cannot parse it ignores whole, so that is kept for a Finding. Any other error
// means that we could not look.
func readSource(path string, tier Tier, home string) (*Source, error) {
	text, err := os.ReadFile(path)
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	s := &Source{Path: path, Tier: tier}
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
	if len(text) == 0 {
		return s, nil
	}
	// A map keeps the keys as they are written: matching the fields of a struct,
	// encoding/json would take "DisableAllHooks" for "disableAllHooks".
	var all map[string]any
	if s.malformed = json.Unmarshal(text, &all); s.malformed != nil {
		return s, nil
	}
	s.DisableAll = all["disableAllHooks"] == true
	s.ManagedOnly = all["allowManagedHooksOnly"] == true
	s.Env, _ = all["env"].(map[string]any)
	s.empty = len(all) == 0
	events, _ := all["hooks"].(map[string]any)
	for _, event := range slices.Sorted(maps.Keys(events)) {
		for _, group := range objects(events[event]) {
			s.addGroup(event, group, home)
		}
	}
	return s, nil
}

func (s *Source) addGroup(event string, group map[string]any, home string) {
	matcher, _ := group["matcher"].(string)
	for _, keys := range objects(group["hooks"]) {
		command, _ := keys["command"].(string)
		if isRetired(command) {
			s.Retired = append(s.Retired, Wire{Event: event, Matcher: matcher, Command: command})
		}
		if h, ours := parseHook(keys, home); ours {
			h.Event, h.Matcher, h.Source = event, matcher, s
			s.Hooks = append(s.Hooks, h)
		} else if s.rewritesReads(event, matcher, command, home) {
			s.Rewrites = append(s.Rewrites, Wire{Event: event, Matcher: matcher, Command: command})
		}
	}
}

// objects returns the objects in a JSON array; anything else is skipped.
func objects(v any) []map[string]any {
	items, _ := v.([]any)
	var out []map[string]any
	for _, item := range items {
		if object, ok := item.(map[string]any); ok {
			out = append(out, object)
		}
	}
	return out
}

// managedSources reads the managed tier as configDir's client has it: the local
// file and its drop-ins in the order of their names, and what a server sent.
func managedSources(configDir, home string) ([]*Source, error) {
	paths := []string{filepath.Join(ManagedSettings, managedFile)}
	entries, err := os.ReadDir(filepath.Join(ManagedSettings, dropIns))
	if err != nil && !absent(err) {
		return nil, err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".json") && !strings.HasPrefix(e.Name(), ".") {
			paths = append(paths, filepath.Join(ManagedSettings, dropIns, e.Name()))
		}
	}
	var sources []*Source
	for _, path := range paths {
		if sources, err = addSource(sources, path, TierManaged, home); err != nil {
			return nil, err
		}
	}
	remote, err := readSource(filepath.Join(configDir, remoteSettings), TierManaged, home)
	if remote == nil || remote.empty {
		return sources, err
	}
	remote.Remote = true
	return append(sources, remote), err
}

// otherSources reads user, project and local settings. Root may be empty.
func otherSources(configDir, root, home string) (sources []*Source, err error) {
	sources, err = addSource(nil, filepath.Join(configDir, userSettings), TierUser, home)
	if err != nil || root == "" {
		return sources, err
	}
	// The home folder's .claude is user settings, not a project's.
	if filepath.Join(root, ".claude") != configDir {
		sources, err = addSource(sources, filepath.Join(root, ".claude", userSettings), TierProject, home)
	}
	if err == nil {
		sources, err = addSource(sources, filepath.Join(root, ".claude/settings.local.json"), TierLocal, home)
	}
	return sources, err
}

func addSource(sources []*Source, path string, tier Tier, home string) ([]*Source, error) {
	s, err := readSource(path, tier, home)
	if s != nil {
		sources = append(sources, s)
	}
	return sources, err
}
