package main

import (
	"fmt"
	"strings"
)

// picture draws two bars for each wiring: what a call takes more than with no hook, in
// time and of the processor. A line on each bar is the interval.
func picture(results []result) string {
	const left, top, width, height, bar, gap = 190, 56, 470, 20, 16, 14
	first := results[0].client
	type drawn struct {
		estimate
		color string
	}
	bars := make([][]drawn, len(first.calls))
	most := 1.0
	for w := 1; w < len(first.calls); w++ {
		for i, q := range [...]int{wallAlone, cpuAlone} {
			d := drawn{color: [...]string{"#4c78a8", "#f58518"}[i]}
			d.mid = middle(results, func(r result) float64 { return r.client.over(w, q).mid })
			d.low = middle(results, func(r result) float64 { return r.client.over(w, q).low })
			d.high = middle(results, func(r result) float64 { return r.client.over(w, q).high })
			bars[w] = append(bars[w], d)
			most = max(most, d.high)
		}
	}
	x := func(v float64) float64 { return left + max(v, 0)/most*width }
	tall := top + (len(bars)-1)*(2*bar+gap) + height
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="760" height="%d" viewBox="0 0 760 %d" font-family="sans-serif" font-size="13">`+"\n", tall, tall)
	fmt.Fprintf(&b, `<rect width="760" height="%d" fill="#ffffff"/>`+"\n", tall)
	fmt.Fprintf(&b, `<text x="12" y="22" font-size="15" font-weight="bold">What an allowed call costs over no hook, in Claude Code %s</text>`+"\n", first.version)
	fmt.Fprintf(&b, `<rect x="12" y="33" width="11" height="11" fill="#4c78a8"/><text x="28" y="43">time, ms</text><rect x="102" y="33" width="11" height="11" fill="#f58518"/><text x="118" y="43">processor time, ms</text>`+"\n")
	for w := 1; w < len(bars); w++ {
		y := top + (w-1)*(2*bar+gap)
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", left-10, y+bar+5, strings.ReplaceAll(first.names[w], "`", ""))
		for i, d := range bars[w] {
			at := float64(y + i*bar)
			middle := at + bar/2 - 1
			fmt.Fprintf(&b, `<rect x="%d" y="%.1f" width="%.1f" height="%d" fill="%s"/>`+"\n", left, at, max(x(d.mid)-left, 1), bar-2, d.color)
			fmt.Fprintf(&b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#222222"/>`+"\n", x(d.low), middle, x(d.high), middle)
			fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" font-size="11">%.1f</text>`+"\n", x(max(d.high, d.mid))+5, middle+4, d.mid)
		}
	}
	fmt.Fprintf(&b, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#222222"/>`+"\n</svg>\n", left, top-4, left, tall-height)
	return b.String()
}
