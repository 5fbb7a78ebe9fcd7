package main

// testCase is one row of the table.
type testCase struct {
	class string // of §5.1, of §9, or the number of a decision
	name  string // states the rule that the case guards
	needs needs
	steps []step
}

func (c *testCase) fullName() string { return c.class + "/" + c.name }

// needs says what a case takes from the platform.
type needs uint

const (
	// alone: the case changes the token directory or /tmp themselves, so that
	// no other case may run beside it, and no live session may exist.
	alone needs = 1 << iota
	// mount: the case mounts a file system of its own.
	mount
	// modeBits: mode bits must bind the uid that runs the case.
	modeBits
	// foreign: the case gives a file to another uid.
	foreign
	// patient: the case waits for seconds, mostly asleep; it is started first.
	patient
	// crowd: the case starts many processes at once; no other runs beside it.
	crowd
	// linux: the case is about what only Linux has.
	linux
)

func (n needs) has(bit needs) bool { return n&bit != 0 }

// allCases lists every table, in the order of the report.
func allCases() [][]testCase {
	return [][]testCase{
		loaderCases, gateCases, unknownCases,
		payloadCases, scopeCases, tokenDirCases, tokenFileCases, recordCases,
		orderCases, pageCases, compactionCases, startCases, skillCases,
		readCases, exemptCases, closedCases, messageCases, harnessCases,
		keepAliveCases, contextCases, agentCases, promptCases, servedCases, clientCases, concurrencyCases,
		macCases,
	}
}
