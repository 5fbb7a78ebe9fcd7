package rig

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// AsideDir holds what lay at claimed paths while a program runs on the real /tmp. It is
// locked by the run that made it, so a later run can tell a run at work from a killed one.
const AsideDir = "/tmp/moirai.put-aside"

// asideVar tells the second start of a program that the first holds the claims. Its value
// says why there is no private /tmp. A forged value does not pass: see holding.
const asideVar = "MOIRAI_RIG_ASIDE"

// lockFD is where the second start finds the lock. It holds the lock too, and so do the hooks
// that it runs: a run is at work until the last of them has ended.
const lockFD = 3

// lockWait is how long a hook may outlive its run (D13).
const lockWait = 8 * time.Second

// nothingEnding marks a claim at which nothing lay.
const nothingEnding = ".nothing"

// liveToken is the name of a real session's token file. Session ids of the client are
// UUIDs; those of our programs are not.
var liveToken = regexp.MustCompile(`^session-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// holding tells whether this is the second start.
func holding() bool {
	if os.Getenv(asideVar) == "" {
		return false
	}
	var fd, dir syscall.Stat_t
	return syscall.Fstat(lockFD, &fd) == nil && syscall.Lstat(AsideDir, &dir) == nil && fd.Ino == dir.Ino && fd.Dev == dir.Dev
}

// claim sees to the claims of a program that has no private /tmp. It returns if the
// program may go on, and does not return if it ran it again behind what it put aside.
func claim(want Request, why string) error {
	if err := recoverAside(); err != nil {
		return err
	}
	if want.Live {
		code, err := runBehind(want.Claims, why)
		if err != nil {
			return err
		}
		os.Exit(code)
	}
	if !want.Sparing {
		return fmt.Errorf("/tmp cannot be private here (%s), so live sessions would lose %s.\n"+
			"Nothing was done. On a machine without live sessions say so with LIVE=1 (-live): then what lies there is put aside and given back",
			why, strings.Join(want.Claims, " and "))
	}
	for _, path := range want.Claims {
		if info, err := os.Lstat(path); err == nil && info.Sys().(*syscall.Stat_t).Uid != uint32(os.Geteuid()) {
			return fmt.Errorf("/tmp cannot be private here (%s), and %s belongs to uid %d.\nNothing was done. Run it as that user", why, path, info.Sys().(*syscall.Stat_t).Uid)
		}
	}
	return nil
}

// runBehind puts the claims aside, runs the program again, and gives them back when it
// has ended. A signal ends the program first: while it runs, it may change them.
func runBehind(claims []string, why string) (int, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, endingSignals...)
	lock, err := putAside(claims)
	if err != nil {
		return 0, err
	}
	runtime.LockOSThread() // the death signal follows the thread, not the process
	defer runtime.UnlockOSThread()
	cmd := exec.Command(self, os.Args[1:]...)
	cmd.Args[0] = os.Args[0]
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{lock}
	cmd.Env = append(os.Environ(), asideVar+"="+why)
	cmd.SysProcAttr = dyingWithUs()
	if err := cmd.Start(); err != nil {
		return 0, errors.Join(err, giveBack())
	}
	lock.Close()                 // theirs is left
	ended := make(chan error, 1) // how it ended is in its state
	go func() { ended <- cmd.Wait() }()
	caught := syscall.Signal(0)
	select {
	case <-ended:
	case s := <-signals:
		caught = s.(syscall.Signal)
		cmd.Process.Kill()
		<-ended
	}
	// A hook that is late would write to what is given back.
	if lock, err = lockAside(); err == nil {
		defer lock.Close()
	}
	if err := giveBack(); err != nil {
		return 0, err
	}
	if caught != 0 {
		fmt.Fprintf(os.Stderr, "ended by a signal (%v); what was put aside is back\n", caught)
		return 128 + int(caught), nil
	}
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		return 128 + int(status.Signal()), nil
	}
	return cmd.ProcessState.ExitCode(), nil
}

// endingSignals are those that would end us and can be caught.
var endingSignals = []os.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGILL, syscall.SIGTRAP, syscall.SIGABRT, syscall.SIGBUS, syscall.SIGFPE,
	syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGSEGV, syscall.SIGPIPE, syscall.SIGALRM, syscall.SIGTERM, syscall.SIGVTALRM, syscall.SIGPROF,
	syscall.SIGXCPU, syscall.SIGXFSZ, syscall.SIGSYS,
}

// putAside makes and locks AsideDir and moves what lies at the claims into it: all or none.
func putAside(claims []string) (lock *os.File, err error) {
	if err := os.Mkdir(AsideDir, 0o700); err != nil {
		return nil, err
	}
	if lock, err = lockAside(); err != nil {
		return nil, err
	}
	for _, path := range claims {
		if err := putAsideOne(path, filepath.Join(AsideDir, filepath.Base(path))); err != nil {
			lock.Close()
			return nil, errors.Join(err, giveBack())
		}
	}
	return lock, nil
}

func putAsideOne(path, to string) error {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return os.WriteFile(to+nothingEnding, nil, 0o600)
	}
	if err != nil {
		return err
	}
	return os.Rename(path, to)
}

// lockAside opens AsideDir and locks it, or says that another run is at work.
func lockAside() (*os.File, error) {
	info, err := os.Lstat(AsideDir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() || info.Sys().(*syscall.Stat_t).Uid != uint32(os.Geteuid()) {
		return nil, fmt.Errorf("%s is not a folder of this user: what is it? Move it away", AsideDir)
	}
	f, err := os.Open(AsideDir)
	if err != nil {
		return nil, err
	}
	for until := time.Now().Add(lockWait); ; time.Sleep(lockWait / 400) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if time.Now().After(until) {
			f.Close()
			return nil, fmt.Errorf("another run has put things aside in %s and is at work: wait for its end", AsideDir)
		}
	}
}

// recoverAside gives back what a killed run left, and says so.
func recoverAside() error {
	if _, err := os.Lstat(AsideDir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	lock, err := lockAside()
	if err != nil {
		return err
	}
	defer lock.Close()
	fmt.Fprintf(os.Stderr, "an earlier run was killed and left %s: giving back what it holds\n", AsideDir)
	return giveBack()
}

// giveBack clears the claims and moves what AsideDir holds back.
func giveBack() error {
	entries, err := os.ReadDir(AsideDir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name, nothing := strings.CutSuffix(e.Name(), nothingEnding)
		from, at := filepath.Join(AsideDir, e.Name()), filepath.Join(filepath.Dir(AsideDir), name)
		if err := giveBackOne(from, at, nothing); err != nil {
			return fmt.Errorf("%s was not given back and lies in %s: %w", at, from, err)
		}
	}
	return os.Remove(AsideDir)
}

// giveBackOne gives one claim back. Sessions that began in the meantime keep their tokens.
func giveBackOne(from, at string, nothing bool) error {
	began := liveTokens(at)
	switch {
	case len(began) == 0 && nothing:
		return errors.Join(removeWhole(at), os.Remove(from))
	case len(began) == 0:
		if err := removeWhole(at); err != nil {
			return err
		}
		return os.Rename(from, at)
	case nothing:
		return errors.Join(removeOurs(at), os.Remove(from))
	}
	fmt.Fprintf(os.Stderr, "%d sessions have begun since: their tokens in %s stay\n", len(began), at)
	for name := range liveTokens(from) {
		if !began[name] {
			if err := os.Rename(filepath.Join(from, tokenFolder, name), filepath.Join(at, tokenFolder, name)); err != nil {
				return err
			}
		}
	}
	return errors.Join(removeOurs(at), removeWhole(from))
}

// tokenFolder is where token files lie below the claimed folder.
const tokenFolder = "hades"

// liveTokens lists the tokens of real sessions below dir. A folder that the hooks
// refuse has none: no session runs on it.
func liveTokens(dir string) map[string]bool {
	live := map[string]bool{}
	for _, d := range []string{dir, filepath.Join(dir, tokenFolder)} {
		if info, err := os.Lstat(d); err != nil || !info.IsDir() {
			return live
		}
	}
	entries, _ := os.ReadDir(filepath.Join(dir, tokenFolder))
	for _, e := range entries {
		if e.Type().IsRegular() && liveToken.MatchString(e.Name()) {
			live[e.Name()] = true
		}
	}
	return live
}

// removeOurs removes what is no token of a real session.
func removeOurs(dir string) error {
	entries, err := os.ReadDir(filepath.Join(dir, tokenFolder))
	for _, e := range entries {
		if !liveToken.MatchString(e.Name()) {
			err = errors.Join(err, removeWhole(filepath.Join(dir, tokenFolder, e.Name())))
		}
	}
	return err
}

// removeWhole removes path and what lies below it, whatever rights were taken away.
func removeWhole(path string) error {
	filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(p, 0o700)
			if err != nil {
				return filepath.SkipDir
			}
		}
		return nil
	})
	return os.RemoveAll(path)
}

// removeEmpty removes dir and the folders below it, as far as they are empty.
func removeEmpty(dir string) {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() {
			removeEmpty(filepath.Join(dir, e.Name()))
		}
	}
	os.Remove(dir)
}
