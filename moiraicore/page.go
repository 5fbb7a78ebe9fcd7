package moiraicore

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// The client keeps SessionStart output of at most 10,000 UTF-16 code units a
// command and silently drops the rest, so the block goes out in pages that fit
// (D7). A page is
//
//	===== MOIRAI (HADES) INJECTION BLOCK: page K of M (pages arrive in any order) =====
//	----- FILE docs/…/COMMANDMENTS.md: bytes A to B of TOTAL, path /…/COMMANDMENTS.md -----
//	B-A bytes of the file, and a newline that belongs to the banner below
//	----- END docs/…/COMMANDMENTS.md: to be continued on page K+1 -----
//	===== END OF MOIRAI (HADES) INJECTION BLOCK: page K of M =====
//
// with one FILE…END part for each file that the page carries, the last of a
// file marked "complete". The byte counts make the files whole again whatever
// they hold.

// Units is the length of s in UTF-16 code units: 2 for a character beyond
// U+FFFF, 1 for any other and for each invalid byte (D7).
func Units(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// part is a piece of one required file.
type part struct{ file, from, to int }

// Paginate cuts the three files into pages of at most PageUnits units each,
// their banners and final newline included. It cuts at line ends, and inside a
// line only where the line is longer than a page, between two characters. It
// fails if the root's path is so long that the banners leave no room.
func Paginate(content [len(Required)]string, root string) ([]string, error) {
	var pages [][]part
	room := 0
	for file, text := range content {
		banner := Units(partText(root, part{file, len(text), len(text)}, text, maxDigits))
		if frame()+banner+2 > PageUnits {
			return nil, closed("move the constellation to a shorter path", "paging: the path %s leaves no room on a page", root)
		}
		full := PageUnits - frame() - banner
		for from := 0; from < len(text); {
			to := 0
			if len(pages) > 0 {
				to = cut(text, from, room-banner, full)
			}
			if to <= from {
				pages = append(pages, nil)
				room = PageUnits - frame()
				to = cut(text, from, full, full)
			}
			last := len(pages) - 1
			pages[last] = append(pages[last], part{file, from, to})
			room -= banner + Units(text[from:to])
			from = to
		}
	}
	out := make([]string, len(pages))
	for k, parts := range pages {
		var b strings.Builder
		fmt.Fprintf(&b, headBanner, k+1, len(pages))
		for _, p := range parts {
			b.WriteString(partText(root, p, content[p.file], k+2))
		}
		fmt.Fprintf(&b, footBanner, k+1, len(pages))
		out[k] = b.String()
	}
	return out, nil
}

const (
	headBanner = "===== MOIRAI (HADES) INJECTION BLOCK: page %d of %d (pages arrive in any order) =====\n"
	footBanner = "===== END OF MOIRAI (HADES) INJECTION BLOCK: page %d of %d =====\n"

	// Banners are measured with the longest number that a page can have.
	maxDigits = 99_999_999
)

// frame is the room that the banners of a page take, in units.
func frame() int {
	return Units(fmt.Sprintf(headBanner+footBanner, maxDigits, maxDigits, maxDigits, maxDigits))
}

func partText(root string, p part, text string, next int) string {
	path := Required[p.file].Path
	end := "complete"
	if p.to < len(text) || next == maxDigits {
		end = fmt.Sprintf("to be continued on page %d", next)
	}
	return fmt.Sprintf("----- FILE %s: bytes %d to %d of %d, path %s/%s -----\n%s\n----- END %s: %s -----\n",
		path, p.from, p.to, len(text), root, path, text[p.from:p.to], path, end)
}

// cut returns the end of what fits into room units from text[from:]: whole
// lines, or, if the next line is longer than a whole page, as many characters
// as fit. It returns from if nothing fits.
func cut(text string, from, room, full int) int {
	at, lines := walk(text, from, room)
	if at == len(text) {
		return at
	}
	if end, more := walk(text, lines, full); end < len(text) && more == lines {
		return at
	}
	return lines
}

// walk returns how far room units reach into text[from:], and the end of the
// last whole line before that.
func walk(text string, from, room int) (at, lines int) {
	at, lines = from, from
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		room--
		if r > 0xffff {
			room--
		}
		if room < 0 {
			break
		}
		at += size
		if r == '\n' {
			lines = at
		}
	}
	return at, lines
}
