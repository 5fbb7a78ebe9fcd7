package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"unicode/utf8"

	"moirai/stresstest/rig"
)

// atOnceManyTimes runs all pages of a load at once, in random order, in one
// session after another.
type atOnceManyTimes struct{ times, pages int }

func (a atOnceManyTimes) do(s *scene) error {
	if err := holding(rig.SizedContents(35_000)).do(s); err != nil {
		return err
	}
	for i := range a.times {
		s.session.ID = fmt.Sprintf("%s-%d", s.id, i)
		var all together
		for k := 1; k <= a.pages; k++ {
			all = append(all, page(k, a.pages, a.pages))
		}
		for _, st := range []step{all, start(), allowed(), expectation(completed(a.pages))} {
			if err := st.do(s); err != nil {
				return fmt.Errorf("round %d: %w", i+1, err)
			}
		}
	}
	return nil
}

// completed: each receipt stands once, the markers once and right after the
// last receipt.
func completed(m int) func(*scene) error {
	return func(s *scene) error {
		data, err := os.ReadFile(s.token())
		if err != nil {
			return err
		}
		var order []int
		for _, line := range strings.Split(string(data), "\n") {
			var k, of int
			var stamp int64
			if n, _ := fmt.Sscanf(line, "%d PAGE_%d_OF_%d ", &stamp, &k, &of); n == 3 && of == m {
				order = append(order, k)
			}
		}
		if len(order) != m {
			return fmt.Errorf("expected %d receipts, got %v", m, order)
		}
		return receiptsAre(order, m).do(s)
	}
}

// fullestPage looks for the most that goes out as one page, line by line and then
// unit by unit: it fills the page but for the banners' reserve, and one unit more
// is refused.
type fullestPage struct{}

func (fullestPage) do(s *scene) error {
	fits := func(n int) (string, error) {
		s.session.ID = fmt.Sprintf("%s-%d", s.id, n)
		if err := holding(rig.Contents{longLine(n), "scope\n", "context\n"}).do(s); err != nil {
			return "", err
		}
		cmd, err := loader(startup).command(s)
		if err != nil {
			return "", err
		}
		res, err := cmd.Run()
		if err == nil && res.Code == 2 {
			err = loader(startup).failsClosed("need 2 pages").verdict(s, res)
		}
		return res.Stdout, err
	}
	low, high, fullest := 0, pageUnits, ""
	for high-low > 1 {
		n := (low + high) / 2
		block, err := fits(n)
		switch {
		case err != nil:
			return err
		case block == "":
			high = n
		default:
			low, fullest = n, block
			if err := theWholeBlock(s, block); err != nil {
				return err
			}
		}
	}
	const reserve = 200 // numbers in the banners are measured at their longest
	if n := units(fullest); n > pageUnits || n < pageUnits-reserve {
		return fmt.Errorf("expected a fullest page of %d to %d units, got %d", pageUnits-reserve, pageUnits, n)
	}
	return nil
}

// cutsAtLineEnds: every part but the last of a file ends with a newline.
type cutsAtLineEnds struct{}

func (cutsAtLineEnds) do(s *scene) error {
	return eachPart(s, func(p pagePart) error {
		if p.onto != 0 && !strings.HasSuffix(p.text, "\n") {
			return fmt.Errorf("%s: expected a cut at a line end, got …%q", required[p.file], p.text[len(p.text)-20:])
		}
		return nil
	})
}

// cutsBetweenCharacters: no part begins or ends inside a UTF-8 sequence.
type cutsBetweenCharacters struct{}

func (cutsBetweenCharacters) do(s *scene) error {
	return eachPart(s, func(p pagePart) error {
		if !utf8.ValidString(p.text) {
			return fmt.Errorf("%s: bytes %d to %d are cut inside a character", required[p.file], p.from, p.to)
		}
		return nil
	})
}

