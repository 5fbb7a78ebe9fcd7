package moiraicore

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// ReadRequired reads the three required files under root. Each must be regular
// (a link to one will do), readable, not empty, at most MaxRequired bytes, and
// must not change while it is read. All that fail are listed in one error
// (§4.2.1, D6).
func ReadRequired(s Scope) ([len(Required)]string, error) {
	var content [len(Required)]string
	var failed []string
	for i, r := range Required {
		text, err := ReadFile(s.Root + "/" + r.Path)
		if err != nil {
			failed = append(failed, err.Error())
		}
		content[i] = text
	}
	if failed == nil {
		return content, nil
	}
	tried := ""
	if !s.Whole {
		tried = "; no directory holds all three, tried: " + strings.Join(s.Tried, ", ")
	}
	return content, closed("put the files in place (git status, git checkout), then restart or resume the session; a folder of this name that is no constellation: give it another name",
		"required files: %s%s", strings.Join(failed, "; "), tried)
}

// ReadFile reads one file whole: regular (a link to one will do), not empty, at
// most MaxRequired bytes, unchanged while it is read. Errors name the path.
func ReadFile(path string) (string, error) {
	// Not opened before it is known to be regular: a FIFO would hang us.
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s: not a regular file", path)
	}
	if info.Size() == 0 {
		return "", fmt.Errorf("%s: empty", path)
	}
	if info.Size() > MaxRequired {
		return "", fmt.Errorf("%s: %d bytes, over %d", path, info.Size(), MaxRequired)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var b strings.Builder
	n, err := io.Copy(&b, io.LimitReader(f, info.Size()+1))
	if err != nil {
		return "", err
	}
	after, err := f.Stat()
	if err != nil {
		return "", err
	}
	if n != info.Size() || after.Size() != info.Size() || !after.ModTime().Equal(info.ModTime()) || !os.SameFile(info, after) {
		return "", errors.New(path + ": changed while it was read")
	}
	return b.String(), nil
}
