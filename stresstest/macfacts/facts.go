package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// said runs a program with an environment of its own and returns what it prints on stdout.
func said(env []string, dir, path string, args ...string) string {
	cmd := exec.Command(path, args...)
	cmd.Env, cmd.Dir = append([]string{"PATH=/usr/bin:/bin:/usr/sbin:/sbin"}, env...), dir
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// ends runs a program and says how it ends.
func ends(env []string, stdin, path string, args ...string) string {
	cmd := exec.Command(path, args...)
	cmd.Env, cmd.Stdin = append([]string{"PATH=/usr/bin:/bin"}, env...), bytes.NewReader([]byte(stdin))
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return "does not start"
	}
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		return "ended by a signal"
	}
	return fmt.Sprint("exit ", cmd.ProcessState.ExitCode())
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

func version() string {
	if v := said(nil, "/", "sw_vers", "-productVersion"); v != "" {
		return " " + v
	}
	return " " + said(nil, "/", "uname", "-r")
}

// shells: which shell runs the wired command lines.
func shells(bin, dir string) ([]fact, error) {
	kind := said(nil, "/", "/bin/sh", "-c", `if [ -n "$BASH_VERSION" ]; then echo bash; elif [ -n "$ZSH_VERSION" ]; then echo zsh; else echo another; fi`)
	if real, err := filepath.EvalSymlinks("/bin/sh"); err == nil && kind == "another" {
		kind = filepath.Base(real)
	}
	facts := []fact{{"/bin/sh is", kind, []string{"bash", "zsh", "dash", "busybox"}, "the guard is tested in these"}}
	if chosen, err := os.Readlink("/private/var/select/sh"); err == nil {
		facts = append(facts, fact{"/private/var/select/sh leads to", chosen, []string{"/bin/bash", "/bin/zsh", "/bin/dash"}, "the same"})
	}
	home := dir + "/constellation-hades/docs"
	if err := os.MkdirAll(home, 0o755); err != nil {
		return nil, err
	}
	guard := `r=127; case $r in 0|2) exit $r;; esac; case $(pwd -P)/ in *[Hh][Aa][Dd][Ee][Ss]*|/) exit 2;; esac; exit $r`
	in, out := exec.Command("/bin/sh", "-c", guard), exec.Command("/bin/sh", "-c", guard)
	in.Dir, out.Dir = home, dir
	in.Run()
	out.Run()
	return append(facts, fact{"the guard without a gate, in a constellation and elsewhere", fmt.Sprintf("exit %d and %d", in.ProcessState.ExitCode(), out.ProcessState.ExitCode()),
		[]string{"exit 2 and 127"}, "a missing gate blocks Hades and nobody else"}), nil
}

// owned describes a folder without naming anybody.
func owned(path string) string {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "missing"
	}
	if err != nil {
		return "out of reach"
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, _ := os.Readlink(path)
		return "a link to " + target
	}
	st := info.Sys().(*syscall.Stat_t)
	who := "another's"
	switch st.Uid {
	case 0:
		who = "root's"
	case uint32(os.Geteuid()):
		who = "yours"
	}
	return fmt.Sprintf("%v, %s", info.Mode(), who)
}

// folders: those that the product uses.
func folders(bin, dir string) ([]fact, error) {
	facts := []fact{
		{"/tmp", owned("/tmp"), []string{"a link to private/tmp", "dtrwxrwxrwx, root's"}, "tokens are in /tmp/moirai"},
		{"what /tmp is", owned(resolved("/tmp")), []string{"dtrwxrwxrwx, root's"}, "nobody but its owner can move a token folder"},
	}
	const support = "/Library/Application Support"
	for _, path := range []string{support, support + "/ClaudeCode", support + "/Moirai"} {
		relies := []string{"drwxr-xr-x, root's", "missing"}
		if path == support {
			relies = append(relies, "drwxrwxr-x, root's")
		}
		facts = append(facts, fact{path, owned(path), relies, "install-managed refuses what others can write"})
	}
	return append(facts,
		fact{"/dev/fd", owned("/dev/fd"), nil, "no Read through /dev is believed"},
		fact{"descriptors by /dev/fd", yes(canOpen("/dev/fd/0")), nil, "the same"}), nil
}

func canOpen(path string) bool {
	f, err := os.Open(path)
	if err == nil {
		f.Close()
	}
	return err == nil
}

func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// same tells whether two paths are one file.
func same(a, b string) bool {
	ai, aerr := os.Stat(a)
	bi, berr := os.Stat(b)
	return aerr == nil && berr == nil && os.SameFile(ai, bi)
}

// spellings: what else a path can be called.
func spellings(bin, dir string) ([]fact, error) {
	root := dir + "/constellation-hades"
	if err := os.MkdirAll(dir+"/zo\u00eb", 0o755); err != nil {
		return nil, err
	}
	upper := dir + "/Constellation-HADES"
	folds := same(root, upper)
	facts := []fact{
		{"the file system folds case", yes(folds), nil, "scope and roots are compared by identity"},
		{"it folds Unicode forms", yes(same(dir+"/zo\u00eb", dir+"/zoe\u0308")), nil, "the same"},
		{"/System/Volumes/Data/Users is /Users", yes(same("/System/Volumes/Data/Users", "/Users")), nil, "the same"},
	}
	if folds {
		asked := said(nil, upper, "/bin/sh", "-c", "pwd -P")
		value := "another path"
		switch asked {
		case root:
			value = "as the folder is called"
		case upper:
			value = "as it was entered"
		}
		facts = append(facts, fact{"pwd -P in another case", value, []string{"as the folder is called", "as it was entered"}, "the guard knows the name in any case"})
	}
	return facts, nil
}

