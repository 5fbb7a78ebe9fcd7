package moiraicore

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf16"
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
	return content, Fail("the operator puts the files in place (git status, git checkout, chmod u+r) and types a prompt; a folder that is no constellation: give it another name",
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

// Units is the length of s in UTF-16 code units: 2 for a character beyond
// U+FFFF, 1 for any other and for each invalid byte (D7).
func Units(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// Paginate cuts the three files of root into pages of at most PageUnits UTF-16
// units each (up to MaxPages of them), their banners and final newline included,
// since the client keeps no more of one SessionStart command and silently drops the
// rest (D7). A page has one FILE…END part for each file that it carries; the byte counts in it make the
// files whole again whatever they hold. It cuts at line ends, and inside a line
// only where the line is longer than a page, between two characters. It fails,
// Closed, if the path of root is so long that the banners leave no room. An empty
// text has no part.
func Paginate(content [len(Required)]string, root string) ([]string, error) {
	var pages []string // without head and foot
	var page strings.Builder
	page.Grow(2 * PageUnits) // in one piece, here and below: fresh memory costs more than the cutting
	frame := Units(fmt.Sprintf(headBanner+footBanner, MaxPages, MaxPages, MaxPages, MaxPages))
	room := PageUnits - frame
	for i, text := range content {
		name, path, size := Required[i].Path, root+"/"+Required[i].Path, len(text)
		longest := fmt.Sprintf(fileBanner+endBanner, name, size, size, size, path, name, fmt.Sprintf(continued, MaxPages))
		banners, full := Units(longest), PageUnits-frame-Units(longest)
		if full < 2 {
			return nil, Fail("the operator moves the constellation to a shorter path", "paging: the path %s leaves no room on a page", root)
		}
		for from := 0; from < size; {
			to := cut(text, from, room-banners, full)
			if to == from {
				pages, room = append(pages, page.String()), PageUnits-frame
				page.Reset()
				page.Grow(2 * PageUnits)
				to = cut(text, from, full, full)
			}
			end := complete
			if to < size {
				end = fmt.Sprintf(continued, len(pages)+2)
			}
			page.WriteString(fmt.Sprintf(fileBanner, name, from, to, size, path) + text[from:to] + fmt.Sprintf(endBanner, name, end))
			room -= banners + Units(text[from:to])
			from = to
		}
	}
	pages = append(pages, page.String())
	for k, parts := range pages {
		pages[k] = fmt.Sprintf(headBanner, k+1, len(pages)) + parts + fmt.Sprintf(footBanner, k+1, len(pages))
	}
	return pages, nil
}

// cut returns the end of what fits into room units from text[from:]: whole
// lines, or, if the next line is longer than a whole page, as many characters
// as fit. It returns from if nothing fits.
func cut(text string, from, room, full int) int {
	at, lines := reach(text, from, room)
	if at == len(text) {
		return at
	}
	if end, more := reach(text, lines, full); end < len(text) && more == lines {
		return at
	}
	return lines
}

// reach returns how far room units reach into text[from:], and the end of the
// last whole line before that.
func reach(text string, from, room int) (at, lines int) {
	lines = from
	for i, r := range text[from:] {
		room -= utf16.RuneLen(r)
		if room < 0 {
			return from + i, lines
		}
		if r == '\n' {
			lines = from + i + 1
		}
	}
	return len(text), lines
}
