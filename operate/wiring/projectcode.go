package wiring

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// shellKeys are the keys of settings whose value the client runs in a shell.
var shellKeys = []string{"apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh", "otelHeadersHelper", "statusLine", "subagentStatusLine", "fileSuggestion"}

// runsCode is shell code in a command or skill: the client runs it before the page is shown.
var runsCode = regexp.MustCompile("!`[^`]+`|(?m)^```!")

// ProjectCode lists what the project files of a root make the client run, whether
// a session has started or not: a hook, a server, a command for a key. None of it is a tool call, so
// the gate is not asked (THREAT-MODEL). Each line begins with the file.
func ProjectCode(root string) ([]string, error) {
	var notes []string
	for _, path := range []string{".claude/settings.json", ".claude/settings.local.json", ".mcp.json"} {
		text, err := readSmall(filepath.Join(root, path))
		var all map[string]any
		if err != nil || json.Unmarshal(text, &all) != nil {
			continue // none, or none that the client could read
		}
		notes = append(notes, settingsCode(path, all)...)
	}
	err := filepath.WalkDir(filepath.Join(root, ".claude"), func(path string, d fs.DirEntry, err error) error {
		if absent(err) {
			return nil
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil || d.IsDir() {
			if d.IsDir() && d.Name() == "worktrees" {
				return fs.SkipDir // roots of their own
			}
			return err
		}
		notes = append(notes, pageCode(path, name)...)
		return nil
	})
	return notes, err
}

func settingsCode(path string, all map[string]any) []string {
	var notes []string
	hooks, _ := all["hooks"].(map[string]any)
	for _, event := range slices.Sorted(maps.Keys(hooks)) {
		for _, group := range objects(hooks[event]) {
			for _, hook := range objects(group["hooks"]) {
				if _, isOurs := parseHook(hook, ""); !isOurs {
					notes = append(notes, fmt.Sprintf("%s: hook on %s: %v", path, event, hook["command"]))
				}
			}
		}
	}
	for _, key := range shellKeys {
		if value := all[key]; value != nil {
			if object, ok := value.(map[string]any); ok {
				value = object["command"]
			}
			notes = append(notes, fmt.Sprintf("%s: %s: %v", path, key, value))
		}
	}
	servers, _ := all["mcpServers"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		server, _ := servers[name].(map[string]any)
		for _, key := range []string{"command", "headersHelper"} {
			if server[key] != nil {
				notes = append(notes, fmt.Sprintf("%s: server %s: %v", path, name, server[key]))
			}
		}
	}
	return notes
}

// pageCode judges a file under .claude: a command, skill or agent, or a part of a plugin.
func pageCode(path, name string) []string {
	top, inside, _ := strings.Cut(strings.TrimPrefix(name, ".claude/"), "/")
	if inside == "" || !slices.Contains([]string{"commands", "skills", "agents", "plugins"}, top) {
		return nil
	}
	switch base := filepath.Base(path); {
	case base == "hooks.json" || base == "plugin.json" || base == ".mcp.json":
		return []string{name + ": part of a plugin, which can bring hooks, servers and modules"}
	case filepath.Ext(path) != ".md":
		return nil
	}
	var notes []string
	if hasKey(frontmatter(path), "hooks") {
		notes = append(notes, name+": hooks in its head")
	}
	if text, err := readSmall(path); err == nil {
		for _, code := range runsCode.FindAll(text, 3) {
			notes = append(notes, fmt.Sprintf("%s: shell code in the page: %.80s", name, code))
		}
	}
	return notes
}
