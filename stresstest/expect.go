package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// expectation is a step that judges what the calls left behind.
type expectation func(*scene) error

func (e expectation) do(s *scene) error { return e(s) }

// Records as they must stand in a token file, without their time.
var (
	loadedLines = []string{
		"COMMANDMENTS_ACK SessionStart main {root}/docs/book-of-hades/COMMANDMENTS.md",
		"SCOPE_ACK SessionStart main {root}/context/scope.md",
		"CONTEXT_ACK SessionStart main {root}/CONTEXT.md",
	}
	// by a load that a rewind could cut away, at the present prompt; and by a resume,
	// whose SessionStart belongs to none
	reloadedLines = []string{
		"COMMANDMENTS_ACK SessionStart main@{prompt} {root}/docs/book-of-hades/COMMANDMENTS.md",
		"SCOPE_ACK SessionStart main@{prompt} {root}/context/scope.md",
		"CONTEXT_ACK SessionStart main@{prompt} {root}/CONTEXT.md",
	}
	resumedLines = []string{
		"COMMANDMENTS_ACK SessionStart main@ {root}/docs/book-of-hades/COMMANDMENTS.md",
		"SCOPE_ACK SessionStart main@ {root}/context/scope.md",
		"CONTEXT_ACK SessionStart main@ {root}/CONTEXT.md",
	}
	promptedLines = []string{ // with a prompt
		"COMMANDMENTS_ACK UserPromptSubmit main@{prompt} {root}/docs/book-of-hades/COMMANDMENTS.md",
		"SCOPE_ACK UserPromptSubmit main@{prompt} {root}/context/scope.md",
		"CONTEXT_ACK UserPromptSubmit main@{prompt} {root}/CONTEXT.md",
	}
	typedStart    = "START_ACK UserPromptSubmit main"
	skillStart    = "START_ACK Skill main"
	voidLine      = "LOAD_VOID PreCompact main"
	failedNew     = "CONTEXT_NEW SessionStart main"
	failedResume  = "CONTEXT_RESUMED SessionStart main@"
	failedCompact = "LOAD_VOID SessionStart main@{prompt}"
)

// lines joins records and lists of records.
func lines(parts ...any) []string {
	var all []string
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			all = append(all, p)
		case []string:
			all = append(all, p...)
		}
	}
	return all
}

// tokenIs: the token file holds exactly these records, and what wholeTokenIs judges:
// which loaders ran. A line that begins with a digit must stand byte for byte; the
// others begin with a time near now.
func tokenIs(parts ...any) step {
	return expectation(func(s *scene) error { return s.tokenHolds(lines(parts...)) })
}

func (s *scene) tokenHolds(want []string) error {
	data, err := os.ReadFile(s.onDisk(s.token()))
	if err != nil {
		return fmt.Errorf("token file: %w", err)
	}
	return s.recordsAre(loaderRan.ReplaceAllString(string(data), ""), want)
}

// loaderRan is the record that a loader ran for a context (D20).
var loaderRan = regexp.MustCompile(`(?m)^[0-9]+ (?:CONTEXT_NEW|CONTEXT_RESUMED|LOAD_VOID) (?:SessionStart|UserPromptSubmit) main(?:@[a-z0-9-]*)? [^ \n]+ [^\n]*\n`)

// wholeTokenIs: every record of the file, those of loaders that ran included.
func wholeTokenIs(parts ...any) step {
	return expectation(func(s *scene) error {
		data, err := os.ReadFile(s.token())
		if err != nil {
			return fmt.Errorf("token file: %w", err)
		}
		return s.recordsAre(string(data), lines(parts...))
	})
}

// unmarked: no record of the token file, if there is one, says that a rule file was
// delivered, a page went out, or somebody started.
func unmarked() step {
	return expectation(func(s *scene) error {
		data, err := os.ReadFile(s.token())
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		for line := range strings.Lines(string(data)) {
			if f := strings.Fields(line); len(f) < 4 || f[1] != "CONTEXT_NEW" && f[1] != "CONTEXT_RESUMED" && f[1] != "LOAD_VOID" {
				return fmt.Errorf("token file: expected that nothing was earned, got %q", line)
			}
		}
		return nil
	})
}

