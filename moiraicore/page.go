package moiraicore

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// The client keeps SessionStart output of at most 10,000 UTF-16 code units a
// command and silently drops the rest, so the block goes out in pages that fit
// (D7). A page has these banners, with one FILE…END part for each file that it
// carries; the byte counts make the files whole again whatever they hold.
const (
	headBanner = "===== MOIRAI (HADES) INJECTION BLOCK: page %d of %d (pages arrive in any order) =====\n"
	fileBanner = "----- FILE %s: bytes %d to %d of %d, path %s -----\n" // then the bytes
	endBanner  = "\n----- END %s: %s -----\n"                           // its first newline is no byte of the file
	continued  = "to be continued on page %d"
	footBanner = "===== END OF MOIRAI (HADES) INJECTION BLOCK: page %d of %d =====\n"
)

// part is a piece of the text of one required file.
type part struct {
	name, path, text string
	from, to, page   int
}

func (p part) writeTo(b *strings.Builder) {
	end := "complete"
	if p.to < len(p.text) {
		end = fmt.Sprintf(continued, p.page+1)
	}
	fmt.Fprintf(b, fileBanner, p.name, p.from, p.to, len(p.text), p.path)
	b.WriteString(p.text[p.from:p.to])
	fmt.Fprintf(b, endBanner, p.name, end)
}

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

// Paginate cuts the three files into pages of at most PageUnits units each,
// their banners and final newline included. It cuts at line ends, and inside a
// line only where the line is longer than a page, between two characters. It
// fails if the root's path is so long that the banners leave no room.
func Paginate(content [len(Required)]string, root string) ([]string, error) {
	var pages [][]part
	frame := Units(fmt.Sprintf(headBanner+footBanner, MaxPages, MaxPages, MaxPages, MaxPages))
	room := 0
	for i, text := range content {
		p := part{name: Required[i].Path, path: root + "/" + Required[i].Path, text: text}
		full := PageUnits - frame - p.banners()
		if full < 2 {
			return nil, Fail("the operator moves the constellation to a shorter path", "paging: the path %s leaves no room on a page", root)
		}
		for p.to < len(text) {
			p.from = p.to
			if p.to = cut(text, p.from, room-p.banners(), full); p.to == p.from {
				pages, room = append(pages, nil), PageUnits-frame
				p.to = cut(text, p.from, full, full)
			}
			p.page = len(pages)
			pages[len(pages)-1] = append(pages[len(pages)-1], p)
			room -= p.banners() + Units(text[p.from:p.to])
		}
	}
	out := make([]string, len(pages))
	for k, parts := range pages {
		var b strings.Builder
		b.Grow(2 * PageUnits)
		fmt.Fprintf(&b, headBanner, k+1, len(pages))
		for _, p := range parts {
			p.writeTo(&b)
		}
		fmt.Fprintf(&b, footBanner, k+1, len(pages))
		out[k] = b.String()
	}
	return out, nil
}

// banners is the most room that the banners of a part take, in units.
func (p part) banners() int {
	size := len(p.text)
	return Units(fmt.Sprintf(fileBanner, p.name, size, size, size, p.path) +
		fmt.Sprintf(endBanner, p.name, fmt.Sprintf(continued, MaxPages)))
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
		room -= Units(text[at : at+size])
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
