package harness

import (
	"context"
	"slices"
	"time"

	"rollcall/fixtures"
	"rollcall/harness/cluster"
	"rollcall/harness/evidence"
	"rollcall/harness/own"
	"rollcall/harness/rollout"
	"rollcall/harness/timeline"
)

// A Scenario is one question about a rollout under load, as a plain value: given an App and a Load,
// when it is rolled out, then the expectations hold.
type Scenario struct {
	ID     string   // permanent, kebab-case, equal to the file's name or, in a table, beginning with it
	Claim  string   // one sentence, in the present tense, about clients
	Covers []string // seed claims, such as "C31"

	App     fixtures.App
	Load    Load
	Rollout rollout.Strategy
	Expect  []evidence.Expectation

	// Own is the app, where it is not Rollcall's; App says then only what the control pod is.
	Own *own.App

	// Given are changes to the cluster itself, for as long as the scenario lasts, which is alone on it then.
	Given []cluster.Change

	// Walk makes it a scenario without load: steps on the API, beside which others are walked. App says then
	// only which Service's endpoints are watched, and Load and Rollout nothing.
	Walk func(context.Context, *Walk) error
	// Alone has the walk go alone, with the nodes' rules observed and a way to the app from outside.
	Alone bool

	// Uses are resources beyond those of every scenario that it writes, such as [Autoscalers].
	Uses []string

	// Tries is how often a negative control may be recorded until it sees damage; 0 is 1. A
	// scenario that promises no failure has one try. One whose clients were late is not counted, once.
	Tries int

	// Then makes of what a first recording showed, which is not judged, the app of a second one, which is.
	Then func(fixtures.App, timeline.Timeline) (fixtures.App, error)
}

// alone reports whether nothing may go on beside the scenario.
func (s Scenario) alone() bool { return s.Walk == nil || s.Alone || len(s.Given) > 0 }

// uses are the rights and features it cannot do without.
func (s Scenario) uses() []string {
	uses := slices.Clone(s.Uses)
	if len(s.Given) > 0 {
		uses = append(uses, cluster.ClusterChanges)
	}
	if s.Walk != nil && s.alone() {
		uses = append(uses, cluster.OutsideLane, evidence.NodeRules)
	}
	return uses
}

// A Load is what every lane of a scenario offers. The lanes are, from each worker: fresh and reused
// connections to the ClusterIP, and a control straight to a pod that is not rolled out; and from
// outside the cluster, through 127.0.0.1 and a NodePort, fresh connections.
type Load struct {
	Rate    int           // requests per second and lane
	Timeout time.Duration // per request; 0 is 2 s
	Settle  time.Duration // that the load goes on after the rollout is over; 0 is 10 s
	// Plain adds to each worker a client that does what plain vegeta does, and most do: what a dead
	// connection cost it is sent again silently. It shows what such clients do not see.
	Plain bool
}

// How long the phases without change last. Both are the harness's own choice: long enough to
// trust the rig before the write, and to see a late reply of an old pod after no node leads to one any more.
const (
	steady = 10 * time.Second
	settle = 10 * time.Second
)

// Patience of the harness; a conformant cluster needs a fraction of each.
const (
	deployPatience  = 2 * time.Minute // v1 up, agents up, every vantage reaches the app
	rolloutPatience = 5 * time.Minute // from the write until the last old pod is gone; of a walk, from its begin to its end
	cleanupPatience = 2 * time.Minute // namespace gone
)

// nodePort is the one that kind-config.yaml leads to from outside.
const nodePort = 30080
