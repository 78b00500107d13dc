package harness

import (
	"fmt"
	"slices"
	"time"

	"example.com/rollcall/harness/cluster"
)

// Limits for a cluster's trial. Where it takes longer, durations are stretched. Rules have to follow within 3 s in most expectations, twice
// UsualRuleLag, or as many times that as durations are stretched. Apps of scenarios take up to 3 s to start; UsualPodStart leaves as much
// for the pod itself.
const (
	UsualPodStart = 6 * time.Second         // from a pod's creation until it is ready
	UsualRuleLag  = 1500 * time.Millisecond // from the end of a pod's endpoint until no node's rules route to it
)

// FullRate is the rate that scenarios are written for, in requests per second and lane; a slower machine gets less.
const FullRate = 100

// At returns the scenario for a machine that carries rate instead of [FullRate] and a cluster that takes stretch times as long as
// usual. stretch multiplies the times of Rollcall's own app, and the bounds that come from them.
func (s Scenario) At(rate, stretch int) Scenario {
	load, loaded := s.Kind.(UnderLoad)
	if loaded {
		s.Kind = load.at(rate)
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
	if !loaded || load.UserApp != nil {
		return s // steps choose the times of what they deploy
	}
	for i := range s.Expect {
		s.Expect[i].Stretch *= stretch
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
