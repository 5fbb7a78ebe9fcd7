package main

import "testing"

func TestOver(t *testing.T) {
	var base, same, more [][]float64
	for r := range 10 {
		round := []float64{float64(r), float64(r % 3), 5, 7}
		base, same = append(base, round), append(same, []float64{round[0] + 1, round[1] - 1, round[2] + 1, round[3] - 1})
		more = append(more, []float64{round[0] + 3, round[1] + 3, round[2] + 4, round[3] + 4})
	}
	if e := over(same, base); e.low > 0 || e.high < 0 {
		t.Errorf("what costs nothing is told from none: %v", e)
	}
	if e := over(more, base); e.low < 3 || e.high > 4 || e.mid != 3.5 {
		t.Errorf("3 to 4 more: %v", e)
	}
}
