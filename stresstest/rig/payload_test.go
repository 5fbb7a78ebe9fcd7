package rig

import (
	"os"
	"strings"
	"testing"
)

// The files in testdata hold what the real clients sent, one payload a line
// behind its label, with what differs from run to run replaced by the constants
// of this package; \n at the end stands for a newline that was sent. A builder
// that drifts from them would prove something about no client.
func TestPayloadsAreAsRecorded(t *testing.T) {
	for _, version := range Clients {
		recorded, err := os.ReadFile("testdata/" + string(version) + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		s := Session{ID: "SESSION", Cwd: "/srv/constellation-hades", Client: version}
		sub := s
		sub.Agent = "a7fc51fefd85ff99e"
		bash := map[string]any{"command": "echo hi", "description": "x"}
		subBash := map[string]any{"command": "echo sub", "description": "x"}
		subagent := map[string]any{"description": "d", "prompt": "SUBAGENTPROMPT", "subagent_type": "general-purpose"}
		built := map[string][]byte{
			"SessionStart startup": s.SessionStart("startup"),
			"SessionStart compact": s.SessionStart("compact"),
			"Prompt":               s.Prompt("/start"),
			"Bash":                 s.PreToolUse("Bash", bash),
			"Bash subagent":        sub.PreToolUse("Bash", subBash),
			"Read":                 s.Read("/srv/constellation-hades/CONTEXT.md"),
			"Skill":                s.Skill("start"),
			"Subagent":             s.PreToolUse(s.subagentTool(), subagent),
			"PostRead":             s.PostRead("/srv/constellation-hades/CONTEXT.md", "line1\nline2\n"),
			"PreCompact manual":    s.PreCompact("manual"),
		}
		for _, line := range strings.Split(strings.TrimSuffix(string(recorded), "\n"), "\n") {
			label, want, _ := strings.Cut(line, "\t")
			want = strings.ReplaceAll(want, "TRANSCRIPT", s.transcript())
			got := strings.ReplaceAll(string(built[label]), "\n", `\n`)
			if got != want {
				t.Errorf("%s, %s:\n got %s\nwant %s", version, label, got, want)
			}
		}
	}
}
