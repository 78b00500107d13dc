package harness

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"rollcall/harness/cluster"
	"rollcall/harness/evidence"
	"rollcall/loadgen"
)

// What other paces than the normal one make of a scenario.
const (
	lightRate  = 4 // as many times fewer requests
	slowRate   = 16
	slowTime   = 5 // as many times longer is what the app does, what clients wait for and what the cluster may take
	slowSteady = 2 // as many times longer are the phases in which nothing changes
	// slowSlack is by how much later things may come in a walk, and for how long the API server may say nothing: so much
	// later they may be seen.
	slowSlack = 5 * time.Second
)

// at is the scenario at a pace. A walk's own times are what it asks about, and an app of somebody else's is as it is: at the
// slow pace they get no more than room.
func (s Scenario) at(p evidence.Pace) Scenario {
	s.Load.Timeout, s.Load.Settle = cmp.Or(s.Load.Timeout, loadgen.DefaultTimeout), cmp.Or(s.Load.Settle, settle)
	switch {
	case p == evidence.LightPace && s.Walk == nil:
		s.Load.Rate = max(1, s.Load.Rate/lightRate)
		return s
	case p != evidence.SlowPace:
		return s
	}
	s.Expect = slices.Clone(s.Expect)
	if s.Walk != nil {
		for i := range s.Expect {
			s.Expect[i].Min, s.Expect[i].Max = wider(s.Expect[i].Min, s.Expect[i].Max)
		}
		return s
	}
	for i := range s.Expect {
		s.Expect[i].Min *= slowTime
		s.Expect[i].Max *= slowTime
	}
	s.Load.Rate = max(1, s.Load.Rate/slowRate)
	s.Load.Timeout *= slowTime
	s.Load.Settle *= slowSteady
	if s.Own != nil {
		return s
	}
	s.Claim += fmt.Sprintf("; all its times are %d times as long here", slowTime)
	grace := cmp.Or(s.App.Grace, 30*time.Second)
	s.App.Grace = grace * slowTime
	for _, d := range []*time.Duration{&s.App.PreStopSleep, &s.App.StartDelay, &s.App.ReadyDelay, &s.App.Linger, &s.App.DrainLimit} {
		*d *= slowTime
	}
	s.Given = slices.Clone(s.Given)
	for i, change := range s.Given {
		if timed, ok := change.(interface{ Longer(int) cluster.Change }); ok {
			s.Given[i] = timed.Longer(slowTime)
		}
	}
	return s
}

// wider is a span of what is expected with the slack of the slow pace: before 0, and at its end. Without bounds it is none.
func wider(least, most time.Duration) (time.Duration, time.Duration) {
	if least < 0 {
		least -= slowSlack
	}
	if most > 0 {
		most += slowSlack
	}
	return least, most
}

// patience is how long to wait for what takes a conformant cluster of a pace a fraction of it.
func patience(p evidence.Pace, d time.Duration) time.Duration {
	if p == evidence.SlowPace {
		return slowTime * d
	}
	return d
}
