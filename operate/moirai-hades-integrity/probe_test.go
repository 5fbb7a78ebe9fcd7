package main_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"moirai/moiraicore"
	"moirai/operate/trial"
	"moirai/operate/wiring"
	"moirai/stresstest/rig"
)

func TestMain(m *testing.M) { trial.Main(m) }

const digest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// fresh is a machine with the hooks installed and wired and one session open,
// on which the probe finds nothing.
func fresh(t testing.TB) *trial.Trial {
	tr := trial.New(t)
	tr.Wire()
	s := rig.Session{ID: "open", Cwd: tr.Root}
	hook(tr, "hades-session-load", s.SessionStart("startup"), "1/4")
	hook(tr, "hades-gate", s.Prompt("/start"))
	return tr
}

// hook runs an installed hook and wants exit 0.
func hook(tr *trial.Trial, program string, payload []byte, args ...string) {
	tr.Helper()
	path := filepath.Join(tr.Home, ".local/libexec/moirai", program)
	if res := tr.Play(rig.Command{Path: path, Args: args, Stdin: payload}); res.Code != 0 {
		tr.Fatalf("%s: exit %d: %s", program, res.Code, res.Stderr)
	}
}

// probe runs the installed probe.
func probe(tr *trial.Trial) rig.Result {
	tr.Helper()
	return tr.Run(filepath.Join(tr.Root, "cerberus/probes/moirai-hades-integrity.sh"))
}

// wantAlerts wants these alerts and no others, one line each, and a summary.
func wantAlerts(tr *trial.Trial, want ...string) rig.Result {
	tr.Helper()
	res := probe(tr)
	alerts := trial.Marked(res.Stdout, "ALERT")
	lines := strings.Split(strings.TrimSuffix(res.Stdout, "\n"), "\n")
	names := slices.Compact(slices.Sorted(slices.Values(alerts)))
	slices.Sort(want)
	if !slices.Equal(names, want) || len(lines) != len(alerts)+1 || !strings.HasPrefix(lines[len(lines)-1], fmt.Sprintf("moirai-hades-integrity: %d alerts", len(alerts))) {
		tr.Errorf("alerts %v, not %v\n%s%s", names, want, res.Stdout, res.Stderr)
	}
	if res.Code != min(1, len(alerts)) {
		tr.Errorf("%d alerts and exit %d", len(alerts), res.Code)
	}
	return res
}

// installed is the path of an installed program.
func installed(tr *trial.Trial, name string) string {
	return filepath.Join(tr.Home, ".local/libexec/moirai", name)
}

// token writes the token file of a session as given, with LINE's @N replaced by
// the time N seconds ago and ROOT by the root.
func token(tr *trial.Trial, session string, lines ...string) string {
	tr.Helper()
	var b strings.Builder
	for _, line := range lines {
		at, rest, ok := strings.Cut(line, " ")
		var ago int64
		if _, err := fmt.Sscanf(at, "@%d", &ago); err == nil && ok {
			line = fmt.Sprint(time.Now().Unix()-ago) + " " + rest
		}
		b.WriteString(strings.ReplaceAll(line, "ROOT", tr.Root) + "\n")
	}
	path := moiraicore.TokenPath(session)
	tr.Write(path, b.String())
	tr.Must(os.Chmod(path, 0o600))
	return path
}

// sound are the records of a session of one page.
var sound = []string{
	"@30 COMMANDMENTS_ACK SessionStart main ROOT/docs/book-of-hades/COMMANDMENTS.md",
	"@30 SCOPE_ACK SessionStart main ROOT/context/scope.md",
	"@30 CONTEXT_ACK SessionStart main ROOT/CONTEXT.md",
	"@20 START_ACK UserPromptSubmit main",
}

func with(i int, line string) []string {
	lines := slices.Clone(sound)
	lines[i] = line
	return lines
}

