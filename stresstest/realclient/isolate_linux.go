//go:build !unisolated

package realclient

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"moirai/stresstest/rig"
)

// InsideArg starts this program as the init of one session: see Inside.
const InsideArg = "_inside"

const (
	capSysAdmin  = 21
	prCapAmbient = 47
	ambientClear = 4
	bindTree     = syscall.MS_BIND | syscall.MS_REC
)

// Enclose finishes what rig.Enter began, for the whole run: what the clients
// need is bound under the private /tmp, the home of whoever started the run is
// covered by an empty file system, and /etc becomes a view of itself with an
// empty ManagedFolder. It refuses if anything but lo is there.
func Enclose(iso *rig.Isolation, places []*Place) error {
	if !iso.PrivateTmp || !iso.Loopback {
		return fmt.Errorf("refusing to run: this needs a private /tmp and a network of lo alone: %s", iso.Refused)
	}
	devices, err := net.Interfaces()
	if err != nil {
		return err
	}
	for _, d := range devices {
		if d.Name != "lo" {
			return fmt.Errorf("refusing to run: network device %s is visible", d.Name)
		}
	}
	for _, p := range places {
		if err := p.bind(iso.Scratch); err != nil {
			return err
		}
	}
	if err := readOnly(iso.Hooks); err != nil {
		return err
	}
	if err := os.Chdir("/"); err != nil {
		return err
	}
	if err := coverHomes(); err != nil {
		return err
	}
	return coverEtc(filepath.Join(iso.Scratch, "etc"))
}

// bind makes the place reachable in the scratch folder, to be read only, and
// moves Path there. The mount point must be new: an old one could be the place itself.
func (p *Place) bind(scratch string) error {
	to := filepath.Join(scratch, p.Name)
	st, err := os.Stat(p.Path)
	if err != nil {
		return err
	}
	if st.IsDir() {
		err = os.Mkdir(to, 0o755)
	} else {
		err = touchNew(to)
	}
	if err != nil {
		return err
	}
	if err := syscall.Mount(p.Path, to, "", bindTree, ""); err != nil {
		return &os.PathError{Op: "bind", Path: to, Err: err}
	}
	if err := readOnly(to); err != nil {
		return err
	}
	p.Path = to
	return nil
}

func touchNew(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	return f.Close()
}

// readOnly forbids writes through a bind. The flags that the mount below has are
// kept: a user namespace may not take them away.
func readOnly(path string) error {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(path, &fs); err != nil {
		return &os.PathError{Op: "statfs", Path: path, Err: err}
	}
	const kept = syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_NOEXEC
	flags := uintptr(fs.Flags)&kept | syscall.MS_BIND | syscall.MS_REMOUNT | syscall.MS_RDONLY
	if err := syscall.Mount("", path, "", flags, ""); err != nil {
		return &os.PathError{Op: "remount read-only", Path: path, Err: err}
	}
	return nil
}

// coverHomes hides the real home, so that no credential in it can be read.
func coverHomes() error {
	var homes []string
	if u, err := user.Current(); err == nil {
		homes = append(homes, u.HomeDir)
	}
	homes = append(homes, os.Getenv("HOME"))
	slices.Sort(homes)
	for _, h := range slices.Compact(homes) {
		if st, err := os.Stat(h); h == "" || h == "/" || err != nil || !st.IsDir() {
			continue
		}
		if err := syscall.Mount("tmpfs", h, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=755,size=64k"); err != nil {
			return &os.PathError{Op: "cover", Path: h, Err: err}
		}
	}
	return nil
}

