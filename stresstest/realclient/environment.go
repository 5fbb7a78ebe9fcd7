package realclient

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// ScriptedKey is the key of every session. It is a word: no real one is ever read.
const ScriptedKey = "scripted-no-real-key"

// Path is where a session looks for programs.
const Path = "/usr/local/bin:/usr/bin:/bin"

// PrintMode are the arguments of a session that is driven by stream-json.
var PrintMode = []string{"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"}

// Quiet keeps the client from asking anything but the model.
var Quiet = []string{"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1"}

// Environment is built from nothing: these are the only variables that a session is started
// with, beside more. It refuses whatever could reach a real home, a real key or another host.
func Environment(scratch, home, model string, more ...string) ([]string, error) {
	env := append([]string{
		"HOME=" + home, "PATH=" + Path,
		"ANTHROPIC_API_KEY=" + ScriptedKey, "ANTHROPIC_BASE_URL=" + model,
		"DISABLE_AUTOUPDATER=1", "IS_SANDBOX=1",
	}, more...)
	return env, checkEnvironment(env, scratch)
}

func checkEnvironment(env []string, scratch string) error {
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		ok := true
		switch {
		case name == "HOME", name == "CLAUDE_CONFIG_DIR":
			ok = strings.HasPrefix(filepath.Clean(value), scratch+"/")
		case name == "ANTHROPIC_API_KEY":
			ok = value == ScriptedKey
		case name == "ANTHROPIC_BASE_URL":
			u, err := url.Parse(value)
			ok = err == nil && u.Scheme == "http" && u.Hostname() == "127.0.0.1"
		case strings.Contains(name, "TOKEN"), strings.Contains(name, "KEY"), strings.Contains(name, "SECRET"), strings.HasSuffix(name, "_URL"):
			ok = false
		}
		if !ok {
			return fmt.Errorf("refusing to run a session with %s", e)
		}
	}
	return nil
}