// breaks are the ways to break things, one at a time, and the alerts that each
// must give. What else could say so is named too.
var breaks = []struct {
	want, what string
	breakIt    func(tr *trial.Trial)
}{
	{"hook_missing wiring_program", "the gate deleted", func(tr *trial.Trial) {
		tr.Must(os.Remove(installed(tr, "hades-gate")))
	}},
	{"hook_mode", "the gate 0700", func(tr *trial.Trial) { tr.Must(os.Chmod(installed(tr, "hades-gate"), 0o700)) }},
	{"hook_mode wiring_program", "the loader 0644", func(tr *trial.Trial) {
		tr.Must(os.Chmod(installed(tr, "hades-session-load"), 0o644))
	}},
	{"hook_mode hook_writable", "the gate 0775", func(tr *trial.Trial) { tr.Must(os.Chmod(installed(tr, "hades-gate"), 0o775)) }},
	{"hook_mode", "the gate set-uid", func(tr *trial.Trial) { tr.Must(os.Chmod(installed(tr, "hades-gate"), 0o755|os.ModeSetuid)) }},
	{"hook_writable", "a folder on the way that others can write", func(tr *trial.Trial) {
		tr.Must(os.Chmod(filepath.Join(tr.Home, ".local"), 0o777))
	}},
	{"hook_writable", "a gate of another user", func(tr *trial.Trial) {
		tr.NeedManaged() // that is, root
		tr.Must(os.Chown(installed(tr, "hades-gate"), 1234, 1234))
	}},
	{"hook_checksum_mismatch", "one byte more", func(tr *trial.Trial) {
		path := installed(tr, "hades-session-load")
		text, err := os.ReadFile(path)
		tr.Must(err)
		tr.Must(os.WriteFile(path, append(text, 0), 0o755))
	}},
	{"hook_checksum_mismatch", "a wired program that nobody installed", func(tr *trial.Trial) {
		text, err := os.ReadFile(installed(tr, "hades-gate"))
		tr.Must(err)
		path := filepath.Join(tr.Home, "elsewhere/hades-gate")
		tr.Write(path, string(text))
		tr.Must(os.Chmod(path, 0o755))
		tr.EditJSON(tr.Settings(), func(s map[string]any) {
			trial.Hook(s, "UserPromptSubmit", 0)["command"] = wiring.Quote(path, tr.Home)
		})
	}},
	{"hook_checksum_mismatch", "the record lost", func(tr *trial.Trial) { tr.Must(os.Remove(installed(tr, "INSTALLED"))) }},

	{"token_dir_missing", "the directory gone", func(tr *trial.Trial) { tr.Must(os.RemoveAll(moiraicore.TokenDir)) }},
	{"token_dir_missing", "its parent gone", func(tr *trial.Trial) { tr.Must(os.RemoveAll(moiraicore.TokenParent)) }},
	{"token_dir_not_directory", "a file", func(tr *trial.Trial) {
		tr.Must(os.RemoveAll(moiraicore.TokenDir))
		tr.Write(moiraicore.TokenDir, "")
	}},
	{"token_dir_not_directory", "a link", func(tr *trial.Trial) {
		tr.Must(os.Rename(moiraicore.TokenDir, moiraicore.TokenParent+"/real"))
		tr.Must(os.Symlink("real", moiraicore.TokenDir))
	}},
	{"token_dir_foreign", "another's", func(tr *trial.Trial) {
		tr.NeedManaged() // that is, root
		tr.Must(os.Chown(moiraicore.TokenParent, 0, 0))
		tr.Must(os.Chmod(moiraicore.TokenParent, 0o755))
	}},
	{"token_dir_mode", "open to all", func(tr *trial.Trial) { tr.Must(os.Chmod(moiraicore.TokenDir, 0o777)) }},
	{"token_dir_mode", "read-only", func(tr *trial.Trial) { tr.Must(os.Chmod(moiraicore.TokenDir, 0o500)) }},

	{"stale_session_tokens_7d", "a token of eight days ago", func(tr *trial.Trial) {
		old := time.Now().Add(-8 * 24 * time.Hour)
		path := token(tr, "old", replaceAll(sound, "@", "@6912")...)
		tr.Must(os.Chtimes(path, old, old))
	}},
	{"unparseable_marker", "a word", func(tr *trial.Trial) { token(tr, "bad", append(slices.Clone(sound), "nonsense")...) }},
	{"unparseable_marker", "a blank line", func(tr *trial.Trial) { token(tr, "bad", append(slices.Clone(sound), "")...) }},
	{"unparseable_marker", "a control character", func(tr *trial.Trial) {
		token(tr, "bad", with(2, "@30 CONTEXT_ACK SessionStart main ROOT/\tCONTEXT.md")...)
	}},
	{"token_refused", "a token that others can write", func(tr *trial.Trial) {
		tr.Must(os.Chmod(token(tr, "bad", sound...), 0o666))
	}},
	{"token_refused", "another's token", func(tr *trial.Trial) {
		tr.NeedManaged() // that is, root
		path := token(tr, "bad", sound...)
		tr.Must(os.Chmod(path, 0o644))
		tr.Must(os.Chown(path, 1234, 1234))
	}},
	{"token_refused", "a token of over a megabyte", func(tr *trial.Trial) {
		token(tr, "bad", slices.Concat(sound, slices.Repeat([]string{"@20 START_ACK Skill main"}, 50_000))...)
	}},
	{"token_refused", "a link", func(tr *trial.Trial) { tr.Must(os.Symlink("session-open", moiraicore.TokenPath("bad"))) }},
	{"token_refused", "a folder", func(tr *trial.Trial) {
		tr.Must(os.Mkdir(moiraicore.TokenPath("bad"), 0o700))
		tr.Own(moiraicore.TokenPath("bad"))
	}},
	{"token_refused", "a FIFO", func(tr *trial.Trial) {
		tr.Must(syscall.Mkfifo(moiraicore.TokenPath("bad"), 0o600))
		tr.Own(moiraicore.TokenPath("bad"))
	}},
	{"token_refused", "a hard link", func(tr *trial.Trial) {
		tr.Must(os.Link(token(tr, "bad", sound...), moiraicore.TokenParent+"/other name"))
	}},
	{"token_refused", "an empty one, not just made", func(tr *trial.Trial) {
		path, old := token(tr, "bad"), time.Now().Add(-time.Hour)
		tr.Must(os.Chtimes(path, old, old))
	}},

	{"orphan_marker", "a marker by another tool", orphan(with(0, "@30 COMMANDMENTS_ACK Bash main ROOT/docs/book-of-hades/COMMANDMENTS.md")...)},
	{"orphan_marker", "a Read by a subagent", orphan(with(1, "@30 SCOPE_ACK Read agent-1 ROOT/context/scope.md")...)},
	{"orphan_marker", "a load by a subagent", orphan(with(1, "@30 SCOPE_ACK SessionStart agent-1 ROOT/context/scope.md")...)},
	{"orphan_marker", "a marker with another's path", orphan(with(1, "@30 SCOPE_ACK SessionStart main ROOT/CONTEXT.md")...)},
	{"orphan_marker", "a marker with a path under no constellation", orphan(with(2, "@30 CONTEXT_ACK SessionStart main /srv/elsewhere/CONTEXT.md")...)},
	{"orphan_marker", "a marker with a path that is not clean", orphan(with(2, "@30 CONTEXT_ACK SessionStart main ROOT/../constellation-hades/CONTEXT.md")...)},
	{"orphan_marker", "a marker without a path", orphan(with(2, "@30 CONTEXT_ACK SessionStart main")...)},
	{"orphan_marker", "a start by the loader", orphan(with(3, "@20 START_ACK SessionStart main")...)},
	{"orphan_marker", "a start with a path", orphan(with(3, "@20 START_ACK Skill main ROOT/CONTEXT.md")...)},
	{"orphan_marker", "a void by a tool", orphan(with(3, "@20 LOAD_VOID Bash main")...)},
	{"orphan_marker", "a void by a subagent", orphan(with(3, "@20 LOAD_VOID PreCompact agent-1")...)},
	{"orphan_marker", "a receipt by Read", orphan(with(3, "@20 PAGE_1_OF_2 Read main "+digest)...)},
	{"orphan_marker", "a receipt without a digest", orphan(with(3, "@20 PAGE_1_OF_2 SessionStart main ROOT/CONTEXT.md")...)},
	{"orphan_marker", "a receipt of no page", orphan(with(3, "@20 PAGE_3_OF_2 SessionStart main "+digest)...)},
	{"orphan_marker", "a marker that no hook knows", orphan(with(3, "@20 ALL_ACK SessionStart main ROOT/CONTEXT.md")...)},
	{"orphan_marker", "a time before that of the line above", orphan(with(3, "@90 START_ACK UserPromptSubmit main")...)},
	{"orphan_marker", "a time in the future", orphan(with(3, "@-90 START_ACK UserPromptSubmit main")...)},
	{"orphan_marker", "a completion in one write with a page missing", orphan(slices.Concat(
		[]string{"@30 PAGE_1_OF_3 SessionStart main " + digest, "@30 PAGE_3_OF_3 SessionStart main " + digest}, sound)...)},
	{"orphan_marker", "a completion whose receipts are of two contents", orphan(slices.Concat(
		[]string{"@30 PAGE_1_OF_2 SessionStart main " + digest, "@30 PAGE_2_OF_2 SessionStart main " + strings.Replace(digest, "0", "1", 1)}, sound)...)},
	{"orphan_marker", "a completion whose receipts a compaction voided", orphan(slices.Concat(
		[]string{"@35 PAGE_1_OF_2 SessionStart main " + digest, "@34 LOAD_VOID PreCompact main", "@30 PAGE_2_OF_2 SessionStart main " + digest}, sound)...)},
	{"orphan_marker", "a completion whose page came in other sessions", func(tr *trial.Trial) {
		pages := []string{"@30 PAGE_1_OF_2 SessionStart main " + digest, "@30 PAGE_2_OF_2 SessionStart main " + digest}
		token(tr, "before", slices.Concat(pages, sound)...)
		token(tr, "forged", slices.Concat(pages[:1], sound)...)
		token(tr, "after", slices.Concat(pages, sound)...) // whatever the order of names
	}},
	{"orphan_marker", "a completion later, with a page missing, of files that need pages still", func(tr *trial.Trial) {
		_, err := rig.Constellation(tr.Root, rig.SizedContents(25_000))
		tr.Must(err)
		for _, name := range rig.Required {
			before := time.Now().Add(-time.Hour)
			tr.Must(os.Chtimes(filepath.Join(tr.Root, name), before, before))
		}
		token(tr, "forged", slices.Concat([]string{"@60 PAGE_1_OF_3 SessionStart main " + digest}, sound)...)
	}},
	{"orphan_marker", "a start at a prompt", orphan(with(3, "@20 START_ACK Skill main@p1")...)},
	{"orphan_marker", "a new context at a prompt", orphan(with(3, "@20 CONTEXT_NEW SessionStart main@p1 1/4 /l")...)},
	{"orphan_marker", "a new context by a Read", orphan(with(3, "@20 CONTEXT_NEW Read main 1/4 /l")...)},
	{"orphan_marker", "a new context with a prompt", orphan(with(3, "@20 CONTEXT_NEW UserPromptSubmit main@ 1/4 /l")...)},
	{"orphan_marker", "a resume at the root", orphan(with(3, "@20 CONTEXT_RESUMED SessionStart main 1/4 /l")...)},
	{"orphan_marker", "a resume with a prompt that has an id", orphan(with(3, "@20 CONTEXT_RESUMED UserPromptSubmit main@p1 1/4 /l")...)},
	{"orphan_marker", "a resume by a compaction", orphan(with(3, "@20 CONTEXT_RESUMED PreCompact main")...)},
	{"orphan_marker", "a void with a prompt", orphan(with(3, "@20 LOAD_VOID UserPromptSubmit main@ 1/4 /l")...)},
	{"orphan_marker", "a void by a loader at the root", orphan(with(3, "@20 LOAD_VOID SessionStart main 1/4 /l")...)},
	{"orphan_marker", "a loader of no page", orphan(with(3, "@20 CONTEXT_NEW SessionStart main 5/4 /l")...)},
	{"orphan_marker", "a loader without a program", orphan(with(3, "@20 CONTEXT_NEW SessionStart main 1/4")...)},
	{"orphan_marker", "a marker with a prompt, at the root", orphan(with(1, "@30 SCOPE_ACK UserPromptSubmit main ROOT/context/scope.md")...)},
	{"orphan_marker", "a receipt by a compaction", orphan(with(3, "@20 PAGE_1_OF_2 PreCompact main@p1 "+digest)...)},
	{"orphan_marker", "a load at the root of a context that only goes on", orphan(slices.Concat(
		[]string{"@40 CONTEXT_RESUMED SessionStart main@p1 1/4 /l"}, sound)...)},
	{"orphan_marker", "a load after a compaction, without a loader", orphan(slices.Concat(
		[]string{"@500 CONTEXT_NEW SessionStart main 1/4 /l"}, replaceAll(sound, "@", "@4"), []string{"@40 LOAD_VOID PreCompact main"}, sound)...)},
	{"orphan_marker", "a load whose loader failed", orphan(slices.Concat(
		[]string{"@40 CONTEXT_NEW SessionStart main 1/4 /l", "@40 CONTEXT_NEW SessionStart main"}, sound)...)},
	{"orphan_marker", "a load at the next start, whose loader ran for the one before", orphan(slices.Concat(
		[]string{"@40 CONTEXT_RESUMED SessionStart main@p1 1/4 /l", "@35 CONTEXT_RESUMED SessionStart main@p2 1/4 /l"}, replaceAll(sound[:3], "main", "main@p1"))...)},
	{"orphan_marker", "a load with a prompt without an id, without a loader", orphan(slices.Concat(
		[]string{"@40 CONTEXT_NEW SessionStart main 1/4 /l"}, replaceAll(sound[:3], "SessionStart main", "UserPromptSubmit main@"))...)},
	{"orphan_marker", "a Read at no prompt", orphan(slices.Concat(
		[]string{"@40 CONTEXT_NEW SessionStart main 1/4 /l"}, with(0, "@30 COMMANDMENTS_ACK Read main ROOT/docs/book-of-hades/COMMANDMENTS.md"))...)},
	{"orphan_marker", "a completion whose page went out with another prompt", orphan(slices.Concat(
		[]string{"@40 CONTEXT_NEW SessionStart main 1/4 /l", "@35 PAGE_1_OF_2 UserPromptSubmit main@p1 " + digest, "@30 PAGE_2_OF_2 UserPromptSubmit main@p2 " + digest},
		replaceAll(sound[:3], "SessionStart main", "UserPromptSubmit main@p2"))...)},
	{"orphan_marker", "a receipt of a page whose loader did not run", orphan("@40 CONTEXT_NEW SessionStart main 1/4 /l",
		"@30 PAGE_1_OF_2 SessionStart main "+digest, "@30 PAGE_2_OF_2 SessionStart main "+digest)},
	{"orphan_marker", "a completion whose page came before the Reads", orphan(slices.Concat(
		[]string{"@400 CONTEXT_NEW SessionStart main 1/2 /l", "@400 PAGE_1_OF_2 SessionStart main " + digest},
		replaceAll(replaceAll(sound[:3], "SessionStart main", "Read main@p1"), "@", "@3"),
		[]string{"@40 CONTEXT_NEW SessionStart main 2/2 /l", "@30 PAGE_2_OF_2 SessionStart main " + digest}, sound[:3])...)},
	{"orphan_marker", "a token made up whole, long after the install", func(tr *trial.Trial) {
		ago := time.Now().Add(-time.Hour)
		tr.Must(os.Chtimes(installed(tr, "INSTALLED"), ago, ago))
		token(tr, "forged", sound...)
	}},
	{"token_put_aside", "a token that a hook could not write", func(tr *trial.Trial) {
		tr.Must(syscall.Mkfifo(moiraicore.TokenPath("full"), 0o600))
		tr.Own(moiraicore.TokenPath("full"))
		s := rig.Session{ID: "full", Cwd: tr.Root}
		if res := tr.Play(rig.Command{Path: installed(tr, "hades-session-load"), Args: []string{"1/4"}, Stdin: s.SessionStart("startup")}); res.Code != 2 {
			tr.Errorf("exit %d: %s", res.Code, res.Stderr)
		}
	}},
	{"stale_session_alerts", "a forgery of the day before yesterday, at noon", func(tr *trial.Trial) {
		longAgo(tr, token(tr, "forged", with(3, "@20 START_ACK Bash main")...))
		longAgo(tr, token(tr, "bad", "nonsense"))
		atHour(tr, 12)
	}},
	{"stale_session_alerts", "the same, with a transcript as old", func(tr *trial.Trial) {
		longAgo(tr, token(tr, "forged", with(3, "@20 START_ACK Bash main")...))
		longAgo(tr, transcript(tr, ".claude", "forged", tr.Root, time.Now().Add(-50*time.Hour)))
		atHour(tr, 12)
	}},
	{"orphan_marker", "an old forgery in a session that goes on", func(tr *trial.Trial) {
		longAgo(tr, token(tr, "forged", with(3, "@20 START_ACK Bash main")...))
		transcript(tr, ".claude", "forged", tr.Root, time.Now().Add(-50*time.Hour))
		atHour(tr, 12)
	}},
	{"orphan_marker", "an old forgery in a session whose subagent works", func(tr *trial.Trial) {
		longAgo(tr, token(tr, "forged", with(3, "@20 START_ACK Bash main")...))
		path := transcript(tr, ".claude", "forged", tr.Root, time.Now().Add(-50*time.Hour))
		longAgo(tr, path)
		tr.Write(strings.TrimSuffix(path, ".jsonl")+"/subagents/agent-1.jsonl", "{}\n")
	}},
	{"start_without_load", "a start in a new context, after a start that it ended", func(tr *trial.Trial) {
		token(tr, "unloaded", "@9000 START_ACK UserPromptSubmit main", "@8000 CONTEXT_NEW SessionStart main", "@7200 START_ACK UserPromptSubmit main")
	}},
	{"start_without_load", "a start two hours ago and no load", func(tr *trial.Trial) {
		token(tr, "unloaded", "@7200 START_ACK UserPromptSubmit main")
	}},
	{"token_refused", "a token file that we cannot read", func(tr *trial.Trial) {
		token(tr, "unreadable", "@10 START_ACK UserPromptSubmit main")
		tr.Must(os.Chmod(moiraicore.TokenPath("unreadable"), 0))
	}},
	{"ungated_mcp_serve", "settings that start the client's own MCP server", func(tr *trial.Trial) {
		tr.Write(filepath.Join(tr.Home, ".claude.json"), `{"mcpServers":{"x":{"command":"/usr/bin/claude","args":["mcp","serve"]}}}`)
	}},
	{"ungated_session", "a transcript without a token", func(tr *trial.Trial) {
		transcript(tr, ".claude", "ungated", tr.Root, time.Now())
	}},
	{"ungated_session", "in a sub-folder, of another account", func(tr *trial.Trial) {
		tr.Write(filepath.Join(tr.Home, ".claude-work/settings.json"), mustRead(tr, tr.Settings()))
		transcript(tr, ".claude-work", "ungated", filepath.Join(tr.Root, "context"), time.Now())
	}},
	{"ungated_session", "under a path so long that the client cuts its name", func(tr *trial.Trial) {
		transcript(tr, ".claude", "ungated", tr.Root, time.Now())
		projects := filepath.Join(tr.Home, ".claude/projects")
		names, err := os.ReadDir(projects)
		tr.Must(err)
		tr.Must(os.Rename(filepath.Join(projects, names[0].Name()), filepath.Join(projects, strings.Repeat("-srv", 50)+"-a1b2c3")))
	}},
	{"token_dir_missing ungated_session", "and no token directory at all", func(tr *trial.Trial) {
		tr.Must(os.RemoveAll(moiraicore.TokenParent))
		transcript(tr, ".claude", "ungated", tr.Root, time.Now())
	}},
	{"unparseable_marker", "with a path that would make two lines of one", func(tr *trial.Trial) {
		token(tr, "a\nALERT b", "x")
	}},
}

