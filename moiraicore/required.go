package moiraicore

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// ReadRequired reads the three required files of the scope's root. All that
// fail are listed in one error, which is Closed (§4.2.1, D6).
func ReadRequired(s Scope) (content [len(Required)]string, err error) {
	var failed []string
	for i, r := range Required {
		content[i], err = ReadFile(s.Root + "/" + r.Path)
		if err != nil {
			failed = append(failed, err.Error())
		}
	}
	if failed == nil {
		return content, nil
	}
	if !s.Whole {
		failed = append([]string{s.Lacks()}, failed...)
	}
	return content, Fail("the operator puts the files in place (git status, git checkout, chmod u+r) and resumes or restarts the session; a folder that is no constellation: give it another name",
		"required files: %s", strings.Join(failed, "; "))
}

// ReadFile reads one file whole: regular (a link to one will do), not empty, at
// most MaxRequired bytes, unchanged while it is read. Errors name the path.
func ReadFile(path string) (string, error) {
	// Not opened before it is known to be regular: a FIFO would hang us.
	before, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !before.Mode().IsRegular() || before.Size() == 0 || before.Size() > MaxRequired {
		return "", fmt.Errorf("%s is not regular, empty or over %d bytes (%v, %d bytes)", path, MaxRequired, before.Mode(), before.Size())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	after, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if int64(len(text)) != before.Size() || !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
		return "", errors.New(path + " changed while it was read")
	}
	return string(text), nil
}
