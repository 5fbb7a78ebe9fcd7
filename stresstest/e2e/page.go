package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// page writes docs/CLIENT-CONTRACT.md from what a matrix of versions measured.
func page(results []versionResult) string {
	var b strings.Builder
	b.WriteString(pageHead)
	var versions []string
	for _, v := range results {
		versions = append(versions, v.version)
	}
	fmt.Fprintf(&b, "Versions: %s.\n", strings.Join(versions, ", "))
	for _, row := range Rows {
		table := factTable(row.Name, results)
		if table == "" {
			continue
		}
		title := strings.TrimPrefix(row.Name, "contract: ")
		fmt.Fprintf(&b, "\n## %s%s\n\n", strings.ToUpper(title[:1]), title[1:])
		if about := pageNotes[row.Name]; about != "" {
			b.WriteString(about + "\n\n")
		}
		b.WriteString(table)
	}
	b.WriteString("\n## The hooks themselves, in each version\n\nEach row of `make e2e`: how many checks passed.\n\n")
	b.WriteString(header("row", versions))
	for i, row := range Rows {
		if strings.HasPrefix(row.Name, "contract: ") {
			continue
		}
		cells := []string{row.Name}
		for _, v := range results {
			cells = append(cells, cmp.Or(v.rows[i], "–"))
		}
		b.WriteString(line(cells))
	}
	b.WriteString(lackTable(results, versions))
	b.WriteString(pageTail)
	return b.String()
}

// versionResult is what one version gave: for each of Rows its facts and its score.
type versionResult struct {
	version string
	facts   [][]fact
	rows    []string
	lacking [][]lack
}

// lackTable lists what only some versions give, with the reason.
func lackTable(results []versionResult, versions []string) string {
	var claims []lack
	lacks := map[lack]map[string]bool{}
	for i := range Rows {
		for _, v := range results {
			for _, l := range v.lacking[i] {
				l.claim = strings.TrimPrefix(Rows[i].Name, "contract: ") + ": " + l.claim
				if lacks[l] == nil {
					lacks[l] = map[string]bool{}
					claims = append(claims, l)
				}
				lacks[l][v.version] = true
			}
		}
	}
	if len(claims) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(lackHead + header("check", append([]string{"why", "holds since"}, versions...)))
	for _, l := range claims {
		cells := []string{l.claim, l.why, l.since}
		for _, v := range versions {
			cells = append(cells, yes(lacks[l][v], "lacking", ""))
		}
		b.WriteString(line(cells))
	}
	return b.String()
}

func factTable(row string, results []versionResult) string {
	i := slices.IndexFunc(Rows, func(r Row) bool { return r.Name == row })
	var names []string
	relied := map[string]bool{}
	var versions []string
	for _, v := range results {
		versions = append(versions, v.version)
		for _, f := range v.facts[i] {
			if !slices.Contains(names, f.name) {
				names = append(names, f.name)
			}
			relied[f.name] = relied[f.name] || f.relied
		}
	}
	if len(names) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(header("", versions))
	for _, name := range names {
		label := name
		if relied[name] {
			label += " †"
		}
		cells := []string{label}
		for _, v := range results {
			value := "–"
			for _, f := range v.facts[i] {
				if f.name == name {
					value = f.value
					if f.lacking {
						value = "**" + value + "**"
					}
				}
			}
			cells = append(cells, value)
		}
		b.WriteString(line(cells))
	}
	return b.String()
}

func header(first string, versions []string) string {
	rule := make([]string, len(versions)+1)
	for i := range rule {
		rule[i] = "---"
	}
	return line(append([]string{first}, versions...)) + line(rule)
}