func replaceAll(lines []string, old, new string) []string {
	out := slices.Clone(lines)
	for i := range out {
		out[i] = strings.ReplaceAll(out[i], old, new)
	}
	return out
}

func orphan(lines ...string) func(*trial.Trial) {
	return func(tr *trial.Trial) { token(tr, "forged", lines...) }
}

func mustRead(tr *trial.Trial, path string) string {
	text, err := os.ReadFile(path)
	tr.Must(err)
	return string(text)
}

// transcript writes a transcript as the client does, for a session that began
// at the time given.
func transcript(tr *trial.Trial, configDir, session, cwd string, began time.Time) (path string) {
	tr.Helper()
	name := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, cwd)
	at := began.UTC().Format("2006-01-02T15:04:05.000Z")
	var b bytes.Buffer
	for _, line := range []map[string]any{
		{"type": "queue-operation", "operation": "enqueue", "timestamp": at, "sessionId": session},
		{"type": "user", "cwd": cwd, "timestamp": at, "sessionId": session, "message": map[string]any{"role": "user", "content": "go"}},
	} {
		tr.Must(json.NewEncoder(&b).Encode(line))
	}
	path = filepath.Join(tr.Home, configDir, "projects", name, session+".jsonl")
	tr.Write(path, b.String())
	return path
}

