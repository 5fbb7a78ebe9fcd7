package moiraicore

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A token file is believed only if all of this holds (D4). It is
//
//   - opened without following a link and without waiting (a FIFO would hang);
//   - locked, shared to read and exclusive to write, within LockWait;
//   - then a regular file, ours, with one name, not writable by others, at most
//     MaxToken bytes;
//   - not empty: an empty one belongs to a writer that has not come to its
//     write, which is waited for like a lock;
//   - made of well-formed records only (D5).

// TokenPath is the token file of a session, whose id has been judged: it becomes a
// file name (§4.5, D1).
func TokenPath(session string) string { return TokenDir + "/" + TokenPrefix + session }

// PutAside takes the token file of a session out of its place, best effort, to a name
// that no session has: what it says has ended.
func PutAside(session string) { os.Rename(TokenPath(session), TokenDir+"/."+TokenPrefix+session) }

// HasToken tells whether the session may have a token file. To a session elsewhere one
// that another user owns is none. A directory of ours that nobody can look into is
// opened for that: its next repair would bring the token back as it was (D8, D23).
func HasToken(session string, elsewhere bool) bool {
	foreign := isForeign(TokenParent) || isForeign(TokenDir)
	if elsewhere && foreign {
		return false
	}
	_, err := os.Lstat(TokenPath(session))
	if os.IsPermission(err) && !foreign {
		os.Chmod(TokenParent, 0o700)
		os.Chmod(TokenDir, 0o700)
		_, err = os.Lstat(TokenPath(session))
	}
	return !errors.Is(err, os.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) && !errors.Is(err, syscall.ELOOP)
}

// ReadToken folds the records of the session's token file as seen from root by
// viewer; a session without one has an empty Load. An error is Closed.
func ReadToken(session, root, viewer string) (*Load, error) {
	f, load, err := openToken(session, root, viewer, os.O_RDONLY, syscall.LOCK_SH)
	if os.IsNotExist(err) {
		return newLoad(root, viewer), nil
	}
	if err != nil {
		return nil, corrupt(session, err)
	}
	f.Close()
	return load, nil
}

// AppendToken adds the records that earn returns for what already stands, all
// in one write under one exclusive lock; none, and nothing is written. It fills
// in time, tool and agent. Just before the write it calls commit, which may not
// return (Watchdog.Disarm). A short write leaves the file as it was and is an error
// (D4). It returns what stands then, as agent sees it. Every error is Closed. Where a
// file is full, what ends all that stood in it puts it aside.
func AppendToken(session, root, tool, agent string, commit func(), earn func(*Load) []Record) (*Load, error) {
	f, load, err := openToken(session, root, agent, os.O_RDWR|os.O_APPEND|os.O_CREATE, syscall.LOCK_EX)
	if err != nil {
		return nil, corrupt(session, err)
	}
	defer f.Close()
	context := load.Context
	lines, err := earnLines(session, load, tool, agent, earn(load))
	if err == nil && load.size+int64(len(lines)) > MaxToken {
		if err = corrupt(session, errFull); load.Context != context {
			PutAside(session) // a full file ends with what stood in it
			return load, nil
		}
	}
	if err == nil && lines != "" {
		commit()
		if _, err = f.WriteString(lines); err == nil {
			return load, nil
		}
		err = corrupt(session, err)
	}
	// Whole or not at all: the file gets its old length back, and goes where
	// that is nothing (empty, it would be corrupt) or cannot be done.
	if load.size == 0 || lines != "" && f.Truncate(load.size) != nil {
		os.Remove(f.Name())
	}
	return load, err
}

// earnLines returns what to append to the token file, and folds it in.
func earnLines(session string, load *Load, tool, agent string, earned []Record) (lines string, err error) {
	for _, r := range earned {
		r.Time, r.Tool, r.Agent = max(0, time.Now().Unix()), tool, agent
		// Only what reads back as itself is written: a newline in a
		// directory name could otherwise forge a START_ACK (D5).
		if back, err := ParseRecord(r.String()); err != nil || back != r {
			return "", Fail("the operator renames the directory, then resumes the session there and types a prompt",
				"token file: the record %s %s cannot be written: %v", r.Marker, Quote(r.Path), err)
		}
		load.Add(r)
		lines += r.String() + "\n"
	}
	if lines != "" && load.torn {
		lines = "\n" + lines
	}
	return lines, nil
}

// errBusy: another process holds the lock, is about to write the first record,
// or has just removed the file.
var errBusy = errors.New("locked by another process, or empty")

