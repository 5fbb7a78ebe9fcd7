//go:build !unisolated

package rig

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"unsafe"
)

// insideVar tells the second start of a program that it is the second: it holds
// the mount namespace of the first, so a forged value does not pass for isolation.
const insideVar = "MOIRAI_RIG_OUTSIDE"

// nobody is the uid and gid that a program started by root goes on with.
const nobody = 65534

const (
	capChown    = 0
	capSetgid   = 6
	capSetuid   = 7
	capNetAdmin = 12
	capChroot   = 18
	capSysAdmin = 21
)

const (
	prSetPdeathsig = 1
	prSetDumpable  = 4
	prSetKeepcaps  = 8
	prCapAmbient   = 47
	ambientClear   = 4
)

// Enter isolates the program. Call it first in main, with the same request in
// every run. In the first start it does not return unless the platform refuses;
// it ends the program with the exit code of the second start. A refusal is in
// Isolation.Refused; an error means that the rig itself is broken.
func Enter(want Request) (*Isolation, error) {
	outside := os.Getenv(insideVar)
	os.Unsetenv(insideVar)
	if holding() {
		return withoutNamespaces(want, os.Getenv(asideVar))
	}
	here, err := os.Readlink("/proc/self/ns/mnt")
	if err != nil {
		return withoutNamespaces(want, "no /proc/self/ns/mnt: "+err.Error())
	}
	if outside != "" && outside != here {
		return arrive(want)
	}
	code, err := startInside(want, here)
	if err != nil {
		return withoutNamespaces(want, "the kernel refused a namespace: "+err.Error())
	}
	os.Exit(code)
	return nil, nil
}

// startInside runs the program again in fresh namespaces and waits for it.
func startInside(want Request, here string) (int, error) {
	attr := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	if want.Loopback {
		attr.Cloneflags |= syscall.CLONE_NEWNET
	}
	if uid, gid := os.Geteuid(), os.Getegid(); uid != 0 {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
		attr.AmbientCaps = []uintptr{capSysAdmin, capChroot, capNetAdmin}
	}
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	runtime.LockOSThread() // Pdeathsig follows the thread, not the process
	defer runtime.UnlockOSThread()
	cmd := exec.Command(self, os.Args[1:]...)
	cmd.Args[0] = os.Args[0]
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), insideVar+"="+here)
	cmd.SysProcAttr = attr
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	go func() {
		for s := range signals {
			cmd.Process.Signal(s)
		}
	}()
	err = cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 0, err
	}
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		return 128 + int(status.Signal()), nil
	}
	return cmd.ProcessState.ExitCode(), nil
}

// dyingWithUs makes a process end with the thread that started it.
func dyingWithUs() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// arrive sets up the second start: mounts, network, uid.
func arrive(want Request) (*Isolation, error) {
	iso := &Isolation{Hooks: want.Hooks, Unprivileged: os.Geteuid() != 0}
	if err := coverTmp(want, iso); err != nil {
		return withoutNamespaces(want, "no private /tmp: "+err.Error())
	}
	iso.PrivateTmp = true
	if want.Loopback {
		if err := raiseLoopback(); err != nil {
			iso.Refused = "lo is not up: " + err.Error()
		} else {
			iso.Loopback = true
		}
	}
	iso.Foreign = os.Geteuid() == 0
	if err := becomeOrdinary(want, iso); err != nil {
		return nil, fmt.Errorf("give up privileges: %w", err)
	}
	if os.Geteuid() != 0 {
		iso.Unprivileged = true
	}
	return iso, nil
}

// coverTmp puts an empty file system over /tmp and binds back what must be seen.
func coverTmp(want Request, iso *Isolation) error {
	if err := syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return &os.PathError{Op: "mount --make-rprivate", Path: "/", Err: err}
	}
	tmp, err := filepath.EvalSymlinks("/tmp")
	if err != nil {
		return err
	}
	kept, err := openKept(want, tmp)
	if err != nil {
		return err
	}
	if err := syscall.Mount("tmpfs", tmp, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=1777"); err != nil {
		return &os.PathError{Op: "mount tmpfs", Path: tmp, Err: err}
	}
	for _, k := range kept {
		if err := k.bind(); err != nil {
			return err
		}
	}
	if want.Hooks != "" {
		iso.Hooks = filepath.Join(tmp, "rig", "bin")
	}
	iso.Scratch = filepath.Join(tmp, "rig", "scratch")
	if err := os.MkdirAll(iso.Scratch, 0o755); err != nil {
		return err
	}
	if os.Geteuid() == 0 && !want.KeepUser {
		return os.Chown(iso.Scratch, nobody, nobody)
	}
	return nil
}

// keptPath is a file or folder held open while /tmp is covered.
type keptPath struct {
	fd   int
	path string
	dir  bool
}

