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

// subject is one program of a comparison. The first of each is the measure.
type subject struct {
	name    string
	process process
	before  func() error // between the runs, not timed
	goal    float64      // the most that its median may be of the measure's; 0: none
	memory  float64      // the most memory, as a multiple of the payload; 0: none
}

func comparisons(n int) []comparison {
	return []comparison{
		{"one call, 1 KB, 4 lines, against an empty Go program", n, 1, func(g *ground) []subject {
			call := g.bash(sessionOpen, g.root)
			s := rig.Session{ID: sessionNew, Cwd: g.root}
			return []subject{
				{name: "empty Go program", process: g.hook("empty", 0, call)},
				{name: "io.ReadAll and json.Valid alone", process: g.hook("valid", 0, call)},
				{name: "out of scope", process: g.hook("hades-gate", 0, g.bash(sessionOpen, g.elsewhere)), goal: 1.25},
				{name: "allowed", process: g.hook("hades-gate", 0, call), goal: 1.25},
				{name: "blocked", process: g.hook("hades-gate", 2, g.bash(sessionClosed, g.root)), goal: 1.3},
				{name: "/start, recorded", process: g.hook("hades-gate", 0, stdin{head: s.Prompt("/start")}), before: anew},
				{name: "loader, 8 KB delivered and recorded", process: g.loading(s), before: anew, goal: 1.4},
			}
		}},
		{"the same call as it is wired, through sh and the guard", n, 1, func(g *ground) []subject {
			call := g.bash(sessionOpen, g.root)
			return []subject{
				{name: "empty Go program", process: g.hook("empty", 0, call).wired()},
				{name: "allowed", process: g.hook("hades-gate", 0, call).wired()},
			}
		}},
		{"token file of 10,000 lines, against one of 4", n, 1, func(g *ground) []subject {
			return []subject{
				{name: "allowed, 4 lines", process: g.hook("hades-gate", 0, g.bash(sessionOpen, g.root))},
				{name: "allowed, 10,000 lines", process: g.hook("hades-gate", 0, g.bash(sessionLong, g.root)), goal: 1.15},
			}
		}},
		payloads("1 MB", n, 1<<20, 0),
		payloads("12 MB", n, 12<<20, 2),
		payloads("60 MB", n/20+1, 60<<20, 0),
		atOnce(10, n/10, 0),
		atOnce(100, n/25, 1.3),
	}
}

func (g *ground) loading(s rig.Session) process {
	p := g.hook("hades-session-load", 0, stdin{head: s.SessionStart("startup")})
	p.out = home + "/delivered" // /dev/null is no delivery (D6)
	return p
}

func payloads(name string, n, bytes int, goal float64) comparison {
	return comparison{"a Write of " + name + ", against reading and json.Valid", n, 1, func(g *ground) []subject {
		in := g.writing(bytes)
		allowed := subject{name: "allowed", process: g.hook("hades-gate", 0, in), goal: goal}
		if goal > 0 {
			allowed.memory = 3
		}
		return []subject{{name: "io.ReadAll and json.Valid", process: g.hook("valid", 0, in)}, allowed}
	}}
}

func atOnce(at, batches int, goal float64) comparison {
	return comparison{fmt.Sprintf("%d at once, time per call, against an empty Go program", at), batches, at, func(g *ground) []subject {
		call := g.bash(sessionOpen, g.root)
		return []subject{
			{name: "empty Go program", process: g.hook("empty", 0, call)},
			{name: "allowed", process: g.hook("hades-gate", 0, call), goal: goal},
		}
	}}
}

// measure runs the subjects in turn and prints a line for each. It returns how many goals
// were missed.
func (c comparison) measure(g *ground) (missed int, err error) {
	subjects := c.subjects(g)
	times := make([][]time.Duration, len(subjects))
	memory := make([]int64, len(subjects))
	for n := range c.runs {
		for i := range subjects {
			i = (i + n) % len(subjects) // no subject always follows the same one
			took, used, err := c.once(subjects[i], g)
			if err != nil {
				return 0, err
			}
			times[i], memory[i] = append(times[i], took), max(memory[i], used)
		}
	}
	fmt.Println(c.name)
	for i, s := range subjects {
		slices.Sort(times[i])
		missed += s.print(times[i], median(times[0]), memory[i], c.at)
	}
	return missed, nil
}

func (c comparison) once(s subject, g *ground) (time.Duration, int64, error) {
	if s.before != nil {
		if err := s.before(); err != nil {
			return 0, 0, err
		}
	}
	if c.at > 1 {
		took, err := s.process.batch(c.at, g.null)
		return took / time.Duration(c.at), 0, err
	}
	e, err := s.process.run(g.null)
	return e.took, e.memory, err
}

func median(sorted []time.Duration) time.Duration { return sorted[len(sorted)/2] }

// print writes the line of one subject and returns how many goals it missed.
func (s subject) print(times []time.Duration, measure time.Duration, memory int64, at int) (missed int) {
	ms := func(d time.Duration) float64 { return float64(d) / 1e6 }
	n := len(times)
	ratio := float64(median(times)) / float64(measure)
	judged := fmt.Sprintf("%.3f×", ratio)
	if s.goal > 0 {
		judged += verdict(ratio, s.goal, &missed)
	}
	size := s.process.in.size()
	used := ""
	if size > 1<<20 {
		used = fmt.Sprintf("%.0f MB, %.2f× the payload", float64(memory)/1e6, float64(memory)/float64(size))
	}
	if s.memory > 0 {
		used += verdict(float64(memory)/float64(size), s.memory, &missed)
	}
	fmt.Printf("  %-50s %6d %9.3f %9.3f – %7.3f   %-26s %s\n", s.name, n*at, ms(median(times)), ms(times[n/10]), ms(times[n*9/10]), judged, used)
	return missed
}

func verdict(got, goal float64, missed *int) string {
	if got > goal {
		*missed++
		return fmt.Sprintf("  goal %.2f× MISSED", goal)
	}
	return fmt.Sprintf("  goal %.2f× met", goal)
}
