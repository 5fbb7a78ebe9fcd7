package wiring

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// retired are the bash version's files in a config folder that must be gone (§8).
var retired = [...]string{
	"hooks/hades-session-start-gate.sh",
	"hooks/hades-start-prompt-marker.sh",
	"hooks/moirai/moirai-gate.sh",
	"hooks/moirai/constellations/hades.yaml",
}

var namesRetired = func() *regexp.Regexp {
	var names []string
	for _, path := range retired {
		names = append(names, regexp.QuoteMeta(filepath.Base(path)))
	}
	return regexp.MustCompile(`(^|[^A-Za-z0-9_-])(` + strings.Join(names, "|") + `)($|[^A-Za-z0-9_-])`)
}()

func isRetired(command string) bool { return namesRetired.MatchString(command) }

// retiredFiles finds the retired files of a config folder that are still there.
func retiredFiles(configDir string) ([]Finding, error) {
	var found []Finding
	for _, name := range retired {
		path := filepath.Join(configDir, name)
		if _, err := os.Lstat(path); err == nil {
			found = append(found, finding(RetiredFile, "%s: delete it (RETIREMENT.md)", path))
		} else if !absent(err) {
			return nil, err
		}
	}
	return found, nil
}
