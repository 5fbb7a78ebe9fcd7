// Package history reads the token files as what they tell: the records of each
// session in their order (§4.5). It is for those who look on, operate status
// and the probe; what a record is, moiraicore alone decides, and what the gate
// makes of a session, moiraicore.ReadToken.
//
// It writes nothing, waits for nothing, and holds a lock no longer than a read.
package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"moirai/moiraicore"
)

// History is one token file.
type History struct {
	Session string
	Records []moiraicore.Record // up to the first corrupt line
	BadLine int                 // number of the first corrupt line; 0 if none is
	Bad     error               // what is wrong with it

	// Told by ReadLocked alone.
	Modified time.Time
	Refused  string // why the gate does not believe the file at all (D4)
	Empty    bool   // so is one that a hook has just made
	Busy     bool   // a hook is writing it: nothing was read
}

// Sessions lists the sessions that have a token file, in no order. There are
// none if the directory is missing.
func Sessions() ([]string, error) {
	dir, err := os.Open(moiraicore.TokenDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var sessions []string
	for _, name := range names {
		if id, ok := strings.CutPrefix(name, moiraicore.TokenPrefix); ok {
			sessions = append(sessions, id)
		}
	}
	return sessions, nil
}

// Reader reads histories one after the other and reuses its memory for it. The
// zero value is ready.
type Reader struct {
	buf     []byte
	records []moiraicore.Record
}

// Read reads a token file by as few system calls as can be, for a first look
// at very many: without lock or check, so that what looks wrong may be a record
// half written, and is to be read again by ReadLocked. The Records are good
// until the next read. exists is false if the file is not there. An error means
// that we could not look.
func (r *Reader) Read(session string) (h History, exists bool, err error) {
	h.Session = session
	fd, exists, err := open(session)
	if err != nil || !exists {
		return h, exists, err
	}
	if fd < 0 {
		h.Bad = errNoFile
		return h, true, nil
	}
	defer syscall.Close(fd)
	if err := r.read(fd, &h); err != nil {
		h.Bad = err
	}
	return h, true, nil
}

var errNoFile = errors.New("not a regular file")

// ReadLocked reads a token file as the gate would: under a shared lock, if it
// is a file that the gate believes.
func (r *Reader) ReadLocked(session string) (h History, exists bool, err error) {
	h.Session = session
	fd, exists, err := open(session)
	if err != nil || !exists {
		return h, exists, err
	}
	if fd < 0 {
		h.Refused = errNoFile.Error()
		return h, true, nil
	}
	defer syscall.Close(fd)
	if syscall.Flock(fd, syscall.LOCK_SH|syscall.LOCK_NB) != nil {
		h.Busy = true
		return h, true, nil
	}
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return h, true, &fs.PathError{Op: "stat", Path: moiraicore.TokenPath(session), Err: err}
	}
	h.Modified = modified(&st)
	if h.Refused = refused(&st); h.Refused != "" {
		h.Empty = h.Refused == isEmpty
		return h, true, nil
	}
	return h, true, r.read(fd, &h)
}

// open opens a token file. fd is -1 if what is there is no file.
func open(session string) (fd int, exists bool, err error) {
	path := moiraicore.TokenPath(session)
	fd, err = retry(func() (int, error) {
		return syscall.Open(path, syscall.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	})
	switch {
	case err == nil:
		return fd, true, nil
	case errors.Is(err, fs.ErrNotExist):
		return -1, false, nil
	case errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.ENXIO), errors.Is(err, syscall.EOPNOTSUPP):
		return -1, true, nil // a link, a socket
	}
	return -1, true, &fs.PathError{Op: "open", Path: path, Err: err}
}

const isEmpty = "empty"

// refused says which of the conditions of D4 the file does not meet.
func refused(st *syscall.Stat_t) string {
	switch {
	case st.Mode&syscall.S_IFMT != syscall.S_IFREG:
		return "not a regular file"
	case st.Uid != uint32(os.Geteuid()):
		return fmt.Sprintf("it belongs to uid %d", st.Uid)
	case st.Mode&0o022 != 0:
		return fmt.Sprintf("writable by group or others (mode %o)", st.Mode&0o7777)
	case st.Nlink > 1:
		return fmt.Sprintf("%d names: a hard link", st.Nlink)
	case st.Size > moiraicore.MaxToken:
		return fmt.Sprintf("%d bytes, over %d", st.Size, moiraicore.MaxToken)
	case st.Size == 0:
		return isEmpty
	}
	return ""
}

// read reads and parses the file. A regular file that gives less than was asked
// for is at its end.
func (r *Reader) read(fd int, h *History) error {
	if r.buf == nil {
		r.buf = make([]byte, 16<<10)
	}
	size := 0
	for {
		n, err := retry(func() (int, error) { return syscall.Read(fd, r.buf[size:]) })
		if err != nil {
			return &fs.PathError{Op: "read", Path: moiraicore.TokenPath(h.Session), Err: err}
		}
		size += n
		if size < len(r.buf) || size > moiraicore.MaxToken {
			break
		}
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
	r.parse(string(r.buf[:size]), h)
	return nil
}

func (r *Reader) parse(text string, h *History) {
	r.records = r.records[:0]
	for n := 1; text != ""; n++ {
		line, after, _ := strings.Cut(text, "\n")
		record, err := moiraicore.ParseRecord(line)
		if err != nil {
			h.BadLine, h.Bad = n, err
			break
		}
		r.records = append(r.records, record)
		text = after
	}
	h.Records = r.records
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
