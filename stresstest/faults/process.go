package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"time"

	"moirai/stresstest/rig"
)

// onProcess lists what can be wrong with the process itself.
var onProcess = []fault{
	{name: "GOTRACEBACK=crash", want: same, apply: env("GOTRACEBACK=crash")},
	{name: "GOTRACEBACK of nonsense", want: same, tries: three, apply: env("GOTRACEBACK=nonsense", "GOTRACEBACK=999999999999", "GOTRACEBACK=wer")},
	{name: "GODEBUG oddities", want: same, tries: count(oddDebug), apply: env(oddDebug...)},
	{name: "GODEBUG that takes the runtime's own memory from it", want: "dddddd", tries: count(brokenMemory), apply: env(brokenMemory...)},
	{name: "GOGC, GOMAXPROCS oddities", want: same, tries: count(oddRuntime), apply: env(oddRuntime...)},
	{name: "GODEBUG that the runtime refuses", want: "FFFFFF", apply: env("GODEBUG=cgocheck=2")},
	{name: "GOMEMLIMIT malformed", want: "FFFFFF", tries: two, apply: env("GOMEMLIMIT=abc", "GOMEMLIMIT=-1")},
	{name: "the clock at 0 and in 2100", want: same, lacks: needStrace, tries: two, apply: func(s *scene, i int) error { return s.clock(clocks[i]) }},
	{name: "hopeful variables, one by one", want: same, tries: count(hopeful), apply: env(hopeful...)},
	{name: "hopeful variables, all at once", want: same, apply: func(s *scene, _ int) error { s.cmd.Env = hopeful; return nil }},
	{name: "empty environment", want: same, apply: func(s *scene, _ int) error { s.cmd.Env = []string{}; return nil }},
	{name: "HOME, PATH, TMPDIR elsewhere", want: same, tries: three, apply: env("HOME=/nowhere", "PATH=", "TMPDIR=/nowhere")},
	{name: "an environment of a megabyte", want: same, apply: func(s *scene, _ int) error {
		for i := range 10 {
			s.cmd.Env = append(s.cmd.Env, fmt.Sprintf("BALLAST_%d=%s", i, strings.Repeat("x", 100_000)))
		}
		return nil
	}},
	{name: "argv empty, not even a name", want: same, lacks: needLinux, apply: func(s *scene, _ int) error { s.cmd.NoArgv = true; return nil }},
	{name: "a misleading name", want: same, tries: three, apply: func(s *scene, i int) error {
		s.cmd.Argv0 = []string{"-", "../../etc/passwd", strings.Repeat("n", 100_000)}[i]
		return nil
	}},
	{name: "RLIMIT_NOFILE 0 to 12", want: "rrrrrr", tries: func(*scene) int { return 13 }, apply: func(s *scene, i int) error {
		s.prelude = fmt.Sprintf("ulimit -n %d", i)
		return nil
	}},
	{name: "RLIMIT_FSIZE 0", want: "CB0NNC", says: "token file.*too large", apply: limit("ulimit -f 0")},
	{name: "RLIMIT_AS, from 1 MB up", want: "rrrrrr", lacks: needLinux, tries: func(*scene) int { return 16 }, apply: func(s *scene, i int) error {
		s.prelude = fmt.Sprintf("ulimit -v %d", 1000<<i/2+1000*i)
		return nil
	}},
	{name: "RLIMIT_DATA, from 1 MB up", want: "rrrrrr", lacks: needLinux, tries: func(*scene) int { return 10 }, apply: func(s *scene, i int) error {
		s.prelude = fmt.Sprintf("ulimit -d %d", 1000<<i)
		return nil
	}},
	{name: "RLIMIT_STACK 8 kB", want: "rrrrrr", apply: limit("ulimit -s 8")},
	{name: "RLIMIT_NPROC 0", want: "FFFFFF", lacks: func(p *platform) string { return needLinux(p) + needPlain(p) }, apply: limit("ulimit -p 0")},
	{name: "RLIMIT_CPU 1 s, and a payload that takes more", want: "rrrrrr", heavy: true, apply: func(s *scene, _ int) error {
		s.prelude = "ulimit -t 1"
		return payload(func(p []byte) []byte { return large(p, 127<<20) })(s, 0)
	}},
	{name: "no /proc", want: same, lacks: needPrivate, apply: func(s *scene, _ int) error { return s.cover("/proc") }},
	{name: "no /dev", want: same, lacks: needPrivate, apply: func(s *scene, _ int) error { return s.cover("/dev") }},
	{name: "no /proc, no /dev, no /sys, descriptors closed", want: "FFFFFF", lacks: needPrivate, apply: func(s *scene, _ int) error {
		s.deafOut, s.deafErr = true, true
		s.cmd.Closed = append(s.cmd.Closed, 0, 1, 2)
		return s.cover("/proc", "/dev", "/sys")
	}},
	{name: "umask 0777 and 0000", want: same, tries: two, apply: func(s *scene, i int) error {
		s.prelude = []string{"umask 0777", "umask 0000"}[i]
		return nil
	}},
	{name: "umask 0777 and 0000, and no token directory", want: "0BB000", tries: two, apply: func(s *scene, i int) error {
		s.prelude = []string{"umask 0777", "umask 0000"}[i]
		s.before = ""
		return os.RemoveAll(tokenParent)
	}},
	{name: "working directory deleted", want: same, apply: func(s *scene, _ int) error { return s.deserted(s.root + "/deleted") }},
	{name: "cwd deleted, in the payload too", want: same, apply: func(s *scene, _ int) error {
		s.payload = []byte(strings.Replace(string(s.payload), `"cwd":"`+s.root, `"cwd":"`+s.root+"/deleted/deeper", 1))
		return s.deserted(s.root + "/deleted/deeper")
	}},
	{name: "priority at its lowest", want: same, apply: limit("renice -n 19 $$ >/dev/null 2>&1")},
	{name: "stopped and continued", want: "rrrrrr", tries: func(*scene) int { return 20 }, apply: func(s *scene, _ int) error {
		s.during = func(p *rig.Process) error {
			time.Sleep(time.Duration(rand.IntN(int(typical))))
			p.Signal(syscall.SIGSTOP)
			time.Sleep(50 * time.Millisecond)
			p.Signal(syscall.SIGCONT)
			return nil
		}
		return nil
	}},
	{name: "a system call that takes longer than the watchdog waits", want: "CCCNNC", says: "had not finished", slow: true, lacks: needStrace, apply: func(s *scene, _ int) error {
		s.behind("-qq", "-f", "-o", "/dev/null", "-e", "trace=flock", "-e", "inject=flock:delay_enter=5400000") // microseconds; strace itself waits for it
		return nil
	}},
	{name: "an exit that fails five times", want: same, lacks: needStrace, apply: func(s *scene, _ int) error {
		s.behind("-qq", "-f", "-o", "/dev/null", "-e", "trace=exit_group", "-e", "inject=exit_group:error=EPERM:when=1..5")
		return nil
	}},
	{name: "stopped for longer than the watchdog, and continued", want: "rrrrrr", slow: true, apply: func(s *scene, _ int) error {
		s.paused = true
		s.during = func(p *rig.Process) error {
			time.Sleep(typical / 2)
			p.Signal(syscall.SIGSTOP)
			time.Sleep(5500 * time.Millisecond)
			p.Signal(syscall.SIGCONT)
			return nil
		}
		return nil
	}},
}

