package main

import "time"

// D18: a session that works through the night keeps its token.
var keepAliveCases = []testCase{
	{class: "D18", name: "an allowed call refreshes a token older than twelve hours", steps: []step{
		token(lines(loadedLines, typedStart)...), aged("{token}", 12*time.Hour+30*time.Minute), allowed(), ageOf("{token}", 0), tokenIs(loadedLines, typedStart),
	}},
	{class: "D18", name: "and one of many days", steps: []step{
		token(lines(loadedLines, typedStart)...), aged("{token}", 9*24*time.Hour), gate(read("/etc/passwd")), ageOf("{token}", 0),
	}},
	{class: "D18", name: "a younger one is left alone", steps: []step{
		token(lines(loadedLines, typedStart)...), aged("{token}", 11*time.Hour), allowed(), ageOf("{token}", 11*time.Hour),
	}},
	{class: "D18", name: "a blocked call refreshes nothing", steps: []step{
		token(loadedLines...), aged("{token}", 13*time.Hour), blocked("xxx_"), ageOf("{token}", 13*time.Hour),
	}},
	{class: "D18", name: "best effort: a token that cannot be refreshed still opens", needs: mount, steps: []step{
		token(lines(loadedLines, typedStart)...), aged("{token}", 13*time.Hour), readOnly("{token}"), allowed(), ageOf("{token}", 13*time.Hour),
	}},
	{class: "D18", name: "a token from the future is left alone", steps: []step{
		token(lines(loadedLines, typedStart)...), aged("{token}", -48*time.Hour), allowed(), ageOf("{token}", -48*time.Hour),
	}},
}
