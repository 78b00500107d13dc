package harness

import (
	"context"
	"slices"
	"time"

	"rollcall/fixtures"
	"rollcall/harness/cluster"
	"rollcall/harness/evidence"
	"rollcall/harness/rollout"
	"rollcall/harness/timeline"
	"rollcall/harness/userapp"
	"rollcall/loadgen"
)

// A Scenario is one question about a rollout under load, as a plain value: given an App and a Load,
// when it is rolled out, then the expectations hold.
type Scenario struct {
	ID     string   // permanent, kebab-case, equal to the file's name or, in a table, beginning with it
	Claim  string   // one sentence, in the present tense, about clients
	Covers []string // seed claims, such as "C31"

	// Profile is the smallest that records it; empty: full.
	Profile Profile

	App     fixtures.App
	Load    Load
	Rollout rollout.Strategy
	Expect  []evidence.Expectation

	// Own is the app, where it is not Rollcall's; App says then only what the control pod is.
	Own *userapp.App

	// Given are changes to the cluster itself, for as long as the scenario lasts, beside which nothing goes on then.
	Given []cluster.Change

	// Walk makes it a scenario without load: steps on the API. App says then
	// only which Service's endpoints are watched, and Load and Rollout nothing.
	Walk func(context.Context, *Walk) error
	// Observed has the nodes' rules observed during the walk, and a way to the app from outside.
	Observed bool

	// Alone has nothing else go on beside it: what it asks about is shared by all recordings on the cluster.
	Alone bool
	// Lasts is about how long it takes on 2 cores, where its app does not tell; see [Scenario.estimate].
	Lasts time.Duration

	// Uses are resources beyond those of every scenario that it writes, such as [Autoscalers].
	Uses []string

	// Tries is how often a negative control may be recorded until it sees damage; 0 is 1. A
	// scenario that promises no failure has one try. One whose clients were late is not counted, once.
	Tries int

	// Then makes of what a first recording showed, which is not judged, the app of a second one, which is.
	Then func(fixtures.App, timeline.Timeline) (fixtures.App, error)
}

// observed reports whether the nodes' rules are observed and the app is reached from outside.
func (s Scenario) observed() bool { return s.Walk == nil || s.Observed || len(s.Given) > 0 }

// share is how much of the cluster it takes.
func (s Scenario) share() share {
	switch {
	case s.Alone || len(s.Given) > 0:
		return whole
	case s.observed():
		return aLoad
	}
	return aWalk
}

// uses are the rights and features it cannot do without.
func (s Scenario) uses() []string {
	uses := slices.Clone(s.Uses)
	if len(s.Given) > 0 {
		uses = append(uses, cluster.ClusterChanges)
	}
	if s.Walk != nil && s.observed() {
		uses = append(uses, cluster.OutsideLane, evidence.NodeRules)
	}
	return uses
}

// A Load is what every lane of a scenario offers. The lanes are, from each worker: fresh and reused
// connections to the ClusterIP, and a control straight to a pod that is not rolled out; and from
// outside the cluster, through a NodePort, fresh connections.
type Load struct {
	Rate    int           // requests per second and lane
	Timeout time.Duration // per request; 0 is 2 s
	Settle  time.Duration // that the load goes on after the rollout is over; 0 is 3 s
	// Also names optional kinds of lanes that each worker has beside the others, such as [evidence.Plain].
	Also []string
}

// How long nothing changes before the rollout, and how long the load goes on after it.
const (
	// steady has two periods in which kube-proxy may write rules (minSyncPeriod, 1 s by default) and enough requests to see
	// how late a client is: 1 % of 100 a second is three of them.
	steady = 3 * time.Second
	// rest is for how long no pod and no endpoint has changed when the rollout begins.
	rest = 2 * time.Second
	// settle is how long a request of the rollout may be in flight, and a second for what comes after the last.
	settle = loadgen.DefaultTimeout + time.Second
)

// Patience of the harness; a conformant cluster needs a fraction of each.
const (
	deployPatience  = 2 * time.Minute // v1 up, agents up, every vantage reaches the app
	rolloutPatience = 5 * time.Minute // from the write until the last old pod is gone; of a walk, from its begin to its end
	cleanupPatience = 2 * time.Minute // namespace gone
)

// nodePort is the one that kind-config.yaml leads to from outside.
const nodePort = 30080