// recordsAre compares the text of a token file with records.
func (s *scene) recordsAre(text string, want []string) error {
	var expected, got []string
	for _, line := range want {
		expected = append(expected, s.expand(line))
	}
	for i := 0; text != ""; i++ {
		line, rest, ended := strings.Cut(text, "\n")
		if !ended {
			return fmt.Errorf("token file: expected a newline at the end, got %q", line)
		}
		if i < len(expected) && (expected[i] == "" || expected[i][0] < '0' || '9' < expected[i][0]) {
			var err error
			if line, err = s.fresh(line); err != nil {
				return err
			}
		}
		got = append(got, line)
		text = rest
	}
	if e, g := strings.Join(expected, "\n"), strings.Join(got, "\n"); e != g {
		return fmt.Errorf("token file: %w", mismatch(e, g))
	}
	return nil
}

// fresh checks that a record was written during this case and takes its time off.
func (s *scene) fresh(line string) (string, error) {
	stamp, rest, _ := strings.Cut(line, " ")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || strconv.FormatInt(seconds, 10) != stamp {
		return "", fmt.Errorf("token file: expected a time in seconds first, got %q", line)
	}
	if seconds < s.began.Unix() || seconds > time.Now().Unix() {
		return "", fmt.Errorf("token file: expected a time between %d and now, got %d", s.began.Unix(), seconds)
	}
	return rest, nil
}

// noToken: the session has no token file.
func noToken() step { return absent("{token}") }

// absent: nothing has that path.
func absent(path string) step {
	return expectation(func(s *scene) error {
		path := s.onDisk(s.expand(path))
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("expected that %s does not exist, got %v", path, err)
		}
		return nil
	})
}

// modeOf: path has exactly these mode bits.
func modeOf(path string, want os.FileMode) step {
	return expectation(func(s *scene) error {
		info, err := os.Lstat(s.expand(path))
		if err != nil {
			return err
		}
		if info.Mode() != want {
			return fmt.Errorf("%s: expected mode %v, got %v", path, want, info.Mode())
		}
		return nil
	})
}

// sizeOf: the file has exactly that many bytes.
func sizeOf(path string, want int64) step {
	return expectation(func(s *scene) error {
		info, err := os.Stat(s.expand(path))
		if err != nil {
			return err
		}
		if info.Size() != want {
			return fmt.Errorf("%s: expected %d bytes, got %d", path, want, info.Size())
		}
		return nil
	})
}

// content: the file holds exactly this.
func content(path, want string) step {
	return expectation(func(s *scene) error {
		got, err := os.ReadFile(s.expand(path))
		if err != nil {
			return err
		}
		if want := s.expand(want); string(got) != want {
			return fmt.Errorf("%s: %w", path, mismatch(want, string(got)))
		}
		return nil
	})
}

// ageOf: the file was last changed that long ago, to the minute.
func ageOf(path string, want time.Duration) step {
	return expectation(func(s *scene) error {
		info, err := os.Stat(s.expand(path))
		if err != nil {
			return err
		}
		if got := time.Since(info.ModTime()); (got - want).Abs() > time.Minute {
			return fmt.Errorf("%s: expected an age of %v, got %v", path, want, got)
		}
		return nil
	})
}

// unlocked: no process holds the lock of the token file.
func unlocked() step {
	return expectation(func(s *scene) error {
		f, err := os.Open(s.token())
		if err != nil {
			return err
		}
		defer f.Close()
		return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	})
}

// locked holds the lock of the token file until the case ends.
func locked(how int) step {
	return fixture(func(s *scene) error {
		f, err := os.OpenFile(s.token(), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		s.later(f.Close)
		return syscall.Flock(int(f.Fd()), how)
	})
}

func nothing(s *scene, got string) error {
	if got != "" {
		return mismatch("nothing", got)
	}
	return nil
}

// exactly: this text and nothing else.
func exactly(want string) judge {
	return func(s *scene, got string) error {
		if want := s.expand(want); got != want {
			return mismatch(want, got)
		}
		return nil
	}
}

func holds(s *scene, got string, fragments []string) error {
	for _, f := range fragments {
		if f = s.expand(f); !strings.Contains(got, f) {
			return mismatch("something with "+strconv.Quote(f), got)
		}
	}
	return nil
}

func mismatch(want, got string) error {
	return fmt.Errorf("expected\n      | %s\n    got\n      | %s",
		strings.ReplaceAll(want, "\n", "\n      | "), strings.ReplaceAll(got, "\n", "\n      | "))
}
