package main

import (
	"fmt"
	"slices"
	"time"

	"moirai/stresstest/rig"
)

// comparison measures programs in turn, each against the first.
type comparison struct {
	name     string
	runs     int
	at       int // so many processes at once
	subjects func(g *ground) []subject
}

// subject is one program of a comparison. The first of each is the floor.
type subject struct {
	name    string
	process process
	before  func() error // between the runs, not timed
	goal    float64      // the most that its median may be of the floor's; 0: none
	memory  float64      // the most memory, as a multiple of the payload; 0: none
}

// figures are what the runs of one subject gave.
type figures struct {
	name           string
	runs           int
	low, mid, high float64 // ms: 10th percentile, median, 90th percentile
	ratio          float64 // of the medians, to the floor's
	faults         float64 // pages touched for the first time, median
	memory         float64 // the most, as a multiple of a big payload; 0: not judged
	goals          []goal
}

// compared is what one comparison gave.
type compared struct {
	name string
	rows []figures
}

func comparisons(n int) []comparison {
	return []comparison{
		{"one call, 1 KB, 4 lines", n, 1, func(g *ground) []subject {
			call := g.bash(sessionOpen, g.root)
			s := rig.Session{ID: sessionNew, Cwd: g.root}
			return []subject{
				{name: "floor: reads the payload and decodes it key by key", process: g.hook("decode", 0, call)},
				{name: "an empty Go program", process: g.hook("empty", 0, call)},
				{name: "out of scope", process: g.hook("hades-gate", 0, g.bash(sessionOpen, g.elsewhere)), goal: 1.10},
				{name: "allowed", process: g.hook("hades-gate", 0, call), goal: 1.10},
				{name: "blocked", process: g.hook("hades-gate", 2, g.bash(sessionClosed, g.root)), goal: 1.15},
				{name: "/start, recorded", process: g.hook("hades-gate", 0, stdin{head: s.Prompt("/start")}), before: anew, goal: 1.10},
			}
		}},
		{"the loader, 8 KB delivered and recorded", n, 1, func(g *ground) []subject {
			floor := g.hook("pages", 0, stdin{})
			floor.out = home + "/delivered"
			s := rig.Session{ID: sessionNew, Cwd: g.root}
			return []subject{
				{name: "floor: reads three files, cuts pages, hashes them", process: floor},
				{name: "the loader", process: g.loading(s), before: anew, goal: 1.3},
			}
		}},
		{"a token file of 10,000 lines", n, 1, func(g *ground) []subject {
			return []subject{
				{name: "floor: reads it and judges nothing", process: g.hook("token", 0, stdin{})},
				{name: "allowed", process: g.hook("hades-gate", 0, g.bash(sessionLong, g.root)), goal: 1.7},
			}
		}},
		payloads("1 MB", n, 1<<20, 0),
		payloads("12 MB", n/5+1, 12<<20, 2),
		payloads("60 MB", n/20+1, 60<<20, 0),
		atOnce(10, n/10+1, 0),
		atOnce(100, n/25+1, 1.15),
	}
}

func (g *ground) loading(s rig.Session) process {
	p := g.hook("hades-session-load", 0, stdin{head: s.SessionStart("startup")})
	p.out = home + "/delivered" // /dev/null is no delivery (D6)
	return p
}

func payloads(name string, n, bytes int, goal float64) comparison {
	return comparison{"a Write of " + name, n, 1, func(g *ground) []subject {
		in := g.writing(bytes)
		allowed := subject{name: "allowed", process: g.hook("hades-gate", 0, in), goal: goal}
		if goal > 0 {
			allowed.memory = 3
		}
		return []subject{{name: "floor: io.ReadAll and json.Valid", process: g.hook("valid", 0, in)}, allowed}
	}}
}

func atOnce(at, batches int, goal float64) comparison {
	return comparison{fmt.Sprintf("%d at once, time per call", at), batches, at, func(g *ground) []subject {
		call := g.bash(sessionOpen, g.root)
		return []subject{
			{name: "floor: as for one call", process: g.hook("decode", 0, call)},
			{name: "allowed", process: g.hook("hades-gate", 0, call), goal: goal},
		}
	}}
}

// measure runs the subjects in turn.
func (c comparison) measure(g *ground) (compared, error) {
	subjects := c.subjects(g)
	times, faults, memory := make([][]float64, len(subjects)), make([][]float64, len(subjects)), make([]int64, len(subjects))
	for n := range c.runs {
		for i := range subjects {
			i = (i + n) % len(subjects) // no subject always follows the same one
			e, err := c.once(subjects[i], g)
			if err != nil {
				return compared{}, err
			}
			times[i], faults[i] = append(times[i], ms(e.took)), append(faults[i], e.faults)
			memory[i] = max(memory[i], e.memory)
		}
	}
	result := compared{name: c.name}
	for i, s := range subjects {
		result.rows = append(result.rows, c.figures(s, times[i], faults[i], memory[i], median(times[0])))
	}
	return result, nil
}

func (c comparison) figures(s subject, times, faults []float64, memory int64, floor float64) figures {
	slices.Sort(times)
	n := len(times)
	f := figures{name: s.name, runs: n * c.at, low: times[n/10], mid: median(times), high: times[n*9/10], faults: median(faults)}
	f.ratio = f.mid / floor
	what := c.name + ": " + s.name
	if s.goal > 0 {
		f.goals = append(f.goals, factor(what, f.ratio, s.goal))
	}
	if size := s.process.in.size(); size > 1<<20 {
		f.memory = float64(memory) / float64(size)
	}
	if s.memory > 0 {
		f.goals = append(f.goals, factor(what+", memory by the size of the payload", f.memory, s.memory))
	}
	return f
}

func (c comparison) once(s subject, g *ground) (ended, error) {
	if s.before != nil {
		if err := s.before(); err != nil {
			return ended{}, err
		}
	}
	if c.at == 1 {
		return s.process.run(g.null)
	}
	e, err := s.process.batch(c.at, g.null)
	return ended{took: e.took / time.Duration(c.at), faults: e.faults / float64(c.at)}, err
}

func (c compared) print() {
	fmt.Println(c.name)
	for _, f := range c.rows {
		fmt.Printf("  %-52s %6d %9.3f %9.3f – %7.3f %8.3f× %8.0f", f.name, f.runs, f.mid, f.low, f.high, f.ratio, f.faults)
		if f.memory > 0 {
			fmt.Printf("   %.2f× the payload in memory", f.memory)
		}
		fmt.Println()
	}
}
