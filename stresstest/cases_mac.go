package main

// What differs on a Mac, in a root folder shaped as one (mac.go).
var macCases = []testCase{
	// /tmp is a link.
	mac("a session from load to work", macRoot, load(), blocked("xxx_"), start(), allowed(), tokenIs(loadedLines, typedStart),
		gate(compact("auto")), blocked("___x"), compacted(), allowed()),
	mac("the token is below private/tmp, and messages name /tmp", macRoot, load(), macHas("/private/tmp/moirai/hades/session-{session}"),
		blocked("xxx_", "type /start")),
	mac("a constellation in /tmp is recorded by its real path", macRoot, macMade("/private/tmp/constellation-hades"), rootIs("/private/tmp/constellation-hades"),
		at("/tmp/constellation-hades"), blocked("____"), load(), start(), allowed(), tokenIs(loadedLines, typedStart),
		at("/private/tmp/constellation-hades/docs"), allowed()),
	mac("out by the three Reads, from /tmp", macRoot, macMade("/private/tmp/constellation-hades"), rootIs("/private/tmp/constellation-hades"),
		at("/tmp/constellation-hades"), gate(read("/tmp/constellation-hades/CONTEXT.md")), gate(shown(0)), gate(shown(1)), gate(shown(2)), start(), allowed()),
	mac("a link in the home to a constellation elsewhere", macRoot, macLink(macHome+"/hades", macRoot), at(macHome+"/hades"), load(), start(), allowed(),
		tokenIs(loadedLines, typedStart)),

	// The second mount of /Users.
	mac("a session below /System/Volumes/Data", macData+macRoot, rootIs(macData+macRoot), blocked("____"), load(), start(), allowed(), tokenIs(loadedLines, typedStart),
		gate(compact("auto")), blocked("___x")),
	mac("below /System/Volumes/Data it is gated before it is loaded, whatever another session has", macRoot, load(), start(), allowed(),
		session("b"), at(macData+macRoot), rootIs(macData+macRoot), blocked("____")),
	mac("a required file is itself by the second mount: the Read passes", macRoot, gate(read(macData+macRoot+"/CONTEXT.md")),
		gate(read(macData+macRoot+"/docs/CONTEXT.md")).blocks("Read", "____")),
	mac("a compaction that comes by the second mount voids", macRoot, load(), start(), allowed(), at(macData+macRoot), gate(compact("auto")),
		at(macRoot), blocked("___x")),
	mac("elsewhere below /System/Volumes/Data is out of scope", macRoot, at(macData+macHome), gate(bash), loader(startup), noToken()),

	// Another case of the name.
	mac("a session in another case of the name", macUpper, rootIs(macUpper), blocked("____"), load(), start(), allowed(), tokenIs(loadedLines, typedStart)),
	mac("in another case of a folder above", "/users/operator/constellation-hades", rootIs("/users/operator/constellation-hades"), blocked("____"), load(), start(),
		allowed(), tokenIs(loadedLines, typedStart)),
	mac("a required file is itself in another case of the root: the Read passes", macRoot, gate(read(macUpper+"/CONTEXT.md")), gate(read(macUpper+"/context/scope.md"))),
	mac("a compaction that comes in another case voids", macRoot, load(), start(), allowed(), at(macUpper), gate(compact("manual")), at(macRoot), blocked("___x")),
	mac("another case of an exempt name is not exempt", macRoot, gate(read(macRoot+"/claude.md")).blocks("Read", "____"), gate(read(macRoot+"/CLAUDE.md"))),
	mac("two sessions, one in each spelling", macRoot, load(), start(), allowed(), session("b"), at(macUpper), rootIs(macUpper), blocked("____"), load(), start(),
		allowed(), tokenIs(loadedLines, typedStart), session(""), at(macRoot), rootIs(macRoot), allowed(), tokenIs(loadedLines, typedStart)),

	// The other Unicode form.
	mac("a session below a folder in composed form", macComposed, rootIs(macComposed), blocked("____"), load(), start(), allowed(), tokenIs(loadedLines, typedStart)),
	mac("below the same in decomposed form", macDecomposed, rootIs(macDecomposed), blocked("____"), load(), start(), allowed(), tokenIs(loadedLines, typedStart)),
	mac("a required file is itself in composed form: the Read passes", macDecomposed, rootIs(macDecomposed), gate(read(macDecomposed+"/CONTEXT.md")),
		gate(read(macComposed+"/CONTEXT.md"))),
	mac("a Read in decomposed form is of the same file", macComposed, rootIs(macComposed), gate(read(macComposed+"/CONTEXT.md")),
		gate(read(macDecomposed+"/CONTEXT.md"))),

	// One root in two spellings: by identity it is the root that was loaded.
	mac("one root: loaded below /Users, open below /System/Volumes/Data", macRoot, load(), start(), at(macData+macRoot), allowed(), at(macData+macRoot+"/docs"), allowed(),
		tokenIs(loadedLines, typedStart)),
	mac("one root: loaded below /System/Volumes/Data, open below /Users", macData+macRoot, rootIs(macData+macRoot), load(), start(), at(macRoot), allowed(),
		tokenIs(loadedLines, typedStart)),
	mac("one root: loaded in one case, open in the other", macRoot, load(), start(), at(macUpper), allowed(), at("/users/operator/constellation-hades"), allowed(),
		tokenIs(loadedLines, typedStart)),
	mac("one root: loaded in one Unicode form, open in the other", macComposed, rootIs(macComposed), load(), start(), at(macDecomposed), allowed(),
		tokenIs(loadedLines, typedStart)),
	mac("one root: Reads in one spelling open the other", macRoot, gate(shown(0)), gate(shown(1)), gate(shown(2)), start(), at(macUpper), allowed()),
	mac("one root: voided in one spelling, loaded in the other, open in both", macRoot, load(), start(), gate(compact("auto")), at(macUpper), rootIs(macUpper), blocked("___x"),
		compacted(), allowed(), at(macRoot), allowed()),
	mac("one root is not another: a copy of the files does not open", macRoot, load(), start(), macMade(macHome+"/copy/constellation-hades"),
		at(macHome+"/copy/constellation-hades"), rootIs(macHome+"/copy/constellation-hades"), blocked("___x", "another root")),

	// bash is /bin/sh.
	mac("wired in bash as sh: blocked, started, allowed", macRoot, blocked("____").wired("PreToolUse"), load().wired("SessionStart"), blocked("xxx_").wired("PreToolUse"),
		start().wired("UserPromptSubmit"), allowed().wired("PreToolUse"), tokenIs(loadedLines, typedStart)),
	mac("wired in bash as sh: a compaction voids", macRoot, load(), start(), gate(compact("auto")).wired("PreCompact"), blocked("___x").wired("PreToolUse")),
	mac("wired in bash as sh: a Read counts", macRoot, gate(shown(0)).wired("PostToolUse"), tokenIs(readLine(0))),
	mac("wired in bash as sh: out of scope it is silent", macRoot, at(macHome), gate(bash).wired("PreToolUse"), gate(prompt("/start")).wired("UserPromptSubmit"), noToken()),
	mac("the guard in bash as sh: the gate is missing", macRoot, gateBecomes(gone), guarded(bash).wired("PreToolUse"), at(macRoot+"/docs"), guarded(bash).wired("PreToolUse")),
	mac("the guard in bash as sh: the gate cannot be executed", macRoot, gateBecomes(notExecutable), guarded(bash).wired("PreToolUse")),
	mac("the guard in bash as sh: the gate is killed", macRoot, gateBecomes(killed), guarded(bash).wired("PreToolUse")),
	mac("the guard in bash as sh: the second mount, another case, the other form", macRoot, gateBecomes(gone), at(macData+macRoot), guarded(bash).wired("PreToolUse"),
		at(macUpper), guarded(bash).wired("PreToolUse"), at(macDecomposed), guarded(bash).wired("PreToolUse")),
	mac("the guard in bash as sh: entered through a link", macRoot, gateBecomes(gone), macLink(macHome+"/link", macRoot), at(macHome+"/link"), guarded(bash).wired("PreToolUse")),
	mac("the guard in bash as sh: elsewhere nothing is blocked", macRoot, gateBecomes(gone), at(macHome), gate(bash).notBlocked(127).wired("PreToolUse"),
		at("/private/tmp"), gate(bash).notBlocked(127).wired("PreToolUse")),
	mac("the guard in bash as sh: no compaction without a gate", macRoot, gateBecomes(gone), guarded(compact("auto")).wired("PreCompact")),
}

// mac is a case that begins at cwd in a root folder shaped as a Mac's.
func mac(name, cwd string, steps ...step) testCase {
	return testCase{class: "Mac-shaped", name: name, needs: mount | linux, steps: append([]step{onMac(cwd)}, steps...)}
}