// beyond lists what is left out, with the reason.
var beyond = []string{
	"the shell of the wired command line, told by the kernel of a crash, dies of SIGPIPE if stderr is a pipe that lost its reader: the client has gone then, and asks for no exit code",
	"GOMAXPROCS of tens of thousands keeps Go's runtime busy for seconds to minutes before our first line: the managed drop-in pins it, nothing in a program can",
}

var oddDebug = []string{
	"GODEBUG=nonsense", "GODEBUG=inittrace=1", "GODEBUG=gctrace=1", "GODEBUG=schedtrace=1", "GODEBUG=panicnil=1", "GODEBUG=asyncpreemptoff=1",
	"GODEBUG=execerrdot=0,osfinderr=0", "GODEBUG=gcstoptheworld=2", "GODEBUG=dontfreezetheworld=1",
	"GODEBUG=invalidptr=1,madvdontneed=1,netdns=go", "GODEBUG=jsonv2=1", "GODEBUG=fips140=on", "GODEBUG=" + strings.Repeat("a=b,", 20_000),
}

// brokenMemory are switches for those who mend the Go runtime: with them it may, now
// and then, come upon a fault of its own and end there.
var brokenMemory = []string{"GODEBUG=sbrk=1", "GODEBUG=clobberfree=1"}

var oddRuntime = []string{
	"GOGC=off", "GOGC=0", "GOGC=1", "GOGC=-5", "GOGC=abc", "GOGC=99999999999", "GOMEMLIMIT=1", "GOMEMLIMIT=1MiB", "GOMEMLIMIT=off",
	"GOMAXPROCS=1", "GOMAXPROCS=0", "GOMAXPROCS=-1", "GOMAXPROCS=1000", "GOMAXPROCS=abc", "GOCOVERDIR=/nowhere", "GORACE=exitcode=0",
	"LD_PRELOAD=/nowhere.so", "LD_AUDIT=/nowhere.so", "LD_LIBRARY_PATH=/nowhere", "LD_DEBUG=help", "LD_TRACE_LOADED_OBJECTS=1", "MALLOC_CHECK_=3", "LC_ALL=tr_TR.UTF-8", "TZ=/nowhere",
}

