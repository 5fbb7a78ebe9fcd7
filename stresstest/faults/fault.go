package main

import (
	"fmt"
	"regexp"
	"strings"
)

// fault is one thing that goes wrong around a hook.
type fault struct {
	class, name string
	// tries is how many variants there are for a kind; nil means one.
	tries func(s *scene) int
	apply func(s *scene, i int) error
	// want says how each kind must end, in the order of the columns:
	//
	//	C  exit 2, and the condition matches says
	//	B  exit 2, the block message
	//	F  exit 2 by the Go runtime, which could not start
	//	0  exit 0, and what the call records stands
	//	N  exit 0, and nothing is recorded
	//	=  as without the fault
	//	d  as without the fault, or F at any moment
	//	X  exit 2 in any of the three ways
	//	r  any end that the promises allow
	//
	// Without it a fault that never took hold would look like one that was survived.
	want string
	says string
	// lacks says why this platform cannot have the fault; nil or empty if it can.
	lacks func(p *platform) string
	// heavy faults take a processor or much memory for seconds: one at a time.
	heavy bool
	// slow faults wait for the watchdog: they go first.
	slow bool
}

// same is the want of a fault that changes nothing.
const same = "======"

// platform is what the machine can do.
type platform struct {
	strace  bool
	private bool // every scene has a /tmp of its own, and can mount
	foreign bool // files can be given to another uid
	linux   bool
	plain   bool // mode bits hold: not root
}

func needPrivate(p *platform) string {
	if p.private {
		return ""
	}
	return "no private /tmp"
}

func needForeign(p *platform) string {
	if p.foreign {
		return ""
	}
	return "only root can give a file to another uid"
}

func needStrace(p *platform) string {
	if p.strace {
		return ""
	}
	return "no strace"
}

func needLinux(p *platform) string {
	if p.linux {
		return ""
	}
	return "Linux only"
}

func needPlain(p *platform) string {
	if p.plain {
		return ""
	}
	return "root ignores mode bits"
}

// check holds an outcome against what the fault must bring about.
func (f *fault) check(s *scene, k int, o outcome) error {
	if k == again {
		return nil // the promise alone is held against it, judgeAgain
	}
	want := f.want[min(k, compact)]
	if k == voided {
		want = f.want[blocked]
	}
	if want == '=' {
		want = theKinds[k].normal
	}
	got := s.letter(o)
	if want == 'd' {
		if want = theKinds[k].normal; got == 'F' {
			return nil
		}
	}
	closed := func(c byte) bool { return strings.IndexByte("CBF", c) >= 0 }
	switch {
	case want == 'r', got == want && want != 'C', want == 'X' && (closed(got) || got == 'S'):
		return nil
	case closed(want) && closed(got) && s.deafErr:
		return nil
	case got != want:
		return fmt.Errorf("ended as %c (exit %d, %.80q), expected %c", got, o.Code, o.Condition(), want)
	case !regexp.MustCompile(f.says).MatchString(o.Condition()):
		return fmt.Errorf("the condition is %.90q, expected %q", o.Condition(), f.says)
	}
	return nil
}

// weighs is the kind that the short version lays a heavy fault on: what reads the
// required files, or else what must never open. The others part only after that.
func (f *fault) weighs() int {
	if f.class == "required" {
		return loader
	}
	return blocked
}

// both puts two faults into one: what the second one's variants are counts.
func both(a, b fault, want string) fault {
	return fault{
		class: "pairs", name: a.name + " + " + b.name, want: want, heavy: a.heavy || b.heavy, slow: a.slow || b.slow,
		tries: func(*scene) int { return 1 },
		apply: func(s *scene, i int) error {
			for _, f := range []fault{a, b} {
				n := 1
				if f.tries != nil {
					n = f.tries(s)
				}
				if err := f.apply(s, n/2); err != nil {
					return err
				}
			}
			return nil
		},
		lacks: func(p *platform) string {
			for _, f := range []fault{a, b} {
				if f.lacks != nil && f.lacks(p) != "" {
					return f.lacks(p)
				}
			}
			return ""
		},
	}
}