// longAgo makes a file one that was written two days ago.
func longAgo(tr *trial.Trial, path string) {
	tr.Helper()
	ago := time.Now().Add(-48 * time.Hour)
	tr.Must(os.Chtimes(path, ago, ago))
}

// atHour lets programs run in a time zone in which it is that hour now.
func atHour(tr *trial.Trial, hour int) {
	tr.Helper()
	now := time.Now().UTC()
	east := (hour-now.Hour())*3600 + (30-now.Minute())*60
	zone := append([]byte("TZif"), make([]byte, 16)...)
	for _, n := range []uint32{0, 0, 0, 0, 1, 4, uint32(int32(east))} { // counts: one zone, of four letters
		zone = binary.BigEndian.AppendUint32(zone, n)
	}
	path := filepath.Join(tr.Home, "zone")
	tr.Write(path, string(append(zone, "\x00\x00ZON\x00"...)))
	tr.Env = append(tr.Env, "TZ="+path)
}

// TestAlerts: each break gives its alerts and no others. Without it there are
// none (TestQuiet).
func TestAlerts(t *testing.T) {
	for _, b := range breaks {
		t.Run(b.want+"/"+b.what, func(t *testing.T) {
			tr := fresh(t)
			b.breakIt(tr)
			wantAlerts(tr, strings.Fields(b.want)...)
		})
	}
}

