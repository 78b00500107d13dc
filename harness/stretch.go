package harness

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"rollcall/fixtures"
	"rollcall/harness/cluster"
	"rollcall/loadgen"
)

// at is the scenario at a rate, in requests per second and lane of one that asks for 100, on a cluster that takes so many
// times longer than usual. What grows with that are the times of Rollcall's own app, and the bounds that say so. What a walk
// deploys is its own affair.
func (s Scenario) at(rate, stretch int) Scenario {
	s.Load.Timeout, s.Load.Settle = cmp.Or(s.Load.Timeout, loadgen.DefaultTimeout), cmp.Or(s.Load.Settle, settle)
	if s.Walk == nil {
		s.Load.Rate = max(1, s.Load.Rate*rate/rateSteps[0])
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
	if s.Own != nil || s.Walk != nil {
		return s
	}
	s.Claim += fmt.Sprintf("; the times of its pods are %d times as long here", stretch)
	s.App.Grace = cmp.Or(s.App.Grace, fixtures.DefaultGrace) * times
	for _, d := range []*time.Duration{&s.App.PreStopSleep, &s.App.StartDelay, &s.App.ReadyDelay, &s.App.Linger, &s.App.DrainLimit} {
		*d *= times
	}
	s.Given = slices.Clone(s.Given)
	for i, change := range s.Given {
		if timed, ok := change.(interface{ Longer(int) cluster.Change }); ok {
			s.Given[i] = timed.Longer(stretch)
		}
	}
	return s
}

// What the trial of a cluster may take for nothing to be stretched. Bounds on a node's rules are 3 s, and hold for twice what
// the trial showed; the apps of scenarios start in 3 s by themselves, beside which a pod's own start must not count for more.
const (
	usualRuleLag  = 1500 * time.Millisecond
	usualPodStart = 6 * time.Second
	mostStretch   = 10
)

// stretchOf is how many times longer than usual a cluster takes.
func stretchOf(podStart, ruleLag time.Duration) int {
	up := func(d, usual time.Duration) int { return int((d + usual - 1) / usual) }
	return min(mostStretch, max(1, up(podStart, usualPodStart), up(ruleLag, usualRuleLag)))
}

// stretch is how many times longer than usual the cluster of the mode under way takes.
func (r *Rig) stretch() int {
	if r.trial == nil {
		return 1
	}
	return max(1, r.trial.Stretch)
}

// patience is how long to wait for what takes a conformant cluster a fraction of it.
func (r *Rig) patience(d time.Duration) time.Duration { return time.Duration(r.stretch()) * d }

// silence is for how long the API server may say nothing before a watch counts as blind; 0 is the usual. On a stretched cluster
// it is longer, since the timeline adds how late it answered to the uncertainty of each lag.
func (r *Rig) silence() time.Duration {
	if r.stretch() == 1 {
		return 0
	}
	return 5 * time.Second
}

// estimate is about how long the scenario takes, for one that was never recorded here.
func (s Scenario) estimate() time.Duration {
	if s.Walk != nil {
		return cmp.Or(s.Lasts, walkLasts)
	}
	d := deployLasts + steady + cmp.Or(s.Load.Settle, settle) + s.App.PreStopSleep + s.App.Linger
	surge := time.Duration(1)
	if s.App.Recreate || s.App.MaxSurge != nil && s.App.MaxSurge.StrVal == "100%" {
		surge = time.Duration(max(1, s.App.Replicas))
	}
	d += (podLasts + s.App.StartDelay + s.App.ReadyDelay + s.App.MinReady) * time.Duration(max(1, s.App.Replicas)) / surge
	if s.Then != nil {
		d *= 2
	}
	if len(s.Given) > 0 {
		d += changeLasts
	}
	return d
}

// What parts of scenarios take on 2 cores, read off spans.jsonl of whole runs there.
const (
	deployLasts = 9 * time.Second
	podLasts    = 3 * time.Second
	walkLasts   = 35 * time.Second
	changeLasts = 20 * time.Second
)
