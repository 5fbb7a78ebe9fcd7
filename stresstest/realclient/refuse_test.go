package realclient

import "testing"

// A session must never be started with a real home, a real key or another host.
func TestCheckEnvironmentRefuses(t *testing.T) {
	const scratch = "/tmp/scratch"
	good := []string{"HOME=/tmp/scratch/w/home", "PATH=/bin", "ANTHROPIC_API_KEY=" + ScriptedKey, "ANTHROPIC_BASE_URL=http://127.0.0.1:1"}
	if err := checkEnvironment(good, scratch); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{
		"HOME=/home/operator", "HOME=/tmp/scratchy/home", "HOME=/tmp/scratch/../operator", "HOME=",
		"CLAUDE_CONFIG_DIR=/home/operator/.claude", "ANTHROPIC_API_KEY=another", "ANTHROPIC_BASE_URL=https://api.anthropic.com",
		"ANTHROPIC_BASE_URL=http://127.0.0.1:1@example.invalid", "CLAUDE_CODE_OAUTH_TOKEN=x", "ANTHROPIC_AUTH_TOKEN=x", "AWS_SECRET_ACCESS_KEY=x",
	} {
		if checkEnvironment(append(good[:len(good):len(good)], bad), scratch) == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}
