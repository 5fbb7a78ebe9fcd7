package moiraicore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"
)

// TokenPath is the token file of a session (§4.5).
func TokenPath(session string) string { return TokenDir + "/" + TokenPrefix + session }

// A token file is believed only if all of this holds (D4). It is
//
//   - opened without following a link and without waiting (a FIFO would hang);
//   - locked, shared to read and exclusive to write, within LockWait;
//   - then a regular file, ours, with one name, not writable by others, at most
//     MaxToken bytes;
//   - not empty: an empty one belongs to a writer that has not come to its
//     write, which is waited for like a lock;
//   - made of well-formed records only (D5).
type tokenFile struct {
	path    string
	fd      int
	data    []byte
	written bool
}

// ReadToken folds the records of the session's token file. A session without
// one has an empty Load and exists is false. Every other error is Closed.
func ReadToken(session, root string) (load Load, exists bool, err error) {
	load.root = root
	t, err := openToken(session, syscall.O_RDONLY, syscall.LOCK_SH)
	if errors.Is(err, fs.ErrNotExist) {
		return load, false, nil
	}
	if err != nil {
		return load, true, tokenClosed(session, "%v", err)
	}
	defer syscall.Close(t.fd)
	return load, true, t.fold(&load)
}

// AppendToken adds the records that earn returns for what already stands, all
// in one write under one exclusive lock; none, and nothing is written. Time,
// tool and agent are filled in. Just before the write it calls commit. A short
// write leaves the file as it was and is an error (D4). Every error is Closed.
func AppendToken(session, root, tool, agent string, commit func(), earn func(*Load) []Record) error {
	t, err := openToken(session, syscall.O_RDWR|syscall.O_APPEND|syscall.O_CREAT, syscall.LOCK_EX)
	if err != nil {
		return tokenClosed(session, "%v", err)
	}
	defer t.close()
	load := Load{root: root}
	if err := t.fold(&load); err != nil {
		return err
	}
	lines, err := earnedLines(earn(&load), tool, agent)
	if err != nil || len(lines) == 0 {
		return err
	}
	if n := len(t.data); n > 0 && t.data[n-1] != '\n' {
		lines = append([]byte{'\n'}, lines...)
	}
	if len(t.data)+len(lines) > MaxToken {
		return tokenClosed(session, "%s would grow over %d bytes", t.path, MaxToken)
	}
	commit()
	return t.write(lines)
}

// earnedLines completes the records and puts them in lines. Only what reads
// back as itself is written: a newline in a directory name could otherwise
// forge a START_ACK (D5).
func earnedLines(earned []Record, tool, agent string) ([]byte, error) {
	var lines []byte
	for _, r := range earned {
		r.Time, r.Tool, r.Agent = max(0, time.Now().Unix()), tool, agent
		if back, err := ParseRecord(r.String()); err != nil || back != r {
			return nil, closed("rename the directory, then restart or resume the session",
				"token file: the record %s %s cannot be written", r.Marker, Quote(r.Path))
		}
		lines = append(append(lines, r.String()...), '\n')
	}
	return lines, nil
}

// write appends the lines whole or not at all. Where not even the old length
// can be restored, the file goes.
func (t *tokenFile) write(lines []byte) error {
	n, err := retry(func() (int, error) { return syscall.Write(t.fd, lines) })
	if err == nil && n == len(lines) {
		t.written = true
		return nil
	}
	if err == nil {
		err = fmt.Errorf("only %d of %d bytes were accepted", n, len(lines))
	}
	if syscall.Ftruncate(t.fd, int64(len(t.data))) != nil {
		os.Remove(t.path)
	}
	return closed("the operator runs: df /tmp; df -i /tmp   (make room), then restart or resume the session, and /start",
		"token file: write %s: %v", t.path, err)
}

// close gives the lock back. A file that a writer made and did not write to is
// removed under its lock: empty, it would be corrupt (D5).
func (t *tokenFile) close() {
	if len(t.data) == 0 && !t.written {
		os.Remove(t.path)
	}
	syscall.Close(t.fd)
}

