package main

import "fmt"

// goal is what a figure may be at most.
type goal struct {
	what string
	most string
	got  string
	met  bool
}

func (g goal) String() string {
	if g.met {
		return "met    " + g.what + ": " + g.got + ", at most " + g.most
	}
	return "MISSED " + g.what + ": " + g.got + ", at most " + g.most
}

// factor is the goal of a ratio.
func factor(what string, got, most float64) goal {
	return goal{what, fmt.Sprintf("%.2f ×", most), fmt.Sprintf("%.2f ×", got), got <= most}
}
