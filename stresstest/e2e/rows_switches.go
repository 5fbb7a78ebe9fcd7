package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"strings"

	"moirai/stresstest/realclient"
)

// Every way that is known to switch hooks off, against hooks in user settings and the managed drop-in. The call is a Write, which the client runs by itself:
// some switches break every shell.
var switchRows = []Row{
	{Name: "switches against the managed drop-in: none opens", Play: managedSwitches, Alone: true, Since: "2.1.118", Why: "the drop-in folder is not read"},
	{Name: "switches against the pins of the drop-in alone: none opens", Play: pinnedSwitches, Alone: true, Since: "2.1.118", Why: "the drop-in folder is not read"},
	{Name: "switches against user settings: the reason for the managed install", Play: userSwitches},
}

// A switchOff is one way; it may change the world before the client starts.
type switchOff struct {
	name  string
	since string   // first version that has it
	args  []string // of the client
	env   []string // of the client
	mode  []string // instead of bypass
	set   func(w *World)
	shell string // /bin/sh, if it is not the machine's

	managed bool // in the pinned run tried against the drop-in alone
	endless bool // unpinned it keeps a hook busy for minutes: tried against the pins alone

	everywhere bool   // it runs before the client's own code, so that no install holds
	held       string // first measured version in which the drop-in holds against it; empty: every one that has drop-ins
	why        string
}

const (
	skipsManaged = "it skips managed hooks too"
	execForm     = "2.1.200" // first measured version that knows it
	noExecForm   = "no exec form: every hook goes through a shell"
)

