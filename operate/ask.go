package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// questions are put to whoever runs the command. Without an answer it is no.
type questions struct {
	in  *bufio.Reader
	yes bool // said beforehand (YES=1)
}

func ask(in io.Reader, yes bool) *questions { return &questions{bufio.NewReader(in), yes} }

// put asks, and tells whether the answer is yes.
func (q *questions) put(question string) bool {
	if q.yes {
		fmt.Println(question, "yes (YES=1)")
		return true
	}
	fmt.Print(question, " [y/N] ")
	answer, err := q.in.ReadString('\n')
	if err != nil { // the end of the input, or a line without its end
		fmt.Println()
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true
	}
	return false
}
