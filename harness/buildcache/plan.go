package buildcache

import (
	"fmt"
	"time"
)

// A Step is one that is to be done, and how long it usually takes.
type Step struct {
	Name  string
	Usual time.Duration
}

// Usual is how long steps take one after the other.
func Usual(steps []Step) time.Duration {
	var sum time.Duration
	for _, s := range steps {
		sum += s.Usual
	}
	return sum
}

// A plan knows how much of its steps is left. Work is counted in the time it usually takes, so that a machine that took
// twice as long for what is done will for the rest.
type plan struct {
	steps []Step
	done  time.Duration // work of steps that have ended
	spent time.Duration // time they took
}

// telling is how much work has to be done before the time it took says anything about the machine.
const telling = 15 * time.Second

// left is for how long the plan goes on when the step under way has lasted so long and reached this part of its work;
// without reached its part is that of its usual time.
func (p plan) left(name string, elapsed time.Duration, reached float64) time.Duration {
	usual := p.usual(name)
	if reached == 0 && usual > 0 {
		reached = min(1, elapsed.Seconds()/usual.Seconds())
	}
	work := p.done + time.Duration(reached*float64(usual))
	pace := 1.0
	if work >= telling {
		pace = (p.spent + elapsed).Seconds() / work.Seconds()
	}
	return time.Duration(pace * float64(max(0, Usual(p.steps)-work)))
}

func (p plan) usual(name string) time.Duration {
	for _, s := range p.steps {
		if s.Name == name {
			return s.Usual
		}
	}
	return 0
}

// end counts a step as done; one that is not planned is beside those that are.
func (p *plan) end(name string, took time.Duration) {
	if usual := p.usual(name); usual > 0 {
		p.done += usual
		p.spent += took
	}
}

// About says a time as it is known: in minutes, or in tens of seconds.
func About(d time.Duration) string {
	if d < 90*time.Second {
		return fmt.Sprintf("about %.0f seconds", max(10, d.Round(10*time.Second).Seconds()))
	}
	return fmt.Sprintf("about %.0f minutes", d.Round(time.Minute).Minutes())
}