var switches = []switchOff{
	{name: "--bare", since: "2.1.118", args: []string{"--bare"}, held: "2.1.332", why: skipsManaged},
	{name: "--safe-mode", since: "2.1.200", args: []string{"--safe-mode"}},
	{name: "--restricted", since: "2.1.332", args: []string{"--restricted"}, mode: []string{"--permission-mode", "acceptEdits"}},
	{name: "--setting-sources project", args: []string{"--setting-sources", "project"}},
	{name: "--setting-sources with none, as the SDK's settingSources: []", args: []string{"--setting-sources", ""}, managed: true},
	{name: "--setting-sources local, as the SDK's settingSources: ['local']", args: []string{"--setting-sources", "local"}, managed: true},
	{name: "--settings disableAllHooks", args: []string{"--settings", `{"disableAllHooks":true}`}},
	{name: "disableAllHooks in .claude/settings.local.json", set: project("settings.local.json", `{"disableAllHooks":true}`)},
	{name: "disableAllHooks in .claude/settings.json", set: project("settings.json", `{"disableAllHooks":true}`)},
	{name: "CLAUDE_CODE_SIMPLE=1", env: []string{"CLAUDE_CODE_SIMPLE=1"}, held: "2.1.332", why: skipsManaged},
	{name: "CLAUDE_CODE_SAFE_MODE=1", env: []string{"CLAUDE_CODE_SAFE_MODE=1"}},
	{name: "CLAUDE_CONFIG_DIR=ELSEWHERE", env: []string{"CLAUDE_CONFIG_DIR=@/other"}},
	{name: "CLAUDE_CODE_SHELL_PREFIX=SCRIPT", env: []string{"CLAUDE_CODE_SHELL_PREFIX=/bin/true"}},
	{name: "LD_PRELOAD=LIB", env: []string{"LD_PRELOAD=@/quit.so"}, set: quitLibrary},
	{name: "LD_AUDIT=LIB", env: []string{"LD_AUDIT=@/quit.so"}, set: quitLibrary},
	{name: "env CLAUDE_CODE_SHELL_PREFIX in .claude/settings.local.json", set: project("settings.local.json", `{"env":{"CLAUDE_CODE_SHELL_PREFIX":"/bin/true"}}`), managed: true},
	{name: "env CLAUDE_CODE_SHELL_PREFIX in user settings", set: userEnv("CLAUDE_CODE_SHELL_PREFIX", "/bin/true")},
	{name: "CLAUDE_CODE_USE_COWORK_PLUGINS=1", since: "2.1.200", env: []string{"CLAUDE_CODE_USE_COWORK_PLUGINS=1"}},
	{name: "env CLAUDE_CODE_USE_COWORK_PLUGINS in user settings", since: "2.1.200", set: userEnv("CLAUDE_CODE_USE_COWORK_PLUGINS", "1"), managed: true},
	{name: "--managed-settings disableAllHooks", since: "2.1.332", args: []string{"--managed-settings", `{"disableAllHooks":true}`}},
	{name: "--managed-settings allowManagedHooksOnly, as the SDK's managedSettings", since: "2.1.332", args: []string{"--managed-settings", `{"allowManagedHooksOnly":true}`}, managed: true},
	{name: "--managed-settings strictPluginOnlyCustomization", since: "2.1.332", args: []string{"--managed-settings", `{"strictPluginOnlyCustomization":["hooks"]}`}, managed: true},
	{name: "BUN_OPTIONS=--preload=FILE", since: "2.1.118", env: []string{"BUN_OPTIONS=--preload=@/preload.js"}, set: preload, everywhere: true},
	{name: "SHELLOPTS=noexec, bash as /bin/sh", env: []string{"SHELLOPTS=noexec"}, shell: "/bin/bash", held: execForm, why: noExecForm},
	{name: "env SHELLOPTS=noexec in .claude/settings.json, bash as /bin/sh", set: project("settings.json", `{"env":{"SHELLOPTS":"noexec"}}`), shell: "/bin/bash", managed: true, held: execForm, why: noExecForm},
	{name: "env SHELLOPTS=noexec in .claude/settings.local.json, bash as /bin/sh", set: project("settings.local.json", `{"env":{"SHELLOPTS":"noexec"}}`), shell: "/bin/bash", held: execForm, why: noExecForm},
	{name: "env HOME=DIR in user settings", set: otherHome, managed: true},
	{name: "env CLAUDE_CODE_SIMPLE in user settings", set: userEnv("CLAUDE_CODE_SIMPLE", "1"), managed: true, held: "2.1.332", why: skipsManaged},
	{name: "env CLAUDE_CODE_SAFE_MODE in user settings", set: userEnv("CLAUDE_CODE_SAFE_MODE", "1"), managed: true},
	{name: "env LD_PRELOAD=LIB in user settings", set: userEnv("LD_PRELOAD", "@/quit.so"), managed: true},
	{name: "env LD_AUDIT=LIB in user settings", set: userEnv("LD_AUDIT", "@/quit.so"), managed: true},
	{name: "env LD_LIBRARY_PATH=DIR in user settings", set: userEnv("LD_LIBRARY_PATH", "@/libs"), managed: true},
	{name: "env LD_DEBUG=help in user settings", set: userEnv("LD_DEBUG", "help"), managed: true},
	{name: "env GOMAXPROCS=100000 in user settings", set: userEnv("GOMAXPROCS", "100000"), endless: true},
	{name: "env LD_TRACE_LOADED_OBJECTS=1 in user settings", set: userEnv("LD_TRACE_LOADED_OBJECTS", "1"), managed: true, held: execForm, why: noExecForm},
}

// project writes a settings file of the constellation.
func project(name, content string) func(*World) {
	return func(w *World) { w.write(w.Root+"/.claude/"+name, content) }
}

// preload writes a file that takes each hook away from a client that runs it first: in
// the place of any shell or program it starts true.
func preload(w *World) {
	w.write(w.Dir+"/preload.js", `const c = require("child_process"), spawn = c.spawn;
c.spawn = (command, args, options) => String(command + args + options).includes("hades") || String(command).includes("hades") ? spawn("/bin/true", [], {}) : spawn(command, args, options);
`)
}

// otherHome gives the commands that begin with $HOME another one, with a gate that says yes.
func otherHome(w *World) {
	for _, name := range []string{"hades-gate", "hades-session-load"} {
		path := w.Dir + "/other/.claude/hooks/moirai/" + name
		w.write(path, "#!/bin/sh\ncat >/dev/null\n")
		w.run.must(os.Chmod(path, 0o755))
	}
	userEnv("HOME", "@/other")(w)
}

