package moiraicore

import (
	"errors"
	"fmt"
	"io"
	"os"
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

// ReadToken folds the records of the session's token file as seen from root; a
// session without one has an empty Load. An error is Closed.
func ReadToken(session, root string) (*Load, error) {
	f, load, err := openToken(session, root, os.O_RDONLY, syscall.LOCK_SH)
	if os.IsNotExist(err) {
		return newLoad(root), nil
	}
	if err != nil {
		return nil, corrupt(session, "%v", err)
	}
	f.Close()
	return load, nil
}

// AppendToken adds the records that earn returns for what already stands, all
// in one write under one exclusive lock; none, and nothing is written. It fills
// in time, tool and agent. Just before the write it calls commit, which may not
// return (Watchdog.Disarm). A short write leaves the file as it was and is an error
// (D4). Every error is Closed.
func AppendToken(session, root, tool, agent string, commit func(), earn func(*Load) []Record) error {
	f, load, err := openToken(session, root, os.O_RDWR|os.O_APPEND|os.O_CREATE, syscall.LOCK_EX)
	if err != nil {
		return corrupt(session, "%v", err)
	}
	defer f.Close()
	lines, err := earnLines(session, load, tool, agent, earn)
	if err == nil && lines != "" {
		commit()
		if _, err = f.WriteString(lines); err == nil {
			return nil
		}
		err = Fail("the operator runs: df /tmp; df -i /tmp   (make room), then resumes or restarts the session, and /start",
			"token file: %v", err)
	}
	// Whole or not at all: the file gets its old length back, and goes where
	// that is nothing (empty, it would be corrupt) or cannot be done.
	if load.size == 0 || lines != "" && f.Truncate(load.size) != nil {
		os.Remove(f.Name())
	}
	return err
}

// earnLines returns what to append to the token file.
func earnLines(session string, load *Load, tool, agent string, earn func(*Load) []Record) (string, error) {
	lines := ""
	for _, r := range earn(load) {
		r.Time, r.Tool, r.Agent = max(0, time.Now().Unix()), tool, agent
		// Only what reads back as itself is written: a newline in a
		// directory name could otherwise forge a START_ACK (D5).
		if back, err := ParseRecord(r.String()); err != nil || back != r {
			return "", Fail("the operator renames the directory, then resumes or restarts the session",
				"token file: the record %s %s cannot be written: %v", r.Marker, Quote(r.Path), err)
		}
		lines += r.String() + "\n"
	}
	if lines != "" && load.torn {
		lines = "\n" + lines
	}
	if load.size+int64(len(lines)) > MaxToken {
		return "", corrupt(session, "it would grow over %d bytes", MaxToken)
	}
	return lines, nil
}

// errBusy: another process holds the lock, is about to write the first record,
// or has just removed the file.
var errBusy = errors.New("locked by another process, or empty")

// openToken opens, locks, checks and folds the token file.
func openToken(session, root string, flags, lock int) (*os.File, *Load, error) {
	for deadline := time.Now().Add(LockWait); ; time.Sleep(LockPoll) {
		f, err := os.OpenFile(TokenPath(session), flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
		if err != nil {
			return nil, nil, err
		}
		load := newLoad(root)
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

// corrupt is the error of every rule of D4 and D5; the condition as for Fail.
func corrupt(session, condition string, args ...any) error {
	path := TokenPath(session)
	return Fail("if it stays, the operator runs: rm -r "+path+"   then resumes or restarts the session, or the agent reads the three rule files; and /start again",
		"token file "+path+": "+condition, args...)
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
