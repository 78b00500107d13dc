package harness

import (
	"cmp"
	"time"

	"example.com/rollcall/loadgen"
)

// How long the load goes on while nothing changes: before the rollout, and after it.
const (
	// Steady is more than two of kube-proxy's sync periods (minSyncPeriod, 1 s by default), and has enough requests to see
	// how late a client sends: 1 % of those at 100 per second is three.
	Steady = 3 * time.Second
	// settle is how long a request sent during the rollout may take, and a second more.
	settle = loadgen.DefaultTimeout + time.Second
)

// Durations of parts of scenarios on 2 cores, from spans.jsonl of whole runs.
const (
	deployLasts = 9 * time.Second
	podLasts    = 3 * time.Second
	stepsLast   = 35 * time.Second
	changeLasts = 20 * time.Second
	// ClusterLasts is how long it takes to create a cluster, run its trial and delete it: 40 to 60 s, as a run prints, and some more.
	ClusterLasts = 65 * time.Second
	wholeLasts   = 10 * time.Second // to find that a cluster is whole after a disruption
)

// Estimate returns about how long the scenario takes. It is used where there is no recording of it on this machine.
func (s Scenario) Estimate() time.Duration { return s.Kind.estimate(s) }

func (in InSteps) estimate(Scenario) time.Duration { return cmp.Or(in.Lasts, stepsLast) }

func (l UnderLoad) estimate(s Scenario) time.Duration {
	d := deployLasts + Steady + cmp.Or(l.Settle, settle) + l.Streams.Longest + s.App.PreStopSleep + s.App.Linger
	surge := time.Duration(1)
	if s.App.Recreate || s.App.MaxSurge != nil && s.App.MaxSurge.StrVal == "100%" {
		surge = time.Duration(max(1, s.App.Replicas))
	}
	times := time.Duration(1)
	if again, ok := l.Rollout.(interface{ Rollouts() int }); ok {
		times = time.Duration(again.Rollouts())
	}
	d += (podLasts + s.App.StartDelay + s.App.ReadyDelay + s.App.MinReady) * times * time.Duration(max(1, s.App.Replicas)) / surge
	if l.Adapt != nil {
		d *= 2
	}
	if len(s.ClusterChanges) > 0 {
		d += changeLasts
	}
	if l.FreshCluster != nil {
		d += ClusterLasts
	}
	if l.Disruption != nil {
		d += l.Disruption.After + l.Disruption.Lasts + wholeLasts
	}
	return d
}
