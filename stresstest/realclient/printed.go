package realclient

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// Wirings are the settings exactly as operate prints them.
type Wirings struct{ User, Managed []byte }

// Printed asks operate for both wirings. The managed one gets the hooks' folder of this run.
func Printed(hooks, scratch string) (Wirings, error) {
	var w Wirings
	for _, x := range []struct {
		command string
		to      *[]byte
	}{{"wiring", &w.User}, {"wiring-managed", &w.Managed}} {
		cmd := exec.Command(filepath.Join(hooks, "operate"), x.command)
		cmd.Env = []string{"HOME=" + scratch, "PATH=/usr/bin:/bin"}
		out, err := cmd.Output()
		if err != nil {
			return w, fmt.Errorf("operate %s: %w", x.command, err)
		}
		*x.to = out
	}
	if !strings.Contains(string(w.Managed), InstalledManaged+"/") {
		return w, fmt.Errorf("operate wiring-managed names nothing in %s", InstalledManaged)
	}
	w.Managed = []byte(strings.ReplaceAll(string(w.Managed), InstalledManaged, hooks))
	return w, nil
}