// line is a row of a table; code and marks of the table itself are kept literal.
func line(cells []string) string {
	for i, c := range cells {
		c = strings.ReplaceAll(c, "|", `\|`)
		cells[i] = strings.NewReplacer("<", "&lt;", "{", "`{", "}", "}`").Replace(c)
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

const pageHead = `# What the real client does

Written by ` + "`make e2e-matrix`" + `; do not edit. Every cell is measured: the run plays the real Claude Code (npm package
` + "`@anthropic-ai/claude-code`" + `) offline, against a scripted Messages API on the loopback device, with hooks of one line of
shell. "runs" and "blocked" are judged by a file that the tool leaves on disk, "the model sees" by the request that the client
sends. † marks what the hooks stand or fall with: a value that they do not cope with fails the run. – means that the version
has no such thing or that it was not measured there. **Bold** is a † value that the hooks do not cope with, in a version older than
the first that gives them what they need: see "What old versions lack".

`

const lackHead = `
## What old versions lack

Checks that a version fails because of the client: the hooks cannot mend it, and their promise does not hold there. "Holds
since" is the first measured version that gives it; from there on the same check fails the run.

`

// pageNotes say why a table matters.
var pageNotes = map[string]string{
	"contract: how a PreToolUse hook ends, and whether the tool runs":    "Only exit 2 blocks. Whatever ends a hook otherwise lets the tool run, so the hooks never exit with anything but 0 and 2 (D13), carry their own watchdog, and are wired with the guard below.",
	"contract: the same, wired as COMMAND || exit 2":                     "It closes all but the timeout, and would block every session on the machine, wherever it works: hence the guard.",
	"contract: the same, with the guard of D15":                          "In a folder whose path holds the word hades, in any case. `make e2e` plays the same failures elsewhere, where nothing is blocked.",
	"contract: every event of the newest client":                         "One story in print mode with all of them wired: which fired, whether before the first call, and what exit 2 does to what it announces. Before a call of the model only PreSkillShellCommand runs anything, and exit 2 stops that: ours judges it. UserPromptSubmit, UserPromptExpansion, InstructionsLoaded and a file named with `@` bring text in and run nothing.",
	"contract: exec form":                                                "A command with `args` has no shell: nothing in the environment reaches it, and it cannot carry the guard. The managed drop-in wires PreToolUse and PreCompact in both forms.",
	"contract: SessionStart stdout":                                      "The cap, which is silent, is why the loader delivers pages of at most 10,000 UTF-16 units (D7).",
	"contract: events and payloads":                                      "Payload shapes that the gate reads, and when prompts arrive.",
	"contract: sources and session ids":                                  "A new id is a new token: loaded by SessionStart, not yet started.",
	"contract: compaction":                                               "PreCompact voids (D8). Newer clients also prepare a compaction in the background, where PreCompact fires long before the change and not at it; the row of that name plays it.",
	"contract: settings":                                                 "A managed drop-in folder is not read by old versions: the managed install holds from the first version on that runs it. Only events that every version knows are wired.",
	"switches against user settings: the reason for the managed install": "With hooks in `~/.claude/settings.json`, to compare.",
	"contract: another hook that allows":                                 "What becomes of a block when another hook answers `allow` to the same call.",
	"switches against the managed drop-in: none opens":                   "With the hooks in a managed drop-in, as `make install-managed` puts them.",
}

const pageTail = `
## Not measured

Where an organisation has server-managed settings, reports say that local managed files are ignored without a warning; with an
API key there are none. What clears old tool results from the context without an event (by age, or on a hint of the server) is
seen in no hook; it takes what was read, not what SessionStart injected.

## How a session is driven offline

- ` + "`claude -p --input-format stream-json --output-format stream-json --verbose`" + ` takes one JSON user message a line and runs any
  number of turns, ` + "`/start`" + `, ` + "`/compact`" + ` and ` + "`/clear`" + ` (new versions) among them.
- Environment from nothing: ` + "`HOME`" + ` (temporary), ` + "`PATH`" + `, ` + "`ANTHROPIC_API_KEY`" + ` (a word), ` + "`ANTHROPIC_BASE_URL=http://127.0.0.1:PORT`" + `,
  ` + "`CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1`, `DISABLE_TELEMETRY=1`, `DISABLE_AUTOUPDATER=1`, `IS_SANDBOX=1`" + ` (for root).
- In a terminal (tmux): ` + "`~/.claude.json`" + ` with ` + "`hasCompletedOnboarding`" + `, ` + "`theme`" + `, ` + "`customApiKeyResponses.approved`" + ` (the last 20 characters of the key) and
  ` + "`projects[DIR].hasTrustDialogAccepted`" + `; user settings with ` + "`skipDangerousModePermissionPrompt`" + `. The input line is drawn before keys are taken: a letter is typed until it is seen.
- ` + "`POST /v1/messages`" + ` answers with server-sent events: ` + "`message_start`" + `, for each block ` + "`content_block_start`, `_delta`, `_stop`" + `, then
  ` + "`message_delta`, `message_stop`" + `. Message ids must differ: the client joins messages that share one. Requests without tools are titles
  and the like; one whose last message asks for a detailed summary is a compaction.
`