// userEnv adds a variable to the env of the user settings as they are.
func userEnv(name, value string) func(*World) {
	return func(w *World) {
		quitLibrary(w)
		w.write(w.Dir+"/libs/libc.so.6", "no library\n")
		s := w.settings
		if s == nil {
			s = Settings{}
		}
		s["env"] = map[string]string{name: strings.ReplaceAll(value, "@", w.Dir)}
		w.UserSettings(s)
	}
}

func managedSwitches(r *Run) {
	w := r.World("none")
	w.ManagedSettings(r.ManagedWiring())
	s := w.Start(w.Root)
	t := s.Prompt("go", w.Write("before"))
	r.Check("no switch: loaded and blocked", w.Markers(s.ID) == loaded && blocked(t.Results[0], s.ID) && !w.Ran("before"), w.Token(s.ID), t.Results)
	s.Prompt("/start", w.Write("after"))
	r.Check("no switch: /start opens", w.Ran("after"))
	w.close()
	r.CheckSince("2.1.332", "it names PreSkillShellCommand as unknown, and enforces the rest", "the client says nothing against the settings", !strings.Contains(s.Stderr.String(), "ettings"), s.Stderr)
	for _, x := range r.allSwitches(func(switchOff) bool { return true }, func(w *World) { w.ManagedSettings(r.ManagedWiring()) }) {
		safe := len(x.results) > 0
		for _, y := range x.results {
			safe = safe && y.IsError
		}
		name := x.name + ": nothing runs"
		r.fact(x.name, yes(x.ran, "a tool RUNS, never started", "nothing runs"), x.ran && !x.everywhere)
		if x.everywhere {
			r.Check("LIMIT: "+x.name+": a tool RUNS, never started", x.ran, x.results)
		} else if x.held == "" {
			r.Check(name, !x.ran && safe, x.results)
		} else {
			r.CheckSince(x.held, x.why, name, !x.ran && safe, x.results)
		}
	}
}

// pinnedSwitches tries what the drop-in pins, without the exec form behind the pins.
func pinnedSwitches(r *Run) {
	named := func(x switchOff) bool {
		return x.endless || strings.Contains(x.name, "CLAUDE_CODE_SHELL_PREFIX") || strings.Contains(x.name, "LD_PRELOAD")
	}
	tried := r.allSwitches(named, func(w *World) { w.ManagedSettings(r.ShellOnly()) })
	for _, x := range tried {
		r.Check(x.name+": nothing runs", !x.ran, x.results)
	}
	r.Check("each was tried in the environment and in settings", len(tried) == 6)
}

func userSwitches(r *Run) {
	here := func(x switchOff) bool { return !x.endless && (r.matrix || !x.managed) } // the pinned run leaves out what a matrix tries
	for _, x := range r.allSwitches(here, func(w *World) { w.UserSettings(r.Wiring()) }) {
		r.Fact(x.name, yes(x.ran, "a tool RUNS, never started", "nothing runs"))
		if r.client.Version == realclient.Pinned {
			r.Check(x.name+": a tool RUNS, never started", x.ran, x.results)
		}
	}
}

// switched is what came of a session with one switch.
type switched struct {
	switchOff
	ran     bool
	results []Result
}

// allSwitches tries every switch that the client has and pick chooses, in a world of its own, wired by wire.
func (r *Run) allSwitches(pick func(switchOff) bool, wire func(*World)) []switched {
	var list []switchOff
	var worlds []*World
	for _, x := range switches {
		if strings.Contains(x.name, "LD_") && runtime.GOOS != "linux" {
			continue // a variable of Linux's loader
		}
		if (x.since == "" || r.client.Since(x.since)) && pick(x) {
			list = append(list, x)
			worlds = append(worlds, r.World(fmt.Sprint(len(worlds))))
		}
	}
	out := make([]switched, len(list))
	r.atOnce(len(list), func(i int) {
		wire(worlds[i])
		out[i] = worlds[i].try(list[i])
	})
	return out
}

