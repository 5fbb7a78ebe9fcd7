package main

// pairs lists the pairs of faults that make sense: what hinders the way to exit 2
// (stderr, stdout, a traceback that aborts) with everything that needs that way, and
// what takes descriptors away with what opens files.
func pairs(all []fault) []fault {
	named := map[string]fault{}
	for _, f := range all {
		named[f.class+": "+f.name] = f
	}
	hindering := []string{
		"streams: stderr closed", "streams: stderr a broken pipe", "streams: stderr full", "streams: stdout and stderr closed", "process: GOTRACEBACK=crash",
		"process: RLIMIT_FSIZE 0", "process: no /proc",
	}
	var out []fault
	for _, h := range hindering {
		for _, f := range all {
			if f.class == "streams" || f.heavy || f.slow || f.class == named[h].class {
				continue
			}
			out = append(out, both(named[h], f, unsure(f.want)))
		}
	}
	for _, p := range [...][2]string{
		{"streams: stderr a pipe that nobody reads", "token file: locked by a live process"},
		{"streams: stderr a pipe that nobody reads", "stdin: a pipe that never ends, half a payload"},
		{"streams: stderr a pipe that nobody reads", "token dir: mode 0777, 0720, 0702"},
		{"streams: stderr a pipe that nobody reads", "required: all missing"},
		{"streams: stderr a pipe that nobody reads", "token dir: full, not a byte left"},
		{"streams: stderr a pipe that nobody reads", "process: RLIMIT_FSIZE 0"},
		{"streams: stdout a pipe that nobody reads", "token file: locked by a live process"},
		{"streams: stdout a pipe that nobody reads", "token dir: full, not a byte left"},
		{"streams: stdout a pipe that nobody reads", "token file: a FIFO"},
		{"process: stopped and continued", "token file: locked by a stopped process"},
		{"process: RLIMIT_NOFILE 0 to 12", "streams: stdin, stdout and stderr closed"},
		{"process: no /dev", "streams: stdin, stdout and stderr closed"},
		{"process: no /dev", "streams: stdout closed"},
	} {
		a, b := named[p[0]], named[p[1]]
		if a.name == "" || b.name == "" {
			panic("no such fault: " + p[0] + " or " + p[1])
		}
		pair := both(a, b, "rrrrrr")
		pair.slow = true
		out = append(out, pair)
	}
	return out
}

// unsure is what two faults at once may end in. What had to be exit 2 by the second
// one alone stays so, for the gate; which of the two names itself is open.
func unsure(want string) string {
	out := []byte("rrrrrr")
	if want[blocked] == 'C' {
		out[blocked] = 'X'
	}
	if want[allowed] == 'C' || want[allowed] == 'B' {
		out[allowed] = 'X'
	}
	return string(out)
}
