package harness

import (
	"cmp"
	"slices"
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/loadgen"
)

// UnderLoad is the [Kind] of scenarios in which clients send requests while the app is rolled out. Each
// worker has three lanes: fresh and reused connections to the ClusterIP, and a control lane straight to
// a pod that is not rolled out. One more lane, outside the cluster, opens fresh connections through a
// NodePort.
type UnderLoad struct {
	Rate    int           // requests per second and lane; 0 is [FullRate]
	Timeout time.Duration // per request; 0 is 2 s, and for a user's app by how long its first replies take
	Settle  time.Duration // how long the load goes on after the rollout is over; 0 is 3 s
	Also    []string      // names of optional kinds of lanes that each worker has too, such as [evidence.Plain]
	Streams Streams       // of the kind [evidence.Streaming]; zero unless Also names that, or Protocol streams
	// Protocol is how clients ask UserApp, instead of by HTTP.
	Protocol evidence.Protocol

	Rollout rollout.Strategy
	// Disruption is done to the cluster during the rollout, or alone if Rollout is [rollout.Steady].
	Disruption *disruption.Disruption
	// FreshCluster describes a cluster that is created for each recording of the scenario and deleted
	// after it; nil: the run's cluster is used.
	FreshCluster *FreshCluster

	// Adapt returns the app for a second recording, which is judged, from what the first one showed,
	// which is not.
	Adapt func(fixtures.App, timeline.Timeline) (fixtures.App, error)

	// UserApp is a user's app, used instead of Rollcall's; the scenario's App then describes the control
	// pod alone.
	UserApp *userapp.App
	// Existing says where UserApp is; nil: there is none.
	Existing *Existing
	// Lasts is how long the load goes on at least, for which the disk needs space; 0: as long as
	// [Scenario.Estimate] says.
	Lasts time.Duration
}

// Streams say how clients ask for streams, and how long these may last. The timeout of requests is that of a token.
type Streams struct {
	Rate    int           // per second and lane; 0 is that of other requests
	Longest time.Duration // of one
	EndMark string        // of a user's app, see [evidence.Lane]
}

// A FreshCluster is created for one recording, which leaves it changed.
type FreshCluster struct {
	Kubernetes string   // version that it is created with
	Upgrades   []string // versions that it will be upgraded to; their programs and images are fetched
}

// Update completes a scenario that updates an app under load: beside its own expectations it expects that
// the load was offered, that both versions answered, and that in the end only the new one does. By
// default v2 replaces v1.
func Update(s Scenario) Scenario {
	var load UnderLoad
	if s.Kind != nil {
		load = s.Kind.(UnderLoad)
	}
	if load.Rollout == nil {
		load.Rollout = rollout.Update(OldVersion, NewVersion)
	}
	old, next := load.Rollout.Versions()
	s.Kind = load
	s.Expect = slices.Concat([]evidence.Expectation{verdict.FullRate(99), verdict.Serves(old, next)}, s.Expect,
		[]evidence.Expectation{verdict.OnlyServes(next, evidence.Barrier)})
	return s
}

func (l UnderLoad) occupancy() Occupancy {
	if l.Disruption != nil || l.FreshCluster != nil {
		return WholeCluster
	}
	return HalfLoad
}

// sendsRPCs reports whether clients send RPCs, for which agents of another program are needed.
func (l UnderLoad) sendsRPCs() bool {
	return l.Protocol.RPC() || slices.ContainsFunc(evidence.LaneKinds(), func(k evidence.LaneKind) bool {
		return k.Protocol.RPC() && slices.Contains(l.Also, k.Name)
	})
}

// Agent returns the program of the load agents.
func (l UnderLoad) Agent() string {
	if l.sendsRPCs() {
		return fixtures.GRPCAgent
	}
	return fixtures.AgentName
}

func (UnderLoad) observesNodes() bool { return true }

func (l UnderLoad) requires(changed bool) (features []string) {
	disrupted := l.Disruption != nil && !l.Disruption.ByOthers()
	if disrupted && l.Disruption.Drains {
		features = append(features, cluster.Drains)
	}
	if changed || disrupted && !l.Disruption.Drains || l.FreshCluster != nil {
		features = append(features, cluster.ClusterChanges)
	}
	return features
}

// at returns the load with its defaults, for a machine that carries rate instead of [FullRate].
func (l UnderLoad) at(rate int) UnderLoad {
	l.Rate = max(1, cmp.Or(l.Rate, FullRate)*rate/FullRate)
	if l.Streams.Rate > 0 && l.UserApp == nil { // else the user says it
		l.Streams.Rate = max(1, l.Streams.Rate*rate/FullRate)
	}
	l.Settle = cmp.Or(l.Settle, settle)
	if l.UserApp == nil {
		l.Timeout = cmp.Or(l.Timeout, loadgen.DefaultTimeout)
	}
	return l
}
