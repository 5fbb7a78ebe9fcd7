package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// estimate is a median with the interval that holds it in 95 of 100 repetitions.
type estimate struct{ mid, low, high float64 }

// String shows it with a sign: it is a difference.
func (e estimate) String() string { return fmt.Sprintf("%+.1f (%+.1f to %+.1f)", e.mid, e.low, e.high) }

// over estimates what one wiring costs over another. Both are measured in rounds; what
// has the same place in a round is compared. The values of one session are not
// independent of each other: so the bootstrap draws whole rounds.
func over(these, base [][]float64) estimate {
	rounds := make([][]float64, len(these))
	for r := range these {
		for i := range these[r] {
			rounds[r] = append(rounds[r], these[r][i]-base[r][i])
		}
	}
	const draws = 2000
	random := rand.New(rand.NewPCG(1, 2)) // the same figures give the same interval
	medians := make([]float64, draws)
	for d := range medians {
		var drawn []float64
		for range rounds {
			drawn = append(drawn, rounds[random.IntN(len(rounds))]...)
		}
		medians[d] = median(drawn)
	}
	slices.Sort(medians)
	return estimate{median(slices.Concat(rounds...)), medians[draws*25/1000], medians[draws*975/1000]}
}

// median sorts the values.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
