package wiring

import (
	"fmt"
	"strings"

	"moirai/moiraicore"
)

// pageGaps says what the loaders that are wired on an event lack to be 1/N to N/N. Empty
// if nothing.
func pageGaps(hooks []Hook, event string) string {
	n, got := 0, map[int]bool{}
	var first *Source
	for _, h := range hooks {
		k, of, ok := h.Page()
		if !ok || h.Event != event {
			continue
		}
		if n != 0 && n != of {
			return fmt.Sprintf("%s: two wirings with different N run, so that no load is ever whole: loaders for %d pages in %s and for %d in %s", event, n, first.Path, of, h.Source.Path)
		}
		n, got[k], first = of, true, h.Source
	}
	var missing []string
	for k := 1; k <= n; k++ {
		if !got[k] {
			missing = append(missing, fmt.Sprintf("%d/%d", k, n))
		}
	}
	if missing == nil {
		return ""
	}
	return event + ": no loader for page " + strings.Join(missing, ", ")
}

// wiredPages is how many pages the wired loaders deliver, 0 if they have gaps.
func wiredPages(hooks []Hook) int {
	for _, h := range hooks {
		if _, n, ok := h.Page(); ok && h.Event == moiraicore.SessionStart && pageGaps(hooks, h.Event) == "" {
			return n
		}
	}
	return 0
}
