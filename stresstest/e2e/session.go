package main

import (
	"time"

	"moirai/stresstest/realclient"
)

// What rows are written in.
type (
	Call    = realclient.Call
	Step    = realclient.Step
	Request = realclient.Request
	Message = realclient.Message
	Block   = realclient.Block
	Model   = realclient.Model
	Turn    = realclient.Turn
	Result  = realclient.Result
)

const (
	turnLimit   = realclient.TurnLimit
	agentPrefix = realclient.AgentPrefix
)

// NewModel is the scripted model of one session.
func NewModel() (*Model, error) { return realclient.NewModel() }

// Session is one running client in print mode, of a row.
type Session struct {
	*realclient.Session
	run  *Run
	free func() // gives the slot back
}

// Prompt plays one turn. A turn that does not end stops the row.
func (s *Session) Prompt(text string, steps ...Step) *Turn {
	t, err := s.prompt(text, turnLimit, steps...)
	s.run.must(err)
	return t
}

func (s *Session) prompt(text string, limit time.Duration, steps ...Step) (*Turn, error) {
	defer s.saw()
	return s.Session.Prompt(text, limit, steps...)
}

func (s *Session) await(before int, limit time.Duration) (*Turn, error) {
	defer s.saw()
	return s.Await(before, limit)
}

// saw notes the session's id, which the client has told by now.
func (s *Session) saw() {
	if s.ID != "" {
		s.run.saw(s.ID)
	}
}

// End closes the client's input and waits for its end.
func (s *Session) End(limit time.Duration) error {
	if s.free == nil {
		return nil
	}
	defer s.free()
	s.free = nil
	return s.Session.End(limit)
}
