package main

// Everything in moiraicore/rules.go that opens, written out here again from the spec
// (§4.2.2, §4.3, D9–D12): what passes without markers, and what sets one. A name more
// in the rules is a hole that no other case can know of.
//
// golden holds the lists, goldenNames the single names and figures, each under the
// name that it has in the rules.
var golden = map[string][]string{
	"Required": {
		"docs/book-of-hades/COMMANDMENTS.md", "COMMANDMENTS_ACK",
		"context/scope.md", "SCOPE_ACK",
		"CONTEXT.md", "CONTEXT_ACK",
	},
	"startCommands": {"/start", "/war-room-start"},
	"startSkills":   {"start", "war-room-start"},
	"commandTags":   {"<command-message>", "<command-name>", "<command-args>"},
	"ideTags":       {"ide_opened_file>", "ide_selection>"},
	"exemptTools":   {"TaskCreate", "TaskUpdate", "TaskGet", "TaskList", "TaskStop", "TaskOutput"},
	"exemptFiles":   {"CLAUDE.md", "MEMORY.md"},
	"exemptSegment": {"/memory/"},
}

var goldenNames = map[string]string{
	"ScopeName": `"constellation-hades"`,
	"Start":     `"START_ACK"`,
	"ToolSkill": `"Skill"`,
	"ToolRead":  `"Read"`,
	"MainAgent": `"main"`,
	"KeyServer": `"mcp_server"`,
	"KeyTool":   `"tool_name"`,
	"KeyPrompt": `"prompt"`,
	"KeySkill":  `"skill"`,
	"MaxRead":   "25_000",
}

// opensNothing are the other variables of the rules.
var opensNothing = []string{"contexts"} // its word for an unknown source closes

// passesUnstarted tells whether a tool passes without markers whatever its input. Read passes by
// its path, and Skill always.
func passesUnstarted(tool string) bool {
	for _, t := range append([]string{"Skill"}, golden["exemptTools"]...) {
		if t == tool {
			return true
		}
	}
	return false
}