// TestDetail: an alert names the file, and the line where there is one.
func TestDetail(t *testing.T) {
	tr := fresh(t)
	path := token(tr, "bad", append(slices.Clone(sound), "nonsense")...)
	if res := wantAlerts(tr, "unparseable_marker"); !strings.Contains(res.Stdout, path+" line 5") {
		t.Error(res.Stdout)
	}
}

// quiet are states that look like something and are nothing.
var quiet = []struct {
	what  string
	setUp func(tr *trial.Trial)
}{
	{"nothing unusual", func(*trial.Trial) {}},
	{"a token of six days ago", func(tr *trial.Trial) {
		old := time.Now().Add(-6 * 24 * time.Hour)
		tr.Must(os.Chtimes(token(tr, "old", replaceAll(sound, "@", "@5184")...), old, old))
	}},
	{"an old token that is still used (D18)", func(tr *trial.Trial) { token(tr, "old", replaceAll(sound, "@", "@6912")...) }},
	{"a token file just made", func(tr *trial.Trial) { token(tr, "made") }},
	{"a start that a new context ended, and no load", func(tr *trial.Trial) {
		token(tr, "cleared", "@9000 START_ACK UserPromptSubmit main", "@8000 CONTEXT_NEW SessionStart main 1/4 /l", "@8000 CONTEXT_NEW SessionStart main")
	}},
	{"a forgery of the day before yesterday, not at noon", func(tr *trial.Trial) {
		longAgo(tr, token(tr, "forged", with(3, "@20 START_ACK Bash main")...))
		atHour(tr, 3)
	}},
	{"a load after the Reads of a context in which one page came", func(tr *trial.Trial) {
		token(tr, "read", slices.Concat(
			[]string{"@400 CONTEXT_NEW SessionStart main 2/2 /l", "@400 PAGE_2_OF_2 SessionStart main " + digest},
			replaceAll(replaceAll(sound[:3], "SessionStart main", "Read main@p1"), "@", "@3"),
			[]string{"@40 CONTEXT_NEW SessionStart main 1/2 /l", "@40 PAGE_1_OF_2 SessionStart main " + digest,
				"@40 CONTEXT_NEW SessionStart main 2/2 /l", "@30 PAGE_2_OF_2 SessionStart main " + digest}, sound[:3])...)
	}},
	{"a start just now and no load yet", func(tr *trial.Trial) { token(tr, "unloaded", "@60 START_ACK UserPromptSubmit main") }},
	{"a start, hours, and a load", func(tr *trial.Trial) {
		token(tr, "late", slices.Concat([]string{"@7200 START_ACK Skill agent-1"}, sound[:3])...)
	}},
	{"a start and a load that a compaction voided", func(tr *trial.Trial) {
		token(tr, "void", slices.Concat(replaceAll(sound, "@", "@99"), []string{"@10 LOAD_VOID PreCompact main"})...)
	}},
	{"a load that a loader voided, since a compaction came unannounced", func(tr *trial.Trial) {
		token(tr, "swap", slices.Concat(replaceAll(sound, "@", "@99"), []string{"@10 LOAD_VOID SessionStart main"}, replaceAll(sound[:3], "@30", "@10"))...)
	}},
	{"a root that is gone", func(tr *trial.Trial) {
		token(tr, "gone", replaceAll(sound, "ROOT", "/gone/Constellation-Hades/a branch")...)
	}},
	{"files shortened to one page between two loads", func(tr *trial.Trial) {
		token(tr, "short", slices.Concat([]string{"@60 PAGE_1_OF_3 SessionStart main " + digest}, sound)...)
	}},
	{"files changed since, to more pages", func(tr *trial.Trial) {
		_, err := rig.Constellation(tr.Root, rig.SizedContents(25_000))
		tr.Must(err)
		token(tr, "longer", slices.Concat([]string{"@60 PAGE_1_OF_3 SessionStart main " + digest}, sound)...)
	}},
	{"the bash version's tokens", func(tr *trial.Trial) {
		five := slices.Clone(sound)
		five[3] = "@20 START_ACK UserPromptSubmit main "
		twice := slices.Concat(sound, sound)
		twice = replaceAll(twice, "@20", "@30")
		late := slices.Clone(sound)
		late[1] = "@32 SCOPE_ACK SessionStart main ROOT/context/scope.md" // five loaders at once
		for i, lines := range [][]string{sound, five, twice, late, {"@20 START_ACK Skill agent-1 "}} {
			tr.Must(os.Chmod(token(tr, fmt.Sprint("bash-", i), lines...), 0o644))
		}
	}},
	{"a transcript with its token", func(tr *trial.Trial) { transcript(tr, ".claude", "open", tr.Root, time.Now()) }},
	{"a transcript from elsewhere", func(tr *trial.Trial) {
		transcript(tr, ".claude", "elsewhere", filepath.Join(tr.Home, "my-constellation-hades-notes"), time.Now())
	}},
	{"a transcript from before the install", func(tr *trial.Trial) {
		transcript(tr, ".claude", "earlier", tr.Root, time.Now().Add(-time.Hour))
	}},
	{"a subagent's transcript", func(tr *trial.Trial) { transcript(tr, ".claude", "agent-1", tr.Root, time.Now()) }},
	{"an account without projects", func(tr *trial.Trial) {
		tr.Write(filepath.Join(tr.Home, ".claude-work/settings.json"), mustRead(tr, tr.Settings()))
	}},
}

