package main

import "moirai/stresstest/rig"

// Payloads shaped exactly as each of the six measured versions sends them.
var clientCases = perClient()

func perClient() []testCase {
	var cases []testCase
	for _, v := range rig.Clients {
		class := "client " + string(v)
		cases = append(cases,
			testCase{class: class, name: "a session from load to work", steps: []step{
				client(v), load(), blocked("xxx_"), gate(prompt("hello")), start(), allowed(), gate(tool("TodoWrite")), gate(subagent),
				tokenIs(loadedLines, typedStart),
			}},
			testCase{class: class, name: "Skill start, Reads, a subagent, compaction, resume", steps: []step{
				client(v), gate(read("{root}/CONTEXT.md")), gate(shown(0)), gate(shown(1)), gate(shown(2)), as("a7fc51fefd85ff99e"),
				blocked("xxx_"), as(""), gate(skill("start")), as("a7fc51fefd85ff99e"), allowed(), as(""),
				gate(compact("manual")), blocked("___x"), loader(sessionStart("compact")).prints(theWholeBlock), allowed(),
				gate(compact("auto")), loader(sessionStart("resume")).prints(theWholeBlock), prompted(), allowed(),
			}},
			testCase{class: class, name: "out of scope: silent", steps: []step{
				client(v), at("{dir}"), loader(startup), gate(bash), start(), gate(skill("start")), gate(shown(0)), gate(compact("auto")), noToken(),
			}},
		)
	}
	return cases
}
