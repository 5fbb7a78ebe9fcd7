// Package history reads the token files as what they tell: the records of each
// session in their order (§4.5). It is for those who look on, operate status
// and the probe; what a record is, moiraicore alone decides, and what the gate
// makes of a session, moiraicore.ReadToken.
//
// It writes nothing, waits for nothing, and holds a lock no longer than a read.
package history

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"moirai/moiraicore"
)

// History is one token file.
type History struct {
	Session  string
	Modified time.Time
	Records  []moiraicore.Record // up to the first corrupt line
	BadLine  int                 // number of the first corrupt line; 0 if none is
	Bad      error               // what is wrong with it
	Refused  string              // why the gate does not believe the file at all (D4)
	Empty    bool                // so is one that a hook has just made
	Busy     bool                // a hook is writing it: nothing was read
}

// Sessions lists the sessions that have a token file, in no order. There are
// none if the directory is missing.
func Sessions() (all []string, err error) {
	var names Names
	defer names.Close()
	for {
		some, err := names.Next()
		if err != nil || some == nil {
			return all, err
		}
		all = append(all, some...)
	}
}

// Names reads the sessions that have a token file in portions, so that several
// readers can share the work from the first portion on. The zero value is ready.
type Names struct {
	Aside []string // sessions whose token a hook put aside, once Next has nothing more

	mu   sync.Mutex
	dir  *os.File
	done bool
}

// asidePrefix is what the name of a token file that was put aside begins with.
const asidePrefix = "." + moiraicore.TokenPrefix

// AsidePath is where the token file of a session lies that a hook put aside: what it
// says has ended, and the hook could not write that into it.
func AsidePath(session string) string { return moiraicore.TokenDir + "/" + asidePrefix + session }

// portion is what the system gives at one call, about.
const portion = 256

// Next returns the next sessions, in no order; none if there are no more.
func (n *Names) Next() (sessions []string, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.dir == nil && !n.done {
		n.dir, err = os.Open(moiraicore.TokenDir)
	}
	for err == nil && !n.done && sessions == nil {
		var names []string
		names, err = n.dir.Readdirnames(portion)
		for _, name := range names {
			if id, ok := strings.CutPrefix(name, moiraicore.TokenPrefix); ok {
				sessions = append(sessions, id)
			} else if id, ok := strings.CutPrefix(name, asidePrefix); ok {
				n.Aside = append(n.Aside, id)
			}
		}
	}
	if err == io.EOF || errors.Is(err, fs.ErrNotExist) {
		n.done, err = true, nil
	}
	return sessions, err
}

// Close closes the directory.
func (n *Names) Close() {
	if n.dir != nil {
		n.dir.Close()
	}
}

// Reader reads histories one after the other and reuses its memory for it. The
// zero value is ready.
type Reader struct {
	dir     *os.File // the token directory, once it was opened
	buf     []byte
	records []moiraicore.Record
	known   map[string]moiraicore.Record // by what follows the time of a line
}

// Read reads a token file without its lock, for a first look at very many: what
// looks wrong may be a record half written, and is to be read again by
// ReadLocked. The Records are good until the next read. exists is false if the
// file is not there. An error means that we could not look.
func (r *Reader) Read(session string) (h History, exists bool, err error) {
	return r.look(session, false)
}

// ReadLocked reads a token file as the gate would, under a shared lock.
func (r *Reader) ReadLocked(session string) (h History, exists bool, err error) {
	return r.look(session, true)
}

// look opens, locks, checks and reads in the order of the gate (D4), by one
// system call each.
func (r *Reader) look(session string, locked bool) (h History, exists bool, err error) {
	h.Session = session
	fd, exists, err := r.open(session)
	if err != nil || !exists {
		return h, exists, err
	}
	if fd < 0 {
		h.Refused = noFile
		return h, true, nil
	}
	defer syscall.Close(fd)
	if locked && syscall.Flock(fd, syscall.LOCK_SH|syscall.LOCK_NB) != nil {
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
func (r *Reader) open(session string) (fd int, exists bool, err error) {
	if r.dir == nil {
		if r.dir, err = os.Open(moiraicore.TokenDir); err != nil {
			return -1, !errors.Is(err, fs.ErrNotExist), err
		}
	}
	fd, err = retry(func() (int, error) {
		return openIn(r.dir, moiraicore.TokenPrefix+session, syscall.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC)
	})
	switch {
	case err == nil:
		return fd, true, nil
	case errors.Is(err, fs.ErrNotExist):
		return -1, false, nil
	case errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.ENXIO), errors.Is(err, syscall.EOPNOTSUPP):
		return -1, true, nil // a link, a socket
	}
	return -1, true, &fs.PathError{Op: "open", Path: moiraicore.TokenPath(session), Err: err}
}

const (
	noFile  = "not a regular file"
	isEmpty = "empty"
)

// us is asked for once: it is a system call.
var us = uint32(os.Geteuid())

// refused says which of the conditions of D4 the file does not meet.
func refused(st *syscall.Stat_t) string {
	switch {
	case st.Mode&syscall.S_IFMT != syscall.S_IFREG:
		return noFile
	case st.Uid != us:
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
	r.parse(r.buf[:size], h)
	return nil
}

func (r *Reader) parse(text []byte, h *History) {
	r.records = r.records[:0]
	for n := 1; len(text) > 0; n++ {
		line, after, _ := bytes.Cut(text, []byte{'\n'})
		record, err := r.record(line)
		if err != nil {
			h.BadLine, h.Bad = n, err
			break
		}
		r.records = append(r.records, record)
		text = after
	}
	h.Records = r.records
}

const (
	timeDigits = 10 // of the seconds of our days
	maxKnown   = 1 << 10
)

// record is moiraicore.ParseRecord, asked once for lines that differ in their
// time alone, as those of most sessions do: memory that is not taken is time.
func (r *Reader) record(line []byte) (moiraicore.Record, error) {
	if len(line) <= timeDigits || line[timeDigits] != ' ' {
		return moiraicore.ParseRecord(string(line))
	}
	seconds, err := strconv.ParseUint(string(line[:timeDigits]), 10, 63) // digits and nothing else
	if err != nil {
		return moiraicore.ParseRecord(string(line))
	}
	rest := line[timeDigits:]
	if record, ok := r.known[string(rest)]; ok {
		record.Time = int64(seconds)
		return record, nil
	}
	record, err := moiraicore.ParseRecord(string(line))
	if err != nil {
		return record, err
	}
	if r.known == nil || len(r.known) == maxKnown {
		r.known = map[string]moiraicore.Record{}
	}
	r.known[string(rest)] = record
	return record, nil
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
