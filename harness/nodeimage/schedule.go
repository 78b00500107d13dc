package nodeimage

import (
	"fmt"
	"time"
)

// A Step is a step to come.
type Step struct {
	Name    string
	Typical time.Duration // time that it takes on the reference host
}

// typicalOf is how long steps take one after the other.
func typicalOf(steps []Step) time.Duration {
	var sum time.Duration
	for _, s := range steps {
		sum += s.Typical
	}
	return sum
}

// A schedule knows how much of its steps is left. Work is counted in typical time: a machine that took twice as long for what
// is done is taken to do so for the rest.
type schedule struct {
	steps []Step
	done  time.Duration // work of steps that have ended
	spent time.Duration // time they took
}

// minWork is how much work has to be done before its time says anything about the machine.
const minWork = 15 * time.Second

// left is the time left when a step has run for elapsed and done a part of its work. Without progress that part is taken from
// its typical time.
func (p schedule) left(name string, elapsed time.Duration, progress float64) time.Duration {
	typical := p.typical(name)
	if progress == 0 && typical > 0 {
		progress = min(1, elapsed.Seconds()/typical.Seconds())
	}
	work := p.done + time.Duration(progress*float64(typical))
	pace := 1.0
	if work >= minWork {
		pace = (p.spent + elapsed).Seconds() / work.Seconds()
	}
	return time.Duration(pace * float64(max(0, typicalOf(p.steps)-work)))
}

func (p schedule) typical(name string) time.Duration {
	for _, s := range p.steps {
		if s.Name == name {
			return s.Typical
		}
	}
	return 0
}

// end counts a step as done; one that is not planned is beside those that are.
func (p *schedule) end(name string, took time.Duration) {
	if typical := p.typical(name); typical > 0 {
		p.done += typical
		p.spent += took
	}
}

// about is a duration rounded to minutes, or to tens of seconds.
func about(d time.Duration) string {
	if d < 90*time.Second {
		return fmt.Sprintf("about %.0f seconds", max(10, d.Round(10*time.Second).Seconds()))
	}
	return fmt.Sprintf("about %.0f minutes", d.Round(time.Minute).Minutes())
}
