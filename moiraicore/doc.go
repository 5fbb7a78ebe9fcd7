// Package moiraicore is what the two Moirai hooks share, and the place where
// every rule of the gate stands.
//
// The promise of the whole program is one sentence: a marker means that the
// thing really happened, and no failure anywhere lets a gated tool run without
// all four markers. The client runs the tool unless a hook exits with 2, so
// "closed" is always exit 2 and never another code (D13).
//
// An auditor reads the enforcement path in this order:
//
//  1. rules.go: every literal. Nothing else decides; no code of ours reads an
//     environment variable or a configuration file (Go's runtime reads some of the
//     first, see docs/THREAT-MODEL.md), and the only argument is the page K/N.
//  2. failclosed.go: the only ends of a hook: the watchdog, panics, exit 2.
//  3. payload.go: stdin, decoded strictly (D1).
//  4. scope.go: is this session ours, and which root (D2).
//  5. tokenfile.go: checks before any byte is trusted (D3, D4).
//  6. record.go: what a line is, and what the lines together say: of which context, of
//     which agent, at which prompt (D5, D7, D8, D20, D21, D24).
//  7. exempt.go: what passes without markers, and what counts as /start (D9, D11, D12).
//  8. required.go: the three files and their delivery (D6, D7).
//  9. reason.go: why a call is blocked, in words; it decides nothing (D14).
//  10. ../hades-session-load and ../hades-gate: the order of it all.
//
// The rules that the code follows in that order:
//
//   - Before the scope is known, only the JSON and cwd are judged.
//   - The token directory is checked before a token file in it is opened.
//   - A token file is opened without following a link and without waiting,
//     locked, and only then checked and read.
//   - A writer appends under an exclusive lock, in one write, or not at all.
//   - Output comes before the marker that says it went out.
//   - What an event ends is recorded before anything else can fail; where it cannot
//     be, the token is put aside.
//   - Every wait is bounded: the lock by 2 s, the process by 5.5 s from the start of
//     Run; only an append that has begun is let finish.
package moiraicore
