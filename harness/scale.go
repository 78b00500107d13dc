package harness

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/loadgen"
)

// What a cluster may take in its trial for nothing to be stretched: from a pod's creation until it is ready, and from its
// endpoint's end until no node's rules route to it. Bounds on rules are 3 s, and hold for twice as much; apps of scenarios start
// in 3 s by themselves, beside which a pod's own start must not count for more.
const (
	UsualPodStart = 6 * time.Second
	UsualRuleLag  = 1500 * time.Millisecond
)

// FullRate is the requests per second and lane that scenarios are written for; a slower machine gets less.
const FullRate = 100

// At is the scenario at a rate, in requests per second and lane of one that asks for [FullRate], on a cluster that takes so
// many times longer than usual. That makes the times of Rollcall's own app longer, and the bounds that come from them.
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
