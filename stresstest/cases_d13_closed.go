package main

// D13: however a hook fails, it ends in exit 2.
var closedCases = []testCase{
	{class: "D13", name: "two lines: the condition, and the way out", steps: []step{
		gate(raw("")).prints(nothing).failsClosed("stdin"), loader(raw("")).failsClosed("stdin"),
	}},
	{class: "D13", name: "stderr closed", steps: []step{
		load(), blocked("xxx_").closing(2), gate(raw("")).failsClosed().closing(2), loader(raw("")).failsClosed().closing(2),
	}},
	{class: "D13", name: "stderr a broken pipe", steps: []step{
		load(), gate(bash).refuses().broken(2), gate(raw("")).refuses().broken(2), loader(raw("")).refuses().broken(2),
	}},
	{class: "D13", name: "stderr full", needs: linux, steps: []step{
		load(), gate(bash).refuses().stream(2, "/dev/full"), gate(raw("")).refuses().stream(2, "/dev/full"),
	}},
	{class: "D13", name: "stderr that nobody reads: the watchdog", needs: patient, steps: []step{load(), gate(bash).refuses().stuffed(2)}},
	{class: "D13", name: "stdout and stderr closed", steps: []step{
		load(), gate(bash).refuses().closing(1, 2), loader(startup).refuses().closing(1, 2),
	}},
	{class: "D13", name: "stdin closed", steps: []step{
		load(), start(), gate(bash).failsClosed("stdin").closing(0), loader(startup).failsClosed("stdin").closing(0),
	}},
	{class: "D13", name: "all three closed", steps: []step{
		load(), start(), gate(bash).refuses().closing(0, 1, 2), loader(startup).refuses().closing(0, 1, 2),
	}},
	{class: "D13", name: "stdin a directory, /dev/null, a file", steps: []step{
		load(), start(), gate(bash).failsClosed("stdin").directoryIn("{dir}"), gate(bash).failsClosed("stdin").stream(0, "/dev/null"),
		write("{dir}/empty", ""), gate(bash).failsClosed("stdin").stream(0, "{dir}/empty"),
		write("{dir}/payload", `{"cwd":"{root}","session_id":"{session}","hook_event_name":"PreToolUse","tool_name":"Bash"}`),
		gate(bash).stream(0, "{dir}/payload"),
	}},
	{class: "D13", name: "stdin open for writing alone", steps: []step{
		load(), start(), write("{dir}/out", "x"), gate(bash).failsClosed("stdin").writeOnlyIn("{dir}/out"),
	}},
	{class: "D13", name: "stdin that never ends: the watchdog", needs: patient, steps: []step{
		load(), start(), gate(bash).failsClosed("5s").endless(),
	}},
	{class: "D13", name: "stdin that never begins: the watchdog", needs: patient, steps: []step{
		load(), start(), gate(raw("")).failsClosed("5s").endless(),
	}},
	{class: "D13", name: "stdin that never ends at /start: the watchdog blocks, nothing is known yet", needs: patient, steps: []step{
		load(), gate(prompt("/start")).failsClosed("5s").endless(), tokenIs(loadedLines),
	}},
	{class: "D13", name: "stdin that never ends at the load: the watchdog, no marker", needs: patient, steps: []step{
		loader(startup).failsClosed("5s").endless(), unmarked(),
	}},
	{class: "D13", name: "stdin of zeros without end", steps: []step{
		load(), start(), gate(bash).failsClosed("stdin").stream(0, "/dev/zero"), loader(startup).failsClosed("stdin").stream(0, "/dev/zero"),
	}},
	{class: "D13", name: "GOTRACEBACK=crash", steps: []step{
		load(), blocked("xxx_").env("GOTRACEBACK=crash"), gate(raw("{")).failsClosed("stdin").env("GOTRACEBACK=crash"),
		loader(startup).failsClosed("deliver").closing(1).env("GOTRACEBACK=crash"),
	}},
	{class: "D13", name: "an empty environment, and one of oddities", steps: []step{
		load(), start(), allowed().noEnv(), session("b"), loader(startup).prints(theWholeBlock).noEnv(), blocked("xxx_").noEnv(),
		blocked("xxx_").env("GOGC=off", "GODEBUG=gctrace=0,madvdontneed=1", "GOMAXPROCS=1", "TMPDIR={dir}", "HOME=", "PWD=/", "LANG=xx"),
	}},
	{class: "D13", name: "no environment variable is a way out", steps: []step{
		load(),
		blocked("xxx_").env("MOIRAI_DISABLE=1", "MOIRAI_ALLOW=1", "HADES_GATE=off", "HADES_ROOT=/", "MOIRAI_SKIP=1", "SKIP_HOOKS=1", "CI=true", "DEBUG=1",
			"CLAUDE_PROJECT_DIR=/", "MOIRAI_TOKEN_DIR={dir}", "TMPDIR={dir}"),
	}},
	{class: "D13", name: "no argument is a way out", steps: []step{
		load(), blocked("xxx_").args("--allow"), blocked("xxx_").args("-h"), blocked("xxx_").args("allow", "Bash"), blocked("xxx_").args(""),
	}},
	{class: "D13", name: "an empty argv", steps: []step{
		load(), blocked("xxx_").noArgv(), session("b"), loader(startup).prints(theWholeBlock).noArgv(),
	}},
	{class: "D13", name: "the working directory deleted", steps: []step{
		load(), start(), session("b"), mkdir("{dir}/wd"), loader(startup).prints(theWholeBlock).inDeleted("{dir}/wd"),
		blocked("xxx_").inDeleted("{dir}/wd2"),
	}},
	{class: "D13", name: "few descriptors, little processor time, small files", needs: linux, steps: []step{
		load(), blocked("xxx_").limited("-n 8"), blocked("xxx_").limited("-f 0"), blocked("xxx_").limited("-s 64"), session("b"),
		loader(startup).prints(nil).failsClosed("{token}").limited("-f 0"), unmarked(),
	}},
	{class: "D13", name: "a failed append and a stderr that nobody reads: still an end", needs: alone | mount, steps: []step{
		makeTokenDir(), small(tokenDir, 4096), tokenOfSize(4080, loadedLines), gate(skill("start")).refuses().stuffed(2), sizeOf("{token}", 4080),
	}},
	{class: "D13", name: "a signal does not end it with another code: SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGQUIT, SIGXCPU, SIGXFSZ, SIGTSTP, SIGTTIN, SIGTTOU", needs: patient, steps: []step{
		load(), start(), signalled{},
	}},
	{class: "D13", name: "deep nesting in a key that is skipped", steps: []step{
		load(), start(), gate(also(bash, "deep", nested(9_000))), gate(also(bash, "deep", nested(200_000))).failsClosed("stdin"),
	}},
}
