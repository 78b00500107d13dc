package harness

import (
	"cmp"
	"time"

	"example.com/rollcall/loadgen"
)

// How long the load goes on while nothing changes: before the rollout, and after it.
const (
	// Steady has two periods in which kube-proxy may write rules (minSyncPeriod, 1 s by default) and enough requests to see
	// how late a client is: 1 % of 100 a second is three of them.
	Steady = 3 * time.Second
	// settle is how long a request of the rollout may be in flight, and a second for what comes after the last.
	settle = loadgen.DefaultTimeout + time.Second
)

// What parts of scenarios take on 2 cores, read off spans.jsonl of whole runs there.
const (
	deployLasts = 9 * time.Second
	podLasts    = 3 * time.Second
	stepsLast   = 35 * time.Second
	changeLasts = 20 * time.Second
	ownLasts    = 65 * time.Second // to make a cluster, try it out and remove it
	wholeLasts  = 10 * time.Second // until a cluster is known to be whole after a disruption
)

// Estimate is about how long the scenario takes, for one that was never recorded here.
func (s Scenario) Estimate() time.Duration {
	if s.Steps != nil {
		return cmp.Or(s.Lasts, stepsLast)
	}
	d := deployLasts + Steady + cmp.Or(s.Load.Settle, settle) + s.App.PreStopSleep + s.App.Linger
	surge := time.Duration(1)
	if s.App.Recreate || s.App.MaxSurge != nil && s.App.MaxSurge.StrVal == "100%" {
		surge = time.Duration(max(1, s.App.Replicas))
	}
	times := time.Duration(1)
	if again, ok := s.Rollout.(interface{ Rollouts() int }); ok {
		times = time.Duration(again.Rollouts())
	}
	d += (podLasts + s.App.StartDelay + s.App.ReadyDelay + s.App.MinReady) * times * time.Duration(max(1, s.App.Replicas)) / surge
	if s.Adapt != nil {
		d *= 2
	}
	if len(s.ClusterChanges) > 0 {
		d += changeLasts
	}
	if s.Own != nil {
		d += ownLasts
	}
	if s.Disruption != nil {
		d += s.Disruption.After + s.Disruption.Lasts + wholeLasts
	}
	return d
}
