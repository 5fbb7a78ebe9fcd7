package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"moirai/operate/wiring"
)

// procDir is where Linux shows its processes. Elsewhere it is missing, and only
// the files are looked at.
const procDir = "/proc"

// mcpServeAlerts finds what runs "claude mcp serve", or starts it: that server runs
// the client's tools without any PreToolUse.
func mcpServeAlerts(m wiring.Machine, root, proc string) (alerts []alert) {
	files := []string{filepath.Join(m.Home, ".claude.json"), filepath.Join(m.ConfigDir, ".claude.json"), filepath.Join(m.ConfigDir, "settings.json")}
	if root != "" {
		for _, name := range []string{".mcp.json", ".claude/settings.json", ".claude/settings.local.json"} {
			files = append(files, filepath.Join(root, name))
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		var content any
		if err == nil && json.Unmarshal(text, &content) == nil && startsMCPServe(content) {
			alerts = append(alerts, alarm(mcpServe, "%s starts claude mcp serve: its tools run without the gate", file))
		}
	}
	lines, _ := filepath.Glob(filepath.Join(proc, "[0-9]*", "cmdline"))
	for _, path := range lines {
		text, err := os.ReadFile(path) // the process may have ended
		if err == nil && isMCPServe(strings.Split(strings.TrimRight(string(text), "\x00"), "\x00")) {
			alerts = append(alerts, alarm(mcpServe, "process %s is claude mcp serve: its tools run without the gate", filepath.Base(filepath.Dir(path))))
		}
	}
	return alerts
}

// startsMCPServe looks for a command anywhere in a settings file: one string, or a
// command and its args.
func startsMCPServe(content any) bool {
	switch v := content.(type) {
	case map[string]any:
		command, _ := v["command"].(string)
		words := strings.Fields(command)
		args, _ := v["args"].([]any)
		for _, arg := range args {
			text, _ := arg.(string)
			words = append(words, strings.Fields(text)...)
		}
		if isMCPServe(words) {
			return true
		}
		for _, inner := range v {
			if startsMCPServe(inner) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, startsMCPServe)
	}
	return false
}

// isMCPServe tells whether a command line names the client and later "mcp serve".
func isMCPServe(words []string) bool {
	client := slices.IndexFunc(words, func(word string) bool { return strings.Contains(word, "claude") })
	if client < 0 {
		return false
	}
	for i := client + 1; i+1 < len(words); i++ {
		if words[i] == "mcp" && words[i+1] == "serve" {
			return true
		}
	}
	return false
}
