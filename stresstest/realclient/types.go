package realclient

import (
	"os"
	"path/filepath"
	"regexp"
)

var typedInput = regexp.MustCompile(`(?m)^export interface ([A-Za-z]+)Input\b`)

// typesOf lists the tools whose input the package declares, by the names there.
func typesOf(modules string) (names []string) {
	text, _ := os.ReadFile(filepath.Join(modules, clientPackage, "sdk-tools.d.ts"))
	for _, m := range typedInput.FindAllStringSubmatch(string(text), -1) {
		names = append(names, m[1])
	}
	return names
}
