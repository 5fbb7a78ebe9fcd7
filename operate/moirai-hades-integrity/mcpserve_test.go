package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"moirai/operate/wiring"
)

// TestMCPServeProcess: a running server is told from other processes of the client.
func TestMCPServeProcess(t *testing.T) {
	for line, want := range map[string]int{
		"/usr/bin/claude\x00mcp\x00serve\x00":                            1,
		"node\x00/opt/claude-code/cli.js\x00--debug\x00mcp\x00serve\x00": 1,
		"claude\x00mcp\x00list\x00":                                      0,
		"other\x00mcp\x00serve\x00":                                      0,
		"claude\x00-p\x00mcp serve\x00":                                  0,
		"":                                                               0,
	} {
		proc := t.TempDir()
		if err := os.Mkdir(filepath.Join(proc, "17"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(proc, "17/cmdline"), []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		alerts := mcpServeAlerts(wiring.Machine{Home: proc, ConfigDir: proc}, "", proc)
		if len(alerts) != want || want == 1 && !strings.HasPrefix(alerts[0].Detail, "process 17 ") {
			t.Errorf("%q: %v", line, alerts)
		}
	}
}