// hopeful lists what a person might set in the hope that the gate opens.
var hopeful = func() (all []string) {
	for _, name := range []string{"MOIRAI", "HADES", "MOIRAI_HADES", "HADES_GATE", "MOIRAI_GATE"} {
		for _, suffix := range []string{"", "_DISABLE", "_DISABLED", "_OFF", "_SKIP", "_BYPASS", "_ALLOW", "_OVERRIDE", "_UNLOCK", "_FORCE", "_OPEN"} {
			all = append(all, name+suffix+"=1")
		}
	}
	return append(all, "MOIRAI=0", "MOIRAI_ENABLED=0", "MOIRAI_ENABLED=false", "MOIRAI_MODE=permissive", "MOIRAI_FAIL_OPEN=1", "MOIRAI_TOKEN_DIR=/tmp/c", "MOIRAI_DIR=/tmp/c",
		"HADES_ROOT=/tmp/c", "HADES_ROOT=", "HADES_SESSION=x", "HADES_SCOPE=none", "START_ACK=1", "COMMANDMENTS_ACK=1", "CLAUDE_PROJECT_DIR=/tmp", "CLAUDE_SESSION_ID=x",
		"CLAUDE_CODE_SIMPLE=1", "CLAUDE_CODE_SAFE_MODE=1", "DISABLE_HOOKS=1", "NO_HOOKS=1", "CI=true", "DEBUG=1", "TEST=1", "DRY_RUN=1")
}()

func count(list []string) func(*scene) int { return func(*scene) int { return len(list) } }

func env(values ...string) func(*scene, int) error {
	return func(s *scene, i int) error {
		s.cmd.Env = append([]string{"PATH=/usr/bin:/bin", "HOME=/tmp/c"}, values[i])
		return nil
	}
}

func limit(prelude string) func(*scene, int) error {
	return func(s *scene, _ int) error { s.prelude = prelude; return nil }
}

// cover puts an empty file system over each folder.
func (s *scene) cover(dirs ...string) error {
	for _, dir := range dirs {
		if err := rig.MountSmall(dir, 4096, 0); err != nil {
			return err
		}
		s.later(func() { rig.Unmount(dir) })
	}
	return nil
}

// deserted starts the hook in a folder that is gone before it gets its payload.
func (s *scene) deserted(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	s.cmd.Dir = dir
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	s.later(func() { r.Close(); w.Close() })
	s.cmd.In = r
	s.during = func(*rig.Process) error {
		if err := os.RemoveAll(s.root + "/deleted"); err != nil {
			return err
		}
		_, err := w.Write(s.payload)
		w.Close()
		return err
	}
	return nil
}

// clocks are what clock_gettime is made to say, as strace takes it: which calls, and the
// bytes of seconds and nanoseconds. The monotonic clock says the same, so it cannot run;
// for a clock that has gone back, token files come from the future.
var clocks = []string{
	"poke_exit=@arg2=00000000000000000100000000000000", // one nanosecond after 1970 began
	"poke_exit=@arg2=005786f4000000000000000000000000", // 2100
}

// clock gives the hook another clock. The Go runtime asks the vDSO, where strace sees
// nothing; in a copy of the hook that looks for it under another name it makes the
// system call instead.
func (s *scene) clock(says string) error {
	b, err := os.ReadFile(s.cmd.Path)
	if err != nil {
		return err
	}
	vdso, kernel := []byte("__vdso_clock_gettime"), []byte("__kernel_clock_gettime")
	if !bytes.Contains(b, vdso) && !bytes.Contains(b, kernel) {
		return errors.New("the hook does not look for the clock in the vDSO")
	}
	b = bytes.ReplaceAll(b, vdso, []byte("__vdso_clock_gettimX"))
	b = bytes.ReplaceAll(b, kernel, []byte("__kernel_clock_gettimX"))
	s.cmd.Path = "/tmp/c/copy"
	// No process of another arena may be forked with this file open for writing: it
	// could not be executed then.
	syscall.ForkLock.RLock()
	err = os.WriteFile(s.cmd.Path, b, 0o755)
	syscall.ForkLock.RUnlock()
	if err != nil {
		return err
	}
	s.behind("-qq", "-f", "-o", traceLog, "-e", "trace=clock_gettime", "-e", "inject=clock_gettime:"+says)
	return nil
}