// coverEtc puts a file system over /etc that links to the real one, kept at
// old, and has an empty folder for managed settings.
func coverEtc(old string) error {
	if err := os.MkdirAll(old, 0o755); err != nil {
		return err
	}
	if err := syscall.Mount("/etc", old, "", bindTree, ""); err != nil {
		return &os.PathError{Op: "bind /etc to", Path: old, Err: err}
	}
	if err := syscall.Mount("tmpfs", "/etc", "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=755"); err != nil {
		return &os.PathError{Op: "cover", Path: "/etc", Err: err}
	}
	entries, err := os.ReadDir(old)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == filepath.Base(ManagedFolder) {
			continue
		}
		if err := os.Symlink(filepath.Join(old, e.Name()), filepath.Join("/etc", e.Name())); err != nil {
			return err
		}
	}
	return os.Mkdir(ManagedFolder, 0o755)
}

// Wrap makes cmd run as the only thing in namespaces of its own, where tmp is
// /tmp, managed is ManagedFolder and shell, if it is not empty, is /bin/sh.
// Whatever it leaves behind ends with it.
func Wrap(cmd *exec.Cmd, scratch, tmp, managed, shell string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	path := cmd.Path
	cmd.Args = append([]string{self, InsideArg, scratch, tmp, managed, shell, cmd.Dir, path}, cmd.Args[1:]...)
	cmd.Path, cmd.Dir = self, "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID,
		Pdeathsig:  syscall.SIGKILL,
	}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.AmbientCaps = []uintptr{capSysAdmin}
	}
	return nil
}

// Inside is the init of one session: it mounts, starts the client without the
// right to mount, reaps what the client leaves, and ends with the client.
func Inside(args []string) int {
	scratch, tmp, managed, shell, dir, path, rest := args[0], args[1], args[2], args[3], args[4], args[5], args[6:]
	if err := mountSession(filepath.Dir(scratch), tmp, managed, shell); err != nil {
		fmt.Fprintln(os.Stderr, "set up a session:", err)
		return 125
	}
	if err := os.Chdir(dir); err != nil {
		fmt.Fprintln(os.Stderr, "set up a session:", err)
		return 125
	}
	if _, _, errno := syscall.AllThreadsSyscall6(syscall.SYS_PRCTL, prCapAmbient, ambientClear, 0, 0, 0, 0); errno != 0 && os.Geteuid() != 0 {
		fmt.Fprintln(os.Stderr, "e2e: clear ambient capabilities:", errno)
		return 125
	}
	proc, err := os.StartProcess(path, append([]string{path}, rest...), &os.ProcAttr{
		Env: os.Environ(), Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "set up a session:", err)
		return 125
	}
	os.Stdin.Close() // the client must be the only one to hold its input
	os.Stdout.Close()
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return 125
		}
		if pid == proc.Pid && status.Signaled() {
			return 128 + int(status.Signal())
		}
		if pid == proc.Pid && status.Exited() {
			return status.ExitStatus()
		}
	}
}

func mountSession(rigDir, tmp, managed, shell string) error {
	const oPath = 0x200000
	fd, err := syscall.Open(rigDir, oPath|syscall.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: rigDir, Err: err}
	}
	if shell != "" {
		if err := syscall.Mount(shell, "/bin/sh", "", syscall.MS_BIND, ""); err != nil {
			return &os.PathError{Op: "bind " + shell + " to", Path: "/bin/sh", Err: err}
		}
	}
	if err := syscall.Mount(managed, ManagedFolder, "", syscall.MS_BIND, ""); err != nil {
		return &os.PathError{Op: "bind", Path: ManagedFolder, Err: err}
	}
	if err := syscall.Mount(tmp, strings.TrimSuffix(filepath.Dir(rigDir), "/"), "", bindTree, ""); err != nil {
		return &os.PathError{Op: "bind", Path: "/tmp", Err: err}
	}
	if err := os.MkdirAll(rigDir, 0o755); err != nil {
		return err
	}
	if err := syscall.Mount(fmt.Sprintf("/proc/self/fd/%d", fd), rigDir, "", bindTree, ""); err != nil {
		return &os.PathError{Op: "bind", Path: rigDir, Err: err}
	}
	syscall.Mount("proc", "/proc", "proc", syscall.MS_NOSUID|syscall.MS_NODEV|syscall.MS_NOEXEC, "") // refused in some containers; nothing here needs it
	return nil
}
