package harness

import (
	"cmp"
	"slices"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// Update is a scenario in which an app is updated under load. Beside what it says itself it expects that the load was offered, that both
// versions answered, and that in the end the new one alone does. Unless it says otherwise v2 replaces v1 under 100 requests per second
// and lane.
func Update(s Scenario) Scenario {
	s.Load.Rate = cmp.Or(s.Load.Rate, 100)
	if s.Rollout == nil {
		s.Rollout = rollout.Update(OldVersion, NewVersion)
	}
	old, next := s.Rollout.Versions()
	s.Expect = slices.Concat([]evidence.Expectation{verdict.FullRate(99), verdict.Serves(old, next)}, s.Expect,
		[]evidence.Expectation{verdict.OnlyServes(next, evidence.Barrier)})
	return s
}
