// Package wiring says how the hooks are wired into the client, prints that,
// and reads back what a client of this user would really run (D15, D16).
//
// The gate is only as absolute as its wiring: a client that was never told of a
// hook lets every tool run. So what is printed and what is checked come from
// one table, Wires, and a deviation of any kind is a Finding with a name that
// does not change (Names).
//
// Reading order for an audit:
//
//	wires.go       the exact hook commands, the guard among them
//	places.go      where binaries, links and settings lie (places_OS.go: per platform)
//	word.go        a path as one word of the shell, and back
//	print.go       the JSON that an operator pastes, and the managed drop-in
//	rewire.go      a settings text with our hooks put in or taken out, and no other byte changed
//	strict.go      the drop-in that lets only managed hooks run, with those of the operator
//	names.go       the findings
//	settings.go    the settings files that a client reads, in tiers
//	hook.go        one wired command of ours, taken apart
//	faults.go      what is wrong with it, and matcher.go what it would not see
//	effective.go   which hooks are in force for one client, and what they lack
//	pages.go       the loaders' pages, env.go what reaches the shell before the hook
//	rewrites.go    hooks that are not ours and replace what a Read shows
//	owned.go       who else could change a file
//	root.go        what only a given constellation can tell: pages, schedules, worktrees
//	start.go       what knows /start, and what types it by itself
//	projectcode.go what code a root's files make the client run
//	retired.go     the bash version's files that must be gone (§8)
//	programs.go    the programs themselves: mode, owner, checksum
//	check.go       all of it, for one user
//	record.go      what install did, so that it can be undone and checked; wired.go what wire found
//
// Nothing here runs a hook, writes a file or opens a network connection.
package wiring