// openToken opens, locks, checks and folds the token file.
func openToken(session, root, viewer string, flags, lock int) (*os.File, *Load, error) {
	for deadline := time.Now().Add(LockWait); ; time.Sleep(LockPoll) {
		f, err := os.OpenFile(TokenPath(session), flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
		if err != nil {
			return nil, nil, err
		}
		load := newLoad(root, viewer)
		load.Exists = true
		if err = lockAndCheck(f, lock, load); err == nil {
			err = load.fold(f)
		}
		if err == nil {
			return f, load, nil
		}
		f.Close()
		if err != errBusy || time.Now().After(deadline) {
			return nil, nil, err
		}
	}
}

// lockAndCheck locks f and then checks what it is, which nobody of ours changes
// under the lock. It fills in the size.
func lockAndCheck(f *os.File, lock int, load *Load) error {
	err := syscall.Flock(int(f.Fd()), lock|syscall.LOCK_NB)
	if err == syscall.EWOULDBLOCK || err == syscall.EINTR {
		return errBusy
	}
	if err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	load.size = info.Size()
	switch st := info.Sys().(*syscall.Stat_t); {
	case !info.Mode().IsRegular():
		return fmt.Errorf("it is not a regular file (%v)", info.Mode())
	case st.Uid != uint32(os.Geteuid()):
		return fmt.Errorf("it belongs to uid %d, not to us, uid %d", st.Uid, os.Geteuid())
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("it is writable by group or others (%v)", info.Mode())
	case st.Nlink > 1:
		return fmt.Errorf("it has %d names: a hard link", st.Nlink)
	case load.size > MaxToken:
		return fmt.Errorf("it has %d bytes, over %d", load.size, MaxToken)
	case st.Nlink == 0, load.size == 0 && lock == syscall.LOCK_SH:
		return errBusy
	}
	return nil
}

// fold adds every line of f. A last line without its newline counts if it is
// well formed (D5).
func (l *Load) fold(f io.Reader) error {
	var text strings.Builder
	text.Grow(int(l.size))
	if n, err := io.CopyN(&text, f, l.size); err != nil { // what is not read might hold a LOAD_VOID
		return fmt.Errorf("it ended after %d of %d bytes: %w", n, l.size, err)
	}
	n := 0
	for line := range strings.Lines(text.String()) {
		n++
		l.torn = !strings.HasSuffix(line, "\n")
		r, err := ParseRecord(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return fmt.Errorf("line %d is corrupt: %w", n, err)
		}
		l.Add(r)
	}
	return nil
}

// errFull: the file may not grow.
var errFull = fmt.Errorf("it would grow over %d bytes", MaxToken)

// corrupt is the error of every rule of D4 and D5, each with its own way out.
func corrupt(session string, err error) error {
	path := TokenPath(session)
	way := "if it stays, the operator runs: rm -r " + path + "   Then /start, which as a prompt brings the rules again"
	switch {
	case err == errBusy:
		way = "try again; if it stays, the operator runs: fuser -v " + path + "   and ends the process that holds it"
	case err == errFull:
		way = "the operator types /compact, which puts the file aside; then the next prompt loads the rules, and /start"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		way = "the operator runs: df /tmp; df -i /tmp   (make room), then types /start, which as a prompt brings the rules again"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		way = "the operator raises the limit of open files (ulimit -n) or closes programs, then tries again"
	case errors.Is(err, syscall.EROFS), errors.Is(err, syscall.EIO):
		way = "the operator runs: mount; dmesg   (the disk under /tmp fails or is read-only), then tries again"
	}
	return Fail(way, "token file %s: %v", path, err)
}

// Refresh renews the modification time of the session's token file if it is
// older than KeepAlive, best effort, so that cleaners of /tmp do not close the
// gate on a session that works through the night (D18).
func Refresh(session string) {
	path, now := TokenPath(session), time.Now()
	if info, err := os.Lstat(path); err == nil && now.Sub(info.ModTime()) > KeepAlive {
		os.Chtimes(path, now, now)
	}
}

// CheckTokenDir makes the token directory if it is missing and checks it and
// its parent (D3). Each must be
//
//   - a real directory, not a link to one;
//   - owned by the effective uid;
//   - not writable by group or others;
//   - writable by us.
//
// /tmp itself may be a link and is sticky, so that nobody else can take the
// place of what was checked. Every error is Closed, with the one command that
// repairs it.
func CheckTokenDir() error {
	if err := checkDir(TokenParent); err != nil {
		return err
	}
	return checkDir(TokenDir)
}

// isForeign tells whether another user owns dir: it then holds no token that any gate
// of ours believes (D8).
func isForeign(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.Sys().(*syscall.Stat_t).Uid != uint32(os.Geteuid())
}

// checkDir makes one directory if it is missing and checks it, as CheckTokenDir says.
func checkDir(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) {
		return Fail("the operator runs: ls -ld /tmp; df /tmp; df -i /tmp   (/tmp must be a directory, writable, not full)",
			"token directory: %v", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return Fail("the operator runs: ls -ld "+dir, "token directory: %v", err)
	}
	access := syscall.Access(dir, 3) // W_OK|X_OK
	switch owner := info.Sys().(*syscall.Stat_t).Uid; {
	case !info.IsDir():
		return Fail(remove(), "token directory: %s is not a directory (%v)", dir, info.Mode())
	case owner != uint32(os.Geteuid()):
		return Fail(remove(), "token directory: %s belongs to uid %d, not to us, uid %d", dir, owner, os.Geteuid())
	case info.Mode().Perm()&0o022 != 0:
		return Fail("the operator runs: chmod 700 "+dir, "token directory: %s is writable by group or others (%v)", dir, info.Mode())
	case access != nil:
		return Fail("the operator runs: chmod 700 "+dir+"   (if that is denied, /tmp is read-only: mount)", "token directory: %s is not writable by us (%v): %v", dir, info.Mode(), access)
	}
	return nil
}

// remove is the command that takes the token directory away. Only /tmp is
// resolved: what our own name leads to is not ours to remove.
func remove() string {
	return "the operator runs: sudo rm -r " + filepath.Join(Resolve(filepath.Dir(TokenParent)), filepath.Base(TokenParent)) + "   (it is made anew; every session that is open must then load and start again)"
}
