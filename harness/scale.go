package harness

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"rollcall/harness/cluster"
	"rollcall/loadgen"
)

// FullRate is the requests per second and lane that scenarios are written for; a slower machine gets less.
const FullRate = 100

// At is the scenario at a rate, in requests per second and lane of one that asks for [FullRate], on a cluster that takes so
// many times longer than usual. That makes the times of Rollcall's own app longer, and the bounds that say so.
func (s Scenario) At(rate, stretch int) Scenario {
	s.Load.Timeout, s.Load.Settle = cmp.Or(s.Load.Timeout, loadgen.DefaultTimeout), cmp.Or(s.Load.Settle, settle)
	if s.Steps == nil {
		s.Load.Rate = max(1, s.Load.Rate*rate/FullRate)
	}
	if stretch <= 1 {
		return s
	}
	times := time.Duration(stretch)
	s.Expect = slices.Clone(s.Expect)
	for i := range s.Expect {
		if s.Expect[i].Scales {
			s.Expect[i].Min *= times
			s.Expect[i].Max *= times
		}
	}
	if s.UserApp != nil || s.Steps != nil {
		return s // what steps deploy, they choose themselves
	}
	s.Claim += fmt.Sprintf("; the times of its pods are %d times as long here", stretch)
	s.App = s.App.Scaled(stretch)
	s.ClusterChanges = slices.Clone(s.ClusterChanges)
	for i, change := range s.ClusterChanges {
		if timed, ok := change.(interface{ Longer(int) cluster.Change }); ok {
			s.ClusterChanges[i] = timed.Longer(stretch)
		}
	}
	return s
}