// locks: flock on the file system of the temporary folder and of /tmp.
func locks(bin, dir string) ([]fact, error) {
	var facts []fact
	for _, at := range []string{dir, "/tmp"} {
		f, err := os.CreateTemp(at, "moirai-facts-")
		if err != nil {
			return nil, err
		}
		defer os.Remove(f.Name())
		defer f.Close()
		g, err := os.Open(f.Name())
		if err != nil {
			return nil, err
		}
		defer g.Close()
		try := func(f *os.File, how int) error { return syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB) }
		first, second := try(f, syscall.LOCK_EX), try(g, syscall.LOCK_SH)
		try(f, syscall.LOCK_UN)
		third := try(g, syscall.LOCK_EX)
		value := "does not hold"
		if first == nil && errors.Is(second, syscall.EWOULDBLOCK) && third == nil {
			value = "keeps a second one out until it is given up"
		}
		name := "flock in the temporary folder"
		if at == "/tmp" {
			name = "flock in /tmp"
		}
		facts = append(facts, fact{name, value, []string{"keeps a second one out until it is given up"}, "one writer of a token at a time"})
	}
	return facts, nil
}

// loaders: what the variables of dyld do to a hook, and to the shell before it.
func loaders(bin, dir string) ([]fact, error) {
	var facts []fact
	for _, env := range []string{"DYLD_INSERT_LIBRARIES=" + dir + "/nothing.dylib", "DYLD_LIBRARY_PATH=" + dir, "DYLD_SHARED_REGION=avoid", "DYLD_PRINT_LIBRARIES=1"} {
		name, _, _ := strings.Cut(env, "=")
		facts = append(facts,
			fact{name + " and the gate, asked something malformed", ends([]string{env}, "{", bin+"/hades-gate"), []string{"exit 2", "ended by a signal"}, "both block, by itself and by the guard"},
			fact{name + " and /bin/sh -c 'exit 7'", ends([]string{env}, "", "/bin/sh", "-c", "exit 7"), []string{"exit 7"}, "the guard runs: the system takes the variable from its own programs"})
	}
	return facts, nil
}

// cleaners: what clears /tmp, and after how long.
func cleaners(bin, dir string) ([]fact, error) {
	var found []string
	for _, path := range []string{"/etc/periodic/daily/110.clean-tmps", "/System/Library/LaunchDaemons/com.apple.tmp_cleaner.plist", "/usr/libexec/tmp_cleaner",
		"/usr/lib/tmpfiles.d/tmp.conf", "/etc/cron.daily/tmpreaper"} {
		if _, err := os.Stat(path); err == nil {
			found = append(found, path)
		}
	}
	facts := []fact{{"what cleans /tmp", orNothing(strings.Join(found, ", ")), nil, "an open session renews its token after twelve hours"}}
	if days := said(nil, "/", "/bin/sh", "-c", `. /etc/defaults/periodic.conf 2>/dev/null && echo "$daily_clean_tmps_days"`); days != "" {
		facts = append(facts, fact{"after how many days", days, []string{"1", "2", "3", "4", "5", "7", "10", "30"}, "longer than the twelve hours"})
	}
	return facts, nil
}

func orNothing(text string) string {
	if text == "" {
		return "nothing that is known"
	}
	return text
}

// replacing: a program that was replaced runs. On Apple silicon one that was written over is killed.
func replacing(bin, dir string) ([]fact, error) {
	program, err := os.ReadFile(bin + "/hades-gate")
	if err != nil {
		return nil, err
	}
	other, err := os.ReadFile(bin + "/hades-session-load")
	if err != nil {
		return nil, err
	}
	path := dir + "/program"
	put := func(to string, b []byte) error { return os.WriteFile(to, b, 0o755) }
	if err := put(path, program); err != nil {
		return nil, err
	}
	first := ends(nil, "{", path)
	if err := errors.Join(put(path+".next", other), os.Rename(path+".next", path)); err != nil {
		return nil, err
	}
	renamed := ends(nil, "{", path)
	over := "cannot be written over"
	if put(path, program) == nil {
		over = ends(nil, "{", path)
	}
	facts := []fact{
		{"a copy of the gate", first, []string{"exit 2"}, "install copies it"},
		{"replaced by a rename", renamed, []string{"exit 2"}, "install does it so"},
		{"written over in place", over, nil, "install never does"},
	}
	if sign := exec.Command("codesign", "-v", bin+"/hades-gate"); sign.Err == nil {
		facts = append(facts, fact{"its signature", map[bool]string{true: "valid", false: "not valid"}[sign.Run() == nil], []string{"valid"}, "Apple silicon runs no other"})
	}
	return facts, nil
}
