package wiring

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"moirai/moiraicore"
)

// startNames are the commands that start a session (§4.2.2).
var startNames = []string{"start", "war-room-start"}

// startFiles are where a folder with commands and skills, .claude or a config
// folder, may have one of them.
func startFiles(folder string) []string {
	var all []string
	for _, name := range startNames {
		all = append(all, filepath.Join(folder, "commands", name+".md"), filepath.Join(folder, "skills", name, "SKILL.md"))
	}
	return all
}

// StartCommand is the file that gives this config folder a command that starts a
// session, wherever it works; empty if there is none.
func StartCommand(configDir string) string {
	for _, path := range startFiles(configDir) {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
}

// startless finds clients that know no command of the name start in the root: then
// the client answers /start with "Unknown command", no hook hears of it, and nothing opens the gate.
func startless(root string, clients []Client) []Finding {
	for dir := root; ; dir = filepath.Dir(dir) {
		if StartCommand(filepath.Join(dir, ".claude")) != "" {
			return nil
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	var found []Finding
	for _, c := range clients {
		if StartCommand(c.ConfigDir) == "" {
			found = append(found, finding(NoStart, "neither %s nor %s has a command or skill named %s: the client does not know /start there",
				filepath.Join(root, ".claude"), c.ConfigDir, strings.Join(startNames, " or ")))
		}
	}
	return found
}

// typesItself is what a SessionStart hook answers to have a prompt submitted.
const typesItself = "initialUserMessage"

// maxScript bounds what is read of a script or page.
const maxScript = 1 << 20

// autostarts finds files of the root and of the clients' folders that can type /start
// with nobody there (CLIENT-CONTRACT). Where only managed hooks run, hooks and hook modules of others do not.
func autostarts(root string, clients []Client) ([]Finding, error) {
	folders := []string{filepath.Join(root, ".claude")}
	managedOnly := len(clients) > 0
	var found []Finding
	for _, c := range clients {
		folders = append(folders, c.ConfigDir)
		only := false
		for _, s := range c.Sources {
			only = only || s.Tier == TierManaged && s.ManagedOnly
		}
		managedOnly = managedOnly && only
	}
	for _, folder := range folders {
		agents, err := initialPrompts(folder)
		if err != nil {
			return nil, err
		}
		found = append(found, agents...)
		if managedOnly {
			continue
		}
		for _, name := range []string{userSettings, "settings.local.json"} {
			found = append(found, typingHooks(filepath.Join(folder, name), root)...)
		}
		for _, pattern := range []string{"skills/*/hooks.json", "skills/*/hooks/hooks.json", "skills/*/.claude-plugin/plugin.json",
			"plugins/*/hooks/hooks.json", "plugins/cache/*/*/*/hooks/hooks.json", "plugins/marketplaces/*/plugins/*/hooks/hooks.json"} {
			paths, err := filepath.Glob(filepath.Join(escaped(folder), pattern))
			if err != nil {
				return nil, err
			}
			for _, path := range paths {
				found = append(found, typingHooks(path, root)...)
			}
		}
	}
	return found, nil
}

// escaped is a path as a pattern that matches only it.
func escaped(path string) string {
	return regexp.MustCompile(`[*?\[\\]`).ReplaceAllString(path, `\$0`)
}

// initialPrompts finds agents whose page makes the client submit a prompt.
func initialPrompts(folder string) ([]Finding, error) {
	var found []Finding
	for _, dir := range []string{"agents", "skills"} {
		err := filepath.WalkDir(filepath.Join(folder, dir), func(path string, d fs.DirEntry, err error) error {
			if absent(err) || err == nil && (d.IsDir() || filepath.Ext(path) != ".md") {
				return nil
			}
			if err != nil {
				return err
			}
			if hasKey(frontmatter(path), "initialPrompt") {
				found = append(found, finding(TypesAtStart, "%s: an agent with initialPrompt: the client submits it as if a person had typed it", path))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// frontmatter is what stands between the two lines of dashes at the top of a page.
func frontmatter(path string) string {
	text, err := readSmall(path)
	if err != nil {
		return ""
	}
	text = bytes.ReplaceAll(bytes.TrimPrefix(text, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	after, ok := strings.CutPrefix(string(text), "---\n")
	if !ok {
		return ""
	}
	head, _, _ := strings.Cut(after, "\n---")
	return head
}

func hasKey(yaml, key string) bool {
	return regexp.MustCompile(`(?m)^["']?` + key + `["']?[ \t]*:`).MatchString(yaml)
}

func readSmall(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxScript {
		return nil, fs.ErrInvalid
	}
	return os.ReadFile(path)
}

// typingHooks finds in a settings or plugin file hook modules, which may rewrite
// any prompt, and SessionStart hooks whose text, or whose script's, holds initialUserMessage.
func typingHooks(path, root string) []Finding {
	text, err := readSmall(path)
	var all map[string]any
	if err != nil || json.Unmarshal(text, &all) != nil {
		return nil // the client cannot read it either
	}
	hooks, _ := all["hooks"].(map[string]any)
	var found []Finding
	if all["modules"] != nil || hooks["modules"] != nil {
		found = append(found, finding(TypesAtStart, "%s: a hook module, which may rewrite what is typed to /start", path))
	}
	for _, group := range objects(hooks[moiraicore.SessionStart]) {
		for _, hook := range objects(group["hooks"]) {
			command, _ := hook["command"].(string)
			if where := typesIn(command, path, root); where != "" {
				found = append(found, finding(TypesAtStart, "%s: a SessionStart hook that can submit a prompt (%s holds %s)", path, where, typesItself))
			}
		}
	}
	return found
}

// typesIn says where initialUserMessage stands: in the command, or in a file that it names.
func typesIn(command, settings, root string) string {
	if strings.Contains(command, typesItself) {
		return "its command"
	}
	for _, word := range strings.Fields(command) {
		word = strings.Trim(word, `"';`)
		for _, name := range []string{"$CLAUDE_PROJECT_DIR", "${CLAUDE_PROJECT_DIR}"} {
			word = strings.ReplaceAll(word, name, root)
		}
		plugin := filepath.Dir(settings)
		if filepath.Base(plugin) == "hooks" {
			plugin = filepath.Dir(plugin)
		}
		word = strings.ReplaceAll(strings.ReplaceAll(word, `"`, ""), "${CLAUDE_PLUGIN_ROOT}", plugin)
		word = strings.ReplaceAll(strings.ReplaceAll(word, "${HOME}", "~"), "$HOME", "~")
		if rest, ok := strings.CutPrefix(word, "~/"); ok {
			word = filepath.Join(os.Getenv("HOME"), rest)
		}
		if !filepath.IsAbs(word) {
			word = filepath.Join(root, word)
		}
		if text, err := readSmall(word); err == nil && bytes.Contains(text, []byte(typesItself)) {
			return word
		}
	}
	return ""
}