// try starts a session with the switch and lets the model call Write and Bash.
func (w *World) try(x switchOff) switched {
	defer w.close()
	if x.set != nil {
		x.set(w)
	}
	for _, e := range x.env {
		w.Env = append(w.Env, strings.ReplaceAll(e, "@", w.Dir))
	}
	w.Shell = x.shell
	w.effects = w.Root // --restricted writes nowhere else
	mode := x.mode
	if mode == nil {
		mode = bypass
	}
	s := w.start(w.Root, append(mode, x.args...))
	t := s.Prompt("go", Step{w.Write("x")[0], w.bashCall("y")})
	return switched{x, w.Ran("x") || w.Ran("y"), t.Results}
}

// quitLibrary writes a shared library whose initialiser ends the process with 0 if
// its name is /bin/sh. It is put together here by hand, so that no C compiler is needed.
func quitLibrary(w *World) {
	w.run.must(os.WriteFile(w.Dir+"/quit.so", quitELF(), 0o755))
}

func quitELF() []byte {
	name := binary.LittleEndian.Uint64([]byte("/bin/sh\x00"))
	var code []byte
	machine := uint16(62)
	if runtime.GOARCH == "arm64" {
		machine = 183
		code = words(0xf9400022, // ldr x2, [x1]      argv[0]
			0xf9400042, // ldr x2, [x2]
			0x580000c3, // ldr x3, .+24
			0xeb03005f, // cmp x2, x3
			0x54000061, // b.ne ret
			0xd2800000, // mov x0, 0
			0xd2800bc8, // mov x8, 94         exit_group
			0xd4000001, // svc 0
			0xd65f03c0) // ret
		code = binary.LittleEndian.AppendUint64(code, name)
	} else {
		code = []byte{0x48, 0x8b, 0x06, 0x48, 0xb9} // mov rax, [rsi]; mov rcx, name
		code = binary.LittleEndian.AppendUint64(code, name)
		code = append(code, 0x48, 0x39, 0x08, // cmp [rax], rcx
			0x75, 0x09, // jne ret
			0x31, 0xff, // xor edi, edi
			0xb8, 0xe7, 0, 0, 0, // mov eax, 231      exit_group
			0x0f, 0x05, // syscall
			0xc3) // ret
	}
	const header, phdr, phnum = 64, 56, 2
	codeAt := header + phdr*phnum
	strAt := codeAt + (len(code)+15)/16*16
	symAt := strAt + 16
	dynAt := symAt + 24
	dyn := []uint64{
		12, uint64(codeAt), // DT_INIT
		5, uint64(strAt), // DT_STRTAB
		6, uint64(symAt), // DT_SYMTAB
		10, 1, // DT_STRSZ
		11, 24, // DT_SYMENT
		0, 0,
	}
	end := dynAt + 8*len(dyn)
	b := []byte{0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	b = binary.LittleEndian.AppendUint16(b, 3) // ET_DYN
	b = binary.LittleEndian.AppendUint16(b, machine)
	b = binary.LittleEndian.AppendUint32(b, 1)
	for _, v := range []uint64{0, header, 0} { // entry, program headers, section headers
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	b = binary.LittleEndian.AppendUint32(b, 0)
	for _, v := range []uint16{header, phdr, phnum, 64, 0, 0} {
		b = binary.LittleEndian.AppendUint16(b, v)
	}
	segment := func(kind, flags uint32, at, size, align uint64) {
		b = binary.LittleEndian.AppendUint32(b, kind)
		b = binary.LittleEndian.AppendUint32(b, flags)
		for _, v := range []uint64{at, at, at, size, size, align} {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
	}
	segment(1, 7, 0, uint64(end), 0x1000)               // PT_LOAD, rwx
	segment(2, 6, uint64(dynAt), uint64(8*len(dyn)), 8) // PT_DYNAMIC
	b = append(b, code...)
	b = append(b, make([]byte, dynAt-len(b))...)
	for _, v := range dyn {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

func words(w ...uint32) (b []byte) {
	for _, x := range w {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return b
}
