package rig

import (
	_ "embed"
	"strings"
)

//go:embed testdata/tools.txt
var recordedTools string

// Tools lists the names of tools that the newest measured client knows. A row of
// the real client notices one that is missing here.
func Tools() []string {
	var names []string
	for line := range strings.Lines(recordedTools) {
		if name := strings.TrimSpace(line); name != "" && !strings.HasPrefix(name, "#") {
			names = append(names, name)
		}
	}
	return names
}
