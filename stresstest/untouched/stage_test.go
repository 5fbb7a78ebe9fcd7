//go:build linux

package untouched

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// stageVar tells the test program that it is to become the program on a stage.
const stageVar = "MOIRAI_TEST_STAGE"

// offlineVar tells it that its network is to be lo alone.
const offlineVar = "MOIRAI_TEST_OFFLINE"

// nobody is the ordinary uid of a run that root starts.
const nobody = 65534

func TestMain(m *testing.M) {
	if dir := os.Getenv(stageVar); dir != "" {
		fmt.Fprintln(os.Stderr, "no stage:", become(dir, os.Args[1] == "ordinary", os.Args[2:]))
		os.Exit(125)
	}
	code := m.Run()
	os.RemoveAll(cloned)
	os.Exit(code)
}

// stage is a machine on which no program gets a namespace: a root folder of its own, in
// which the kernel refuses user namespaces, and no right to mount. Its /tmp has the
// token of a live session.
type stage struct {
	t        *testing.T
	dir      string // outside; dir/tmp is /tmp on the stage
	ordinary bool   // root goes on as an ordinary uid
	offline  bool   // no network but lo
	env      []string
}

// the live session, and a file at each other path that our programs use.
const live = "moirai/hades/session-0b5cf1c8-6f3e-4f0e-9b7a-0123456789ab"

var mine = map[string]string{live: "1700000000 START_ACK UserPromptSubmit main\n", "c/notes": "mine\n", "home/notes": "mine\n"}

// users are those that run each program: whoever runs the test, and as root an ordinary uid too.
func users() map[string]bool {
	all := map[string]bool{"as its starter": false}
	if os.Geteuid() == 0 {
		all["as an ordinary uid"] = true
	}
	return all
}

func newStage(t *testing.T, ordinary bool) *stage {
	s := &stage{t: t, dir: t.TempDir(), ordinary: ordinary}
	for _, d := range []string{"root", "tmp/moirai/hades", "tmp/c", "tmp/home"} {
		s.must(os.MkdirAll(filepath.Join(s.dir, d), 0o755))
	}
	for _, d := range []string{"tmp/moirai", "tmp/moirai/hades"} {
		s.must(os.Chmod(filepath.Join(s.dir, d), 0o700))
	}
	for name, text := range mine {
		s.must(os.WriteFile(s.path(name), []byte(text), 0o600))
	}
	if ordinary {
		s.must(filepath.WalkDir(s.path(""), func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Chown(path, nobody, nobody)
		}))
	}
	s.must(os.Chmod(s.path(""), 0o1777))
	s.must(os.CopyFS(s.path("clone"), os.DirFS(clone(t))))
	s.must(os.Chmod(s.path("clone/.cache/tests"), 0o1777)) // bench builds there
	// What may be left behind is the test's own folder, which root of a user namespace can remove.
	t.Cleanup(func() { exec.Command("chmod", "-R", "u+rwX", s.dir).Run() })
	return s
}

func (s *stage) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// path is where a path below the stage's /tmp lies outside.
func (s *stage) path(name string) string { return filepath.Join(s.dir, "tmp", name) }

// command is a program of the clone on the stage, started in the clone.
func (s *stage) command(out *bytes.Buffer, args ...string) *exec.Cmd {
	self, err := os.Executable()
	s.must(err)
	user := "starter"
	if s.ordinary {
		user = "ordinary"
	}
	cmd := exec.Command(self, append([]string{user}, args...)...)
	cmd.Env = append([]string{stageVar + "=" + s.dir, "PATH=" + os.Getenv("PATH"), "HOME=/tmp", "GOFLAGS=-buildvcs=false"}, s.env...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	if s.offline {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWNET
		cmd.Env = append(cmd.Env, offlineVar+"=1")
	}
	if uid, gid := os.Geteuid(), os.Getegid(); uid != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
		cmd.SysProcAttr.AmbientCaps = []uintptr{capNetAdmin, capChroot, capSysAdmin}
	}
	return cmd
}

