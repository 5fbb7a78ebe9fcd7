package main

// D3: the token directory is checked on every call in scope. Each condition
// names the path and the one command that repairs it.
var tokenDirCases = []testCase{
	{class: "D3", name: "a blocked call makes the directories, and no token", needs: alone, steps: []step{
		blocked("____"), modeOf(tokenParent, dir0700), modeOf(tokenDir, dir0700), noToken(),
	}},
	{class: "D3", name: "an exempt call makes them too: it is checked on every call", needs: alone, steps: []step{
		gate(tool("TaskList")), modeOf(tokenDir, dir0700), remove(tokenParent), gate(prompt("hello")), modeOf(tokenDir, dir0700),
	}},
	{class: "D3", name: "a umask of 0777 does not make a directory that we cannot use", needs: alone | modeBits, steps: []step{
		load().umask(0o777), start(), allowed(),
	}},
	{class: "D3", name: "the parent exists, the directory does not", needs: alone, steps: []step{
		mkdir(tokenParent), chmod(tokenParent, 0o700), load(), modeOf(tokenDir, dir0700), tokenIs(loadedLines),
	}},
	{class: "D3", name: "0755, as the bash version made them, are taken", needs: alone, steps: []step{
		mkdir(tokenDir), chmod(tokenParent, 0o755), chmod(tokenDir, 0o755), load(), start(), allowed(), modeOf(tokenDir, dir0755),
	}},
	{class: "D3", name: "hades is a link to a directory of ours", needs: alone, steps: everyCallClosed(
		[]step{makeTokenDir(), remove(tokenDir), mkdir("{dir}/mine"), chmod("{dir}/mine", 0o700), link(tokenDir, "{dir}/mine")}, tokenDir+" is not a directory", "rm -r")},
	{class: "D3", name: "moirai is a link to a directory of ours", needs: alone, steps: everyCallClosed(
		[]step{mkdir("{dir}/mine/hades"), chmod("{dir}/mine", 0o700), link(tokenParent, "{dir}/mine")}, tokenParent+" is not a directory", "rm -r")},
	{class: "D3", name: "a dangling link", needs: alone, steps: everyCallClosed(
		[]step{link(tokenParent, "{dir}/gone")}, tokenParent+" is not a directory", "rm -r",
	)},
	{class: "D3", name: "moirai is a file", needs: alone, steps: everyCallClosed(
		[]step{write(tokenParent, "x")}, tokenParent+" is not a directory", "rm -r",
	)},
	{class: "D3", name: "hades is a file", needs: alone, steps: everyCallClosed(
		[]step{makeTokenDir(), remove(tokenDir), write(tokenDir, "x")}, tokenDir+" is not a directory", "rm -r",
	)},
	{class: "D3", name: "hades is a FIFO", needs: alone, steps: everyCallClosed(
		[]step{makeTokenDir(), remove(tokenDir), fifo(tokenDir)}, tokenDir+" is not a directory", "rm -r",
	)},
	{class: "D3", name: "moirai belongs to another uid", needs: alone | foreign, steps: everyCallClosed(
		[]step{makeTokenDir(), foreignOwner(tokenParent)}, tokenParent+" belongs to uid", "sudo rm -r",
	)},
	{class: "D3", name: "hades belongs to another uid", needs: alone | foreign, steps: everyCallClosed(
		[]step{makeTokenDir(), foreignOwner(tokenDir)}, tokenDir+" belongs to uid", "sudo rm -r",
	)},
	{class: "D3", name: "moirai is writable by the group", needs: alone, steps: everyCallClosed(
		[]step{makeTokenDir(), chmod(tokenParent, 0o720)}, tokenParent+" is writable by group or others", "chmod 700 "+tokenParent+"\n",
	)},
	{class: "D3", name: "moirai is writable by others", needs: alone, steps: everyCallClosed(
		[]step{makeTokenDir(), chmod(tokenParent, 0o702)}, tokenParent+" is writable by group or others", "chmod 700 "+tokenParent+"\n",
	)},
	{class: "D3", name: "hades is writable by the group", needs: alone, steps: everyCallClosed(
		[]step{makeTokenDir(), chmod(tokenDir, 0o770)}, tokenDir+" is writable by group or others", "chmod 700 "+tokenDir+"\n",
	)},
	{class: "D3", name: "hades is writable by others", needs: alone, steps: everyCallClosed(
		[]step{makeTokenDir(), chmod(tokenDir, 0o777)}, tokenDir+" is writable by group or others", "chmod 700 "+tokenDir+"\n",
	)},
	{class: "D3", name: "hades is world-writable and sticky", needs: alone, steps: everyCallClosed(
		[]step{makeTokenDir(), chmod(tokenDir, 0o777|sticky)}, tokenDir+" is writable by group or others", "chmod 700 "+tokenDir+"\n",
	)},
	{class: "D3", name: "moirai is not writable by us", needs: alone | modeBits, steps: everyCallClosed(
		[]step{makeTokenDir(), chmod(tokenParent, 0o500)}, tokenParent+" is not writable by us", "chmod 700 "+tokenParent+" ",
	)},
	{class: "D3", name: "hades is not writable by us", needs: alone | modeBits, steps: everyCallClosed(
		[]step{makeTokenDir(), chmod(tokenDir, 0o500)}, tokenDir+" is not writable by us", "chmod 700 "+tokenDir+" ",
	)},
	{class: "D3", name: "hades is not searchable by us", needs: alone | modeBits, steps: everyCallClosed(
		[]step{makeTokenDir(), chmod(tokenDir, 0o600)}, tokenDir+" is not writable by us", "chmod 700 "+tokenDir+" ",
	)},
	{class: "D3", name: "moirai has no mode bits at all", needs: alone | modeBits, steps: everyCallClosed(
		[]step{makeTokenDir(), chmod(tokenParent, 0)}, tokenParent+" ", "chmod 700 "+tokenParent+" ",
	)},
	{class: "D3", name: "a read-only file system", needs: alone | mount, steps: everyCallClosed(
		[]step{makeTokenDir(), readOnly(tokenParent)}, tokenParent+" is not writable by us", "read-only",
	)},
	{class: "D3", name: "no room for a directory in /tmp", needs: alone | mount, steps: everyCallClosed([]step{
		mkdir(tokenParent), fullOfInodes(tokenParent)}, tokenDir, "df -i")},
	{class: "D3", name: "a whole token does not help in a bad directory", needs: alone, steps: []step{
		load(), start(), allowed(), chmod(tokenDir, 0o777), gate(bash).failsClosed(tokenDir), chmod(tokenDir, 0o700),
		chmod(tokenParent, 0o777), gate(bash).failsClosed(tokenParent + " "),
		chmod(tokenParent, 0o700), allowed(),
	}},
}

// everyCallClosed: in a state of the token directory each call in scope ends in
// exit 2 with this condition and this way out.
func everyCallClosed(prepare []step, condition, wayOut string) []step {
	steps := prepare
	for _, p := range []payload{bash, prompt("/start"), prompt("hello"), skill("start"), skill("other"), tool("TaskList"), read("/x/CLAUDE.md"),
		read("{root}/CONTEXT.md"), shown(2), compact("auto")} {
		steps = append(steps, gate(p).failsClosed(condition, wayOut))
	}
	return append(steps, loader(startup).failsClosed(condition, wayOut))
}
