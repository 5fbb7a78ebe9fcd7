package main

import (
	"syscall"

	"moirai/stresstest/rig"
)

// The six loader classes of §5.1.
var loaderCases = []testCase{
	{class: "loader/Happy path", name: "3 files readable: 3 markers written, every byte on stdout, exit 0", steps: []step{
		load(), tokenIs(loadedLines),
	}},
	{class: "loader/Happy path", name: "the block byte for byte", steps: []step{
		loader(startup).prints(exactly(smallBlock)),
	}},
	{class: "loader/Happy path", name: "token file 0600 in directories of 0700", needs: alone, steps: []step{
		load(), modeOf("{token}", 0o600), modeOf(tokenDir, dir0700), modeOf(tokenParent, dir0700), unlocked(),
	}},
	{class: "loader/Happy path", name: "umask cannot widen what it creates", needs: alone, steps: []step{
		load().umask(0), modeOf("{token}", 0o600), modeOf(tokenDir, dir0700), modeOf(tokenParent, dir0700),
	}},
	{class: "loader/Happy path", name: "a second load begins anew", steps: []step{
		load(), load(), tokenIs(loadedLines, loadedLines), blocked("xxx_"),
	}},
	{class: "loader/Happy path", name: "every source loads: startup, resume, clear, compact, fork", steps: []step{
		loader(sessionStart("startup")).prints(theWholeBlock),
		loader(sessionStart("resume")).prints(theWholeBlock),
		session("b"), loader(sessionStart("clear")).prints(theWholeBlock), tokenIs(loadedLines),
		session("c"), loader(sessionStart("compact")).prints(theWholeBlock), tokenIs(reloadedLines),
		session("d"), loader(sessionStart("fork")).prints(theWholeBlock), tokenIs(resumedLines),
	}},
	{class: "loader/Happy path", name: "from a sub-folder of the root", steps: []step{
		at("{root}/docs/book-of-hades"), load(), tokenIs(loadedLines),
	}},
	{class: "loader/Happy path", name: "from another working directory than cwd says", steps: []step{
		mkdir("{dir}/elsewhere"), load().in("{dir}/elsewhere"), tokenIs(loadedLines),
	}},

	{class: "loader/Scope check", name: "cwd outside Hades: exit 0, no output, no token", steps: []step{
		mkdir("{dir}/elsewhere"), at("{dir}/elsewhere"), loader(startup), unmarked(),
	}},
	{class: "loader/Scope check", name: "out of scope not even the directory is made", needs: alone, steps: []step{
		at("{dir}"), loader(startup), absent(tokenParent),
	}},
	{class: "loader/Scope check", name: "the parent of the root is outside", steps: []step{
		at("{dir}"), loader(startup), unmarked(),
	}},
	{class: "loader/Scope check", name: "a bad argument is no matter out of scope", steps: []step{
		at("{dir}"), loader(startup, "x"), unmarked(),
	}},
	{class: "loader/Scope check", name: "a foreign token directory is no matter out of scope", needs: alone | foreign, steps: []step{
		mkdir(tokenDir), foreignOwner(tokenParent), at("{dir}"), loader(startup),
	}},

	{class: "loader/Missing required file", name: "COMMANDMENTS.md moved: named, no partial markers", steps: []step{
		remove("{root}/" + required[0]), loader(startup).failsClosed("{root}/" + required[0]), unmarked(),
	}},
	{class: "loader/Missing required file", name: "scope.md moved: named, no partial markers", steps: []step{
		remove("{root}/" + required[1]), loader(startup).failsClosed("{root}/" + required[1]), unmarked(),
	}},
	{class: "loader/Missing required file", name: "CONTEXT.md moved: named, no partial markers", steps: []step{
		remove("{root}/" + required[2]), loader(startup).failsClosed("{root}/" + required[2]), unmarked(),
	}},
	{class: "loader/Missing required file", name: "all that are missing stand in one message", steps: []step{
		constellation("{dir}/b/constellation-hades", rig.Contents{}),
		loader(startup).failsClosed("{root}/"+required[0], "{root}/"+required[1], "{root}/"+required[2]), unmarked(),
	}},
	{class: "loader/Missing required file", name: "a load that failed leaves the gate closed", steps: []step{
		remove("{root}/" + required[1]), loader(startup).failsClosed("required"), start().says("START_ACK"), blocked("___x"),
	}},
	{class: "loader/Missing required file", name: "a later load that fails leaves nothing of an earlier one", steps: []step{
		load(), start(), remove("{root}/" + required[1]), loader(startup).failsClosed(required[1]), tokenIs(loadedLines, typedStart, failedNew),
		blocked("____", required[1]),
	}},

	{class: "loader/Symlink cwd", name: "link to the root still loads", steps: []step{
		link("{dir}/sym", "{root}"), at("{dir}/sym"), load(), tokenIs(loadedLines),
	}},
	{class: "loader/Symlink cwd", name: "link to a sub-folder still loads", steps: []step{
		link("{dir}/sym", "{root}/docs"), at("{dir}/sym/book-of-hades"), load(), tokenIs(loadedLines),
	}},

	{class: "loader/Unwritable token dir", name: "hades not writable", needs: alone | modeBits, steps: []step{
		makeTokenDir(), chmod(tokenDir, 0o500), loader(startup).failsClosed(tokenDir+" ", "chmod 700 "+tokenDir), unmarked(),
	}},
	{class: "loader/Unwritable token dir", name: "moirai not writable", needs: alone | modeBits, steps: []step{
		mkdir(tokenParent), chmod(tokenParent, 0o500), loader(startup).failsClosed(tokenParent+" ", "chmod 700 "+tokenParent+" "),
	}},
	{class: "loader/Unwritable token dir", name: "read-only file system", needs: alone | mount, steps: []step{
		makeTokenDir(), readOnly(tokenParent), loader(startup).failsClosed(tokenParent, "/tmp"), unmarked(),
	}},

	{class: "loader/Concurrent load", name: "5 at once: markers stand, every stdout whole", needs: crowd, steps: []step{
		times(5, load().orEnded()), start(), allowed(),
	}},
	{class: "loader/Concurrent load", name: "5 at once, no token directory yet", needs: alone, steps: []step{
		times(5, load().orEnded()), start(), allowed(),
	}},
	{class: "loader/Concurrent load", name: "5 at once in 5 sessions", needs: crowd, steps: []step{
		fixture(func(s *scene) error {
			var many together
			for _, suffix := range []string{"1", "2", "3", "4", "5"} {
				other := *s
				other.session.ID = s.id + suffix
				many = append(many, loader(func(*scene) []byte { return startup(&other) }).prints(theWholeBlock))
			}
			return many.do(s)
		}),
		session("1"), tokenIs(loadedLines), session("5"), tokenIs(loadedLines),
	}},
	{class: "loader/Concurrent load", name: "a load waits for a lock that is let go", needs: patient, steps: []step{
		token(typedStart), lockedFor(syscall.LOCK_EX, halfSecond), load(), tokenIs(typedStart, loadedLines),
	}},
}

// smallBlock is the block of rig.SmallContents, as the page format has it.
const smallBlock = `===== MOIRAI (HADES) INJECTION BLOCK: page 1 of 1 (pages arrive in any order) =====
----- FILE docs/book-of-hades/COMMANDMENTS.md: bytes 0 to 83 of 83, path {root}/docs/book-of-hades/COMMANDMENTS.md -----
# Commandments

1. No failure is left undealt with.
2. No secret leaves the vault.

----- END docs/book-of-hades/COMMANDMENTS.md: complete -----
----- FILE context/scope.md: bytes 0 to 43 of 43, path {root}/context/scope.md -----
# Scope

Hades: vaults, keys, credentials.

----- END context/scope.md: complete -----
----- FILE CONTEXT.md: bytes 0 to 49 of 49, path {root}/CONTEXT.md -----
# Context

Sample constellation of the test rig.

----- END CONTEXT.md: complete -----
===== END OF MOIRAI (HADES) INJECTION BLOCK: page 1 of 1 =====
`