// TestQuiet: none of these is an alert.
func TestQuiet(t *testing.T) {
	for _, q := range quiet {
		t.Run(q.what, func(t *testing.T) {
			tr := fresh(t)
			q.setUp(tr)
			wantAlerts(tr)
		})
	}
}

// TestCouldNotRun: what the probe may not see is no alert and no good news.
func TestCouldNotRun(t *testing.T) {
	for name, c := range map[string]struct {
		hide func(tr *trial.Trial)
		want string
	}{
		"settings":          {func(tr *trial.Trial) { tr.Must(os.Chmod(tr.Settings(), 0)) }, "settings.json"},
		"the record":        {func(tr *trial.Trial) { tr.Must(os.Chmod(installed(tr, "INSTALLED"), 0)) }, "INSTALLED"},
		"the gate":          {func(tr *trial.Trial) { tr.Must(os.Chmod(installed(tr, "hades-gate"), 0o311)) }, "hades-gate"},
		"the record's text": {func(tr *trial.Trial) { tr.Write(installed(tr, "INSTALLED"), "nonsense\n") }, "not an entry"},
		"the home":          {func(tr *trial.Trial) { tr.Home = "" }, "HOME"},
	} {
		t.Run(name, func(t *testing.T) {
			tr := fresh(t)
			c.hide(tr)
			res := probe(tr)
			if res.Code != 2 || !strings.Contains(res.Stderr, "could not run") || !strings.Contains(res.Stderr, c.want) || res.Stdout != "" {
				t.Errorf("exit %d: %s%s", res.Code, res.Stdout, res.Stderr)
			}
		})
	}
}