func openKept(want Request, tmp string) ([]keptPath, error) {
	var paths []string
	if self, err := os.Executable(); err == nil {
		paths = append(paths, filepath.Dir(self))
	}
	if wd, err := os.Getwd(); err == nil {
		paths = append(paths, wd)
	}
	paths = append(paths, want.Keep...)
	slices.Sort(paths) // a folder is bound before what lies in it
	var kept []keptPath
	for _, p := range slices.Compact(paths) {
		real, err := filepath.EvalSymlinks(p)
		if err != nil {
			return nil, err
		}
		if !strings.HasPrefix(real, tmp+"/") {
			continue
		}
		k, err := hold(real, real)
		if err != nil {
			return nil, err
		}
		kept = append(kept, k)
	}
	if want.Hooks == "" {
		return kept, nil
	}
	k, err := hold(want.Hooks, filepath.Join(tmp, "rig", "bin"))
	return append(kept, k), err
}

func hold(from, to string) (keptPath, error) {
	const oPath = 0x200000 // O_PATH: enough to bind, needs no right to read
	fd, err := syscall.Open(from, oPath|syscall.O_CLOEXEC, 0)
	if err != nil {
		return keptPath{}, &os.PathError{Op: "open", Path: from, Err: err}
	}
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return keptPath{}, &os.PathError{Op: "stat", Path: from, Err: err}
	}
	return keptPath{fd, to, st.Mode&syscall.S_IFMT == syscall.S_IFDIR}, nil
}

func (k keptPath) bind() error {
	defer syscall.Close(k.fd)
	if k.dir {
		if err := os.MkdirAll(k.path, 0o755); err != nil {
			return err
		}
	} else {
		if err := os.MkdirAll(filepath.Dir(k.path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(k.path, nil, 0o644); err != nil {
			return err
		}
	}
	return Bind(fmt.Sprintf("/proc/self/fd/%d", k.fd), k.path)
}

// becomeOrdinary goes on as an ordinary uid whose children hold no capability,
// and keeps for this program alone what mounting takes.
func becomeOrdinary(want Request, iso *Isolation) error {
	if os.Geteuid() != 0 {
		return everyThread(syscall.SYS_PRCTL, prCapAmbient, ambientClear, 0)
	}
	if want.KeepUser {
		return nil
	}
	if err := everyThread(syscall.SYS_PRCTL, prSetKeepcaps, 1, 0); err != nil {
		return err
	}
	if err := syscall.Setgroups(nil); err != nil {
		return err
	}
	if err := syscall.Setresgid(nobody, nobody, nobody); err != nil {
		return err
	}
	if err := syscall.Setresuid(nobody, nobody, nobody); err != nil {
		return err
	}
	if err := setCapabilities(capChown, capSetgid, capSetuid, capNetAdmin, capChroot, capSysAdmin); err != nil {
		return err
	}
	return everyThread(syscall.SYS_PRCTL, prSetDumpable, 1, 0)
}

// setCapabilities makes the given capabilities the only ones, on every thread.
func setCapabilities(caps ...uint) error {
	const version3 = 0x20080522
	header := struct {
		version uint32
		pid     int32
	}{version3, 0}
	var data [2]struct{ effective, permitted, inheritable uint32 }
	for _, c := range caps {
		data[0].effective |= 1 << c
		data[0].permitted |= 1 << c
	}
	err := everyThread(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&data[0])), 0)
	runtime.KeepAlive(&header)
	runtime.KeepAlive(&data)
	return err
}

func everyThread(trap, a, b, c uintptr) error {
	if _, _, errno := syscall.AllThreadsSyscall6(trap, a, b, c, 0, 0, 0); errno == syscall.ENOTSUP {
		return errors.New("this program was built with cgo; build it with CGO_ENABLED=0")
	} else if errno != 0 {
		return errno
	}
	return nil
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

// Bind makes what lies at from, and what is mounted below it, appear at to as
// well. Both must exist.
func Bind(from, to string) error {
	if err := syscall.Mount(from, to, "", syscall.MS_BIND|syscall.MS_REC, ""); err != nil {
		return &os.PathError{Op: "bind " + from + " to", Path: to, Err: err}
	}
	return nil
}

// MountSmall puts an empty memory file system over dir: bytes of room (at least
// one page) and, when inodes is not 0, that many inodes.
func MountSmall(dir string, bytes, inodes int) error {
	opts := fmt.Sprintf("mode=700,size=%d,uid=%d,gid=%d", bytes, os.Geteuid(), os.Getegid())
	if inodes > 0 {
		opts += fmt.Sprintf(",nr_inodes=%d", inodes)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, opts); err != nil {
		return &os.PathError{Op: "mount tmpfs", Path: dir, Err: err}
	}
	return nil
}

// RemountReadOnly puts a read-only view of dir over itself.
func RemountReadOnly(dir string) error {
	if err := Bind(dir, dir); err != nil {
		return err
	}
	const flags = syscall.MS_BIND | syscall.MS_REMOUNT | syscall.MS_RDONLY | syscall.MS_NOSUID | syscall.MS_NODEV
	if err := syscall.Mount("", dir, "", flags, ""); err != nil {
		return &os.PathError{Op: "remount read-only", Path: dir, Err: err}
	}
	return nil
}

// Unmount takes away what Bind, MountSmall or RemountReadOnly put on path.
func Unmount(path string) error {
	const detach = 2
	if err := syscall.Unmount(path, detach); err != nil {
		return &os.PathError{Op: "unmount", Path: path, Err: err}
	}
	return nil
}