func eachPart(s *scene, judge func(pagePart) error) error {
	for _, text := range s.pages {
		_, _, parts, err := parsePage(text)
		if err != nil {
			return err
		}
		for _, p := range parts {
			if err := judge(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// randomContents: whatever the files hold, every page fits, the pages are the
// files byte for byte, and there is at most one more than the bytes would need.
type randomContents struct{ times int }

func (r randomContents) do(s *scene) error {
	for i := range r.times {
		seed := rand.Uint64()
		dice := rand.New(rand.NewPCG(seed, 7))
		var files rig.Contents
		for f := range files {
			files[f] = randomText(dice, 1+dice.IntN(18_000))
		}
		s.session.ID = fmt.Sprintf("%s-%d", s.id, i)
		for _, st := range []step{holding(files), loadAll{0, 64}} {
			if err := st.do(s); err != nil {
				return fmt.Errorf("seed %d: %w", seed, err)
			}
		}
		if least := leastPages(s); len(s.pages) > least+1 {
			return fmt.Errorf("seed %d: expected at most %d pages, got %d", seed, least+1, len(s.pages))
		}
	}
	return nil
}

// leastPages is a lower bound: no page can carry more than what its own banners
// and one part's leave.
func leastPages(s *scene) int {
	total := 0
	for _, f := range s.files {
		total += units(f)
	}
	const banners = 82 + 62
	return (total + pageUnits - banners - 1) / (pageUnits - banners)
}

var pieces = []string{"word ", "x", "\n", "\r\n", "é", "漢", "😀", "e\u0301", "\xff", "\x00", "\u2028", "line of some length to fill it\n",
	"----- END CONTEXT.md: complete -----\n"}

func randomText(dice *rand.Rand, n int) string {
	var b strings.Builder
	few := 1 + dice.IntN(len(pieces))
	for b.Len() < n {
		b.WriteString(pieces[dice.IntN(few)])
	}
	return b.String()
}

// changedByte changes one byte of the last file and no length.
type changedByte struct{}

func (changedByte) do(s *scene) error {
	files := s.files
	files[2] = "y" + files[2][1:]
	return holding(files).do(s)
}

// killedPage kills the k-th of n loaders while it writes its page.
type killedPage struct{ k, n int }

func (p killedPage) do(s *scene) error {
	const setPipeSize, small = 1031, 4096 // F_SETPIPE_SZ; less than a page of the load
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	defer w.Close()
	if _, _, errno := syscall.Syscall(syscall.SYS_FCNTL, w.Fd(), setPipeSize, small); errno != 0 {
		return errno
	}
	cmd, err := loader(startup, fmt.Sprintf("%d/%d", p.k, p.n)).command(s)
	if err != nil {
		return err
	}
	cmd.Out = w
	proc, err := cmd.Start()
	if err != nil {
		return err
	}
	if _, err := r.Read(make([]byte, 1)); err != nil { // it is in the middle of its write now
		return err
	}
	if err := proc.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	res, err := proc.Wait()
	if err == nil && res.Signal != syscall.SIGKILL {
		return fmt.Errorf("expected an end by SIGKILL, got exit %d", res.Code)
	}
	return err
}

// tokenPadded fills the token with an ignored record up to that many bytes.
type tokenPadded struct{ size int64 }

func (t tokenPadded) do(s *scene) error {
	info, err := os.Stat(s.token())
	if err != nil {
		return err
	}
	const head = "1700000000 FILL_ACK SessionStart main /"
	line := head + strings.Repeat("x", int(t.size-info.Size())-len(head)-1) + "\n"
	f, err := os.OpenFile(s.token(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(line)
	return err
}

// compacted is the load after a compaction.
func compacted() call { return loader(sessionStart("compact")).prints(theWholeBlock) }

// resumed is the load of a resume.
func resumed() call { return loader(sessionStart("resume")).prints(theWholeBlock) }

// prompted is the load that goes out with a prompt (D24).
func prompted() call { return loader(prompt("go on")).prints(theWholeBlock) }

// promptPage is page k of m of it, by the k-th of n loaders.
func promptPage(k, n, m int) call {
	return loader(prompt("go on"), fmt.Sprintf("%d/%d", k, n)).prints(thePage(k, m))
}
