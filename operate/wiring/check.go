package wiring

import (
	"slices"

	"moirai/moiraicore"
)

// Report is what this user's clients would run, and what is wrong with it.
type Report struct {
	Clients  []Client
	Findings []Finding
}

// Check reads the settings of every client of this user as the client would,
// and with a root (not empty) its project settings too. It runs nothing. An error means that
// something could not be looked at.
func Check(m Machine, root string) (Report, error) {
	var r Report
	var scope moiraicore.Scope
	if root != "" {
		scope = moiraicore.Locate(root)
		if !scope.In {
			r.add(finding(NoRoot, "%s: no part of the path is named %s, so sessions there are not gated", root, moiraicore.ScopeName))
		}
	}
	dirs, err := m.ConfigDirs()
	if err != nil {
		return r, err
	}
	for _, dir := range dirs {
		c, err := readClient(m, dir, scope.Root)
		if err != nil {
			return r, err
		}
		files, err := retiredFiles(dir)
		if err != nil {
			return r, err
		}
		r.Clients = append(r.Clients, c)
		r.add(append(c.findings(), files...)...)
	}
	if scope.In {
		found, err := rootFindings(scope, r.Clients)
		if err != nil {
			return r, err
		}
		r.add(found...)
	}
	return r, nil
}

// add keeps each finding once: the managed tier is read for every client.
func (r *Report) add(found ...Finding) {
	for _, f := range found {
		if !slices.Contains(r.Findings, f) {
			r.Findings = append(r.Findings, f)
		}
	}
}

// Hooks lists our hooks that any client of this user runs, each once.
func (r Report) Hooks() []Hook { return r.collect(Client.Hooks) }

// Wired lists our hooks in any settings, switched off or not, each once.
func (r Report) Wired() []Hook {
	return r.collect(func(c Client) []Hook { return c.hooks(func(*Source) bool { return true }) })
}

func (r Report) collect(hooks func(Client) []Hook) []Hook {
	var all []Hook
	for _, c := range r.Clients {
		for _, h := range hooks(c) {
			same := func(o Hook) bool {
				a, b := o.Wire(), h.Wire()
				b.Matcher = a.Matcher
				return o.Source.Path == h.Source.Path && a == b
			}
			if !slices.ContainsFunc(all, same) {
				all = append(all, h)
			}
		}
	}
	return all
}
