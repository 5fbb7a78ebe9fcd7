package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// page is a page of the documents that has figures in it, each kind between a line
// <!-- bench: KIND --> and a line <!-- end -->. What stands there is written anew.
type page struct {
	folder *os.Root // held open: the run covers the home folder, which it may lie in
	name   string
}

// pictureName is the picture beside the page.
const pictureName = "speed.svg"

func openPage(path string) (*page, error) {
	folder, err := os.OpenRoot(filepath.Dir(path))
	return &page{folder, filepath.Base(path)}, err
}

// write puts the figures of all measurements into the page. What was left out of them
// stays as it is.
func (p *page) write(results []result) error {
	text, err := p.folder.ReadFile(p.name)
	if err != nil {
		return err
	}
	first, blocks := results[0], map[string]string{}
	if len(first.processes) == len(comparisons(1)) {
		blocks["processes"] = processTable(results)
	}
	if first.client != nil {
		blocks["meaning"], blocks["client"] = meaning(results), clientTable(results)
		if err := p.folder.WriteFile(pictureName, []byte(picture(results)), 0o644); err != nil {
			return err
		}
	}
	if len(blocks) == 3 {
		blocks["goals"] = goalTable(results)
	}
	page := string(text)
	for kind, block := range blocks {
		head, rest, ok := strings.Cut(page, "<!-- bench: "+kind+" -->\n")
		_, tail, ended := strings.Cut(rest, "<!-- end -->\n")
		if !ok || !ended {
			return fmt.Errorf("%s has no place for %q", p.name, kind)
		}
		page = head + "<!-- bench: " + kind + " -->\n" + block + "<!-- end -->\n" + tail
	}
	return p.folder.WriteFile(p.name, []byte(page), 0o644)
}

// row is a line of a table.
func row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

func head(cells ...string) string {
	return row(cells...) + "|" + strings.Repeat(" --- |", len(cells)) + "\n"
}

// each joins what every measurement gave.
func each(results []result, show func(r result) string) string {
	var all []string
	for _, r := range results {
		all = append(all, show(r))
	}
	return strings.Join(all, ", ")
}

// middle is the median over the measurements.
func middle(results []result, of func(r result) float64) float64 {
	var all []float64
	for _, r := range results {
		all = append(all, of(r))
	}
	return median(all)
}

// spread shows each measurement's estimate and the interval that covers all of theirs.
func spread(results []result, of func(in *inClient) estimate) string {
	all := of(results[0].client)
	for _, r := range results {
		e := of(r.client)
		all.low, all.high = min(all.low, e.low), max(all.high, e.high)
	}
	mids := each(results, func(r result) string { return fmt.Sprintf("%+.1f", of(r.client).mid) })
	return fmt.Sprintf("%s (%+.1f to %+.1f)", mids, all.low, all.high)
}

// meaning says in three sentences what a user pays.
func meaning(results []result) string {
	cost := func(wiring, quantity int) float64 {
		return middle(results, func(r result) float64 { return r.client.over(wiring, quantity).mid })
	}
	told := false
	for _, r := range results {
		told = told || r.client.over(user, wallAlone).low > 0 || r.client.over(managed, wallAlone).low > 0
	}
	wait := "You do not wait for Moirai: 200 calls with it and 200 without any hook cannot be told apart by the time they take"
	if told {
		wait = fmt.Sprintf("With Moirai a call takes %.0f ms longer than with no hook, and with the managed wiring %.0f ms", cost(user, wallAlone), cost(managed, wallAlone))
	}
	start := middle(results, func(r result) float64 { return r.client.startOver(2).mid })
	return fmt.Sprintf("%s; with the bash version it takes %.0f ms longer.\nOf your processor each call takes %.1f ms, with the managed wiring %.1f ms, and with the bash version %.0f ms.\nA session starts %.0f ms later with eight loaders than with none.\n",
		wait, cost(bash, wallAlone), cost(user, cpuAlone), cost(managed, cpuAlone), cost(bash, cpuAlone), start)
}

func clientTable(results []result) string {
	first := results[0].client
	t := head("over no hook, ms a call", "time, alone", "time, eight in a message", "processor, alone", "processor, eight")
	for w := 1; w < len(first.calls); w++ {
		cells := []string{first.names[w]}
		for _, q := range [...]int{wallAlone, wallTogether, cpuAlone, cpuTogether} {
			cells = append(cells, spread(results, func(in *inClient) estimate { return in.over(w, q) }))
		}
		t += row(cells...)
	}
	t += "\n" + head("over no hook, ms", "a prompt, time", "a prompt, processor", "a Write of 3 MB, time")
	for w := 1; w < len(first.calls); w++ {
		cells := []string{first.names[w]}
		for _, q := range [...]int{wallPrompt, cpuPrompt, wallWrite} {
			cells = append(cells, spread(results, func(in *inClient) estimate { return in.over(w, q) }))
		}
		t += row(cells...)
	}
	t += "\n" + head("over none, ms", "time", "processor")
	for i, n := range starts[1:] {
		t += row(fmt.Sprintf("a session start with %d loaders", n), spread(results, func(in *inClient) estimate { return in.startOver(i + 1) }), "")
	}
	return t + row("eight silent loaders at a prompt", spread(results, func(in *inClient) estimate { return in.promptOver(wallPrompt) }),
		spread(results, func(in *inClient) estimate { return in.promptOver(cpuPrompt) }))
}

func processTable(results []result) string {
	t := head("process", "runs", "median, ms", "× its floor", "goal", "pages touched")
	for i, c := range results[0].processes {
		t += row("**"+c.name+"**", "", "", "", "", "")
		for k, f := range c.rows {
			of := func(r result) figures { return r.processes[i].rows[k] }
			ratio, most := "", ""
			if k > 0 {
				ratio = each(results, func(r result) string { return fmt.Sprintf("%.2f", of(r).ratio) })
			}
			for _, g := range f.goals {
				most = strings.TrimPrefix(most+", "+strings.TrimSuffix(g.most, " ×"), ", ")
			}
			if f.memory > 0 {
				ratio += fmt.Sprintf("; %.2f × its size in memory", f.memory)
			}
			t += row(f.name, fmt.Sprint(f.runs), each(results, func(r result) string { return fmt.Sprintf("%.2f", of(r).mid) }), strings.TrimPrefix(ratio, "; "), most,
				fmt.Sprintf("%.0f", middle(results, func(r result) float64 { return of(r).faults })))
		}
	}
	return t
}

func goalTable(results []result) string {
	t := head("goal", "at most", "measured", "met")
	for i, g := range results[0].goals() {
		met := 0
		for _, r := range results {
			if r.goals()[i].met {
				met++
			}
		}
		verdict := fmt.Sprintf("in %d of %d", met, len(results))
		if met < len(results) {
			verdict = "**" + verdict + "**"
		}
		t += row(g.what, g.most, each(results, func(r result) string { return strings.TrimSuffix(r.goals()[i].got, " ×") }), verdict)
	}
	return t
}