// TestRoot: through its link the probe checks that constellation; called
// otherwise, only with -root.
func TestRoot(t *testing.T) {
	tr := fresh(t)
	tr.Must(os.Remove(filepath.Join(tr.Root, "CONTEXT.md")))
	wantAlerts(tr, wiring.NoRoot)
	path := installed(tr, "moirai-hades-integrity")
	if res := tr.Run(path); res.Code != 0 {
		t.Errorf("without a root: exit %d\n%s%s", res.Code, res.Stdout, res.Stderr)
	}
	if res := tr.Run(path, "-root", tr.Root); res.Code != 1 {
		t.Errorf("with -root: exit %d\n%s%s", res.Code, res.Stdout, res.Stderr)
	}
	if res := tr.Run(path, "nonsense"); res.Code != 2 {
		t.Errorf("with nonsense: exit %d", res.Code)
	}
}

// TestReadOnly: the probe changes nothing, and waits for no lock: a file that a
// hook is writing is none to judge.
func TestReadOnly(t *testing.T) {
	tr := fresh(t)
	busy, err := os.OpenFile(token(tr, "busy", "half a rec"), os.O_WRONLY, 0)
	tr.Must(err)
	defer busy.Close()
	tr.Must(syscall.Flock(int(busy.Fd()), syscall.LOCK_EX))
	token(tr, "bad", "x")
	before := snapshot(tr)
	if res := wantAlerts(tr, "unparseable_marker"); strings.Contains(res.Stdout, "session-busy") {
		t.Error(res.Stdout)
	}
	if after := snapshot(tr); after != before {
		t.Errorf("the probe made\n%s\nof\n%s", after, before)
	}
}

func snapshot(tr *trial.Trial) string {
	var b strings.Builder
	for _, dir := range []string{tr.Home, tr.Root, moiraicore.TokenParent} {
		tr.Must(filepath.WalkDir(dir, func(path string, d os.DirEntry, _ error) error {
			info, err := os.Lstat(path)
			if err == nil {
				fmt.Fprintln(&b, path, info.Mode(), info.Size(), info.ModTime())
			}
			return err
		}))
	}
	return b.String()
}