// openToken opens, locks, checks and reads the token file.
func openToken(session string, flags, lock int) (*tokenFile, error) {
	path := TokenPath(session)
	for deadline := time.Now().Add(LockWait); ; time.Sleep(LockPoll) {
		fd, err := retry(func() (int, error) {
			return syscall.Open(path, flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0o600)
		})
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: path, Err: err}
		}
		t := &tokenFile{path: path, fd: fd}
		again, err := t.lockAndRead(lock)
		if err == nil && !again {
			return t, nil
		}
		syscall.Close(fd)
		if err != nil {
			return nil, err
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("%s: locked by another process, or empty, for %v", path, LockWait)
		}
	}
}

// lockAndRead tries the lock once. again is true if another process holds it,
// is about to write the first record, or has just removed the file.
func (t *tokenFile) lockAndRead(lock int) (again bool, err error) {
	_, err = retry(func() (int, error) { return 0, syscall.Flock(t.fd, lock|syscall.LOCK_NB) })
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	if err != nil {
		return false, &fs.PathError{Op: "lock", Path: t.path, Err: err}
	}
	var st syscall.Stat_t
	if err := syscall.Fstat(t.fd, &st); err != nil {
		return false, &fs.PathError{Op: "stat", Path: t.path, Err: err}
	}
	if st.Nlink == 0 {
		return true, nil
	}
	if err := t.check(&st); err != nil {
		return false, err
	}
	if st.Size == 0 && lock == syscall.LOCK_SH {
		return true, nil
	}
	return false, t.read(st.Size)
}

func (t *tokenFile) check(st *syscall.Stat_t) error {
	switch {
	case st.Mode&syscall.S_IFMT != syscall.S_IFREG:
		return fmt.Errorf("%s is not a regular file (mode %o)", t.path, st.Mode)
	case st.Uid != uint32(os.Geteuid()):
		return fmt.Errorf("%s belongs to uid %d, not to us (uid %d)", t.path, st.Uid, os.Geteuid())
	case st.Mode&0o022 != 0:
		return fmt.Errorf("%s is writable by group or others (mode %o)", t.path, st.Mode&0o7777)
	case st.Nlink != 1:
		return fmt.Errorf("%s has %d names: a hard link", t.path, st.Nlink)
	case st.Size > MaxToken:
		return fmt.Errorf("%s has %d bytes, over %d", t.path, st.Size, MaxToken)
	}
	return nil
}

// read reads the size bytes that the locked file has, no more and no fewer.
func (t *tokenFile) read(size int64) error {
	t.data = make([]byte, 0, size+1)
	for {
		n, err := retry(func() (int, error) { return syscall.Read(t.fd, t.data[len(t.data):cap(t.data)]) })
		if err != nil {
			return &fs.PathError{Op: "read", Path: t.path, Err: err}
		}
		t.data = t.data[:len(t.data)+n]
		if n == 0 && int64(len(t.data)) == size {
			return nil
		}
		if n == 0 || int64(len(t.data)) > size {
			return fmt.Errorf("%s changed while it was read", t.path)
		}
	}
}

// fold parses every line into load. A last line without its newline counts if
// it is well formed (D5).
func (t *tokenFile) fold(load *Load) error {
	rest := string(t.data)
	for n := 1; rest != ""; n++ {
		line, after, _ := strings.Cut(rest, "\n")
		r, err := ParseRecord(line)
		if err != nil {
			return closed(tokenWayOut(t.path), "token file: %s line %d is corrupt: %v", t.path, n, err)
		}
		load.Add(r)
		rest = after
	}
	return nil
}

// Refresh renews the modification time of the session's token file if it
// is older than KeepAlive, best effort, so that cleaners of /tmp do not close
// the gate on a session that works through the night (D18).
func Refresh(session string) {
	path, now := TokenPath(session), time.Now()
	if info, err := os.Lstat(path); err == nil && now.Sub(info.ModTime()) > KeepAlive {
		os.Chtimes(path, now, now)
	}
}

func tokenClosed(session, format string, args ...any) error {
	return closed(tokenWayOut(TokenPath(session)), "token file: "+format, args...)
}

func tokenWayOut(path string) string {
	return "the operator runs: rm -r " + path + "   then the session is resumed or restarted, or reads the three rule files, and /start again"
}

// retry repeats a system call that a signal interrupted.
func retry(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != syscall.EINTR {
			return n, err
		}
	}
}