// play runs a program to its end.
func (s *stage) play(args ...string) (code int, out string) {
	s.t.Helper()
	var b bytes.Buffer
	cmd := s.command(&b, args...)
	if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() == 125 {
		s.t.Skip("no stage can be made here: ", err, b.String())
	}
	return cmd.ProcessState.ExitCode(), b.String()
}

// state describes what lies at the paths that are not ours: names, modes, owners,
// inodes, times and contents.
func (s *stage) state() string {
	var b strings.Builder
	for _, top := range []string{"moirai", "c", "home"} {
		filepath.WalkDir(s.path(top), func(path string, d fs.DirEntry, err error) error {
			info, statErr := os.Lstat(path)
			if err != nil || statErr != nil {
				fmt.Fprintln(&b, path, err, statErr)
				return nil
			}
			st := info.Sys().(*syscall.Stat_t)
			fmt.Fprint(&b, strings.TrimPrefix(path, s.dir), " ", info.Mode(), " ", st.Uid, " ", st.Ino)
			if d.Type().IsRegular() { // to open a FIFO would be to wait
				text, _ := os.ReadFile(path)
				fmt.Fprintf(&b, " %d %q", info.ModTime().UnixNano(), text)
			}
			fmt.Fprintln(&b)
			return nil
		})
	}
	return b.String()
}

// same fails the test unless what is not ours is as it was.
func (s *stage) same(before, what, out string) {
	s.t.Helper()
	if now := s.state(); now != before {
		s.t.Errorf("%s changed what is not ours.\nbefore:\n%snow:\n%s%s", what, before, now, tail(out))
	}
	if left, _ := filepath.Glob(s.path("moirai.*")); left != nil {
		s.t.Errorf("%s left %v\n%s", what, left, tail(out))
	}
}

func tail(out string) string {
	if len(out) > 3000 {
		return "…" + out[len(out)-3000:]
	}
	return out
}

const (
	capNetAdmin    = 12
	capChroot      = 18
	capSysAdmin    = 21
	prCapbsetDrop  = 24
	prCapAmbient   = 47
	ambientClear   = 4
	recursiveBinds = syscall.MS_BIND | syscall.MS_REC
)

// become sets up the stage and goes on as the program. It returns if it cannot.
func become(dir string, ordinary bool, args []string) error {
	runtime.LockOSThread()
	os.Unsetenv(stageVar)
	root := filepath.Join(dir, "root")
	if err := syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := syscall.Mount("/", root, "", recursiveBinds, ""); err != nil {
		return err
	}
	if err := syscall.Mount(filepath.Join(dir, "tmp"), root+"/tmp", "", recursiveBinds, ""); err != nil {
		return err
	}
	if err := syscall.Chroot(root); err != nil {
		return err
	}
	if err := os.Chdir("/tmp/clone"); err != nil {
		return err
	}
	if os.Getenv(offlineVar) != "" {
		os.Unsetenv(offlineVar)
		if err := raiseLoopback(); err != nil {
			return err
		}
	}
	if ordinary {
		if err := syscall.Setgroups(nil); err != nil {
			return err
		}
		if err := syscall.Setresgid(nobody, nobody, nobody); err != nil {
			return err
		}
		if err := syscall.Setresuid(nobody, nobody, nobody); err != nil {
			return err
		}
	} else if os.Geteuid() == 0 {
		if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prCapbsetDrop, capSysAdmin, 0); errno != 0 {
			return errno
		}
	}
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prCapAmbient, ambientClear, 0, 0, 0, 0); errno != 0 {
		return errno
	}
	path, err := exec.LookPath(args[0])
	if err != nil {
		return err
	}
	return syscall.Exec(path, args, os.Environ())
}

// raiseLoopback brings lo up in a fresh network namespace.
func raiseLoopback() error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	defer syscall.Close(fd)
	request := struct {
		name  [16]byte
		flags uint16
		_     [22]byte
	}{flags: syscall.IFF_UP | syscall.IFF_RUNNING}
	copy(request.name[:], "lo")
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request)))
	if errno != 0 {
		return os.NewSyscallError("ioctl SIOCSIFFLAGS lo", errno)
	}
	return nil
}
