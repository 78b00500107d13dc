package harness

import (
	"cmp"
	"slices"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// Update completes a scenario that updates an app under load: beside its own expectations it expects that the load was offered, that
// both versions answered, and that in the end only the new one does. By default v2 replaces v1 under [FullRate].
func Update(s Scenario) Scenario {
	s.Load.Rate = cmp.Or(s.Load.Rate, FullRate)
	if s.Rollout == nil {
		s.Rollout = rollout.Update(OldVersion, NewVersion)
	}
	old, next := s.Rollout.Versions()
	s.Expect = slices.Concat([]evidence.Expectation{verdict.FullRate(99), verdict.Serves(old, next)}, s.Expect,
		[]evidence.Expectation{verdict.OnlyServes(next, evidence.Barrier)})
	return s
}
