package harness

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/userapp"
)

// A Scenario is one question, as a plain value. It is about a rollout under load: given an App and a Load, when it is rolled out, then
// the expectations hold; or about steps on the API, without load. Which fields the other kind has no use for, a test of the suites holds.
type Scenario struct {
	ID    string // permanent, kebab-case, equal to the file's name or, in a table, beginning or ending with it
	Claim string // one sentence, in the present tense, about clients

	// Profile is the smallest that records it; empty: full.
	Profile Profile

	App     fixtures.App
	Load    Load
	Rollout rollout.Strategy
	Expect  []evidence.Expectation

	// Disruption is done to the cluster under load: beside the rollout, or alone where that is [rollout.Steady].
	Disruption *disruption.Disruption

	// Own is a cluster that is made for each recording of it alone, and removed after it; nil: it shares that of the run.
	Own *OwnCluster

	// UserApp is the app, where it is not Rollcall's; App says then only what the control pod is.
	UserApp *userapp.App

	// Elsewhere is where that app is, where it is there already; nil: it is deployed.
	Elsewhere *Elsewhere

	// ClusterChanges are made to the cluster itself, for as long as the scenario lasts; nothing else goes on meanwhile.
	ClusterChanges []cluster.Change

	// Steps makes it a scenario without load: steps on the API. App says then
	// only which Service's endpoints are watched, and Load and Rollout nothing.
	Steps func(context.Context, *Steps)
	// Observed has the nodes' rules observed during the steps, and a way to the app from outside.
	Observed bool
	// Outside is the same for steps that can do without the rules, and are judged by clients alone.
	Outside bool

	// Exclusive has nothing else go on meanwhile: what it asks about is shared by all recordings on the cluster.
	Exclusive bool
	// Lasts is about how long it takes on 2 cores, where its app does not tell; see [Scenario.Estimate].
	Lasts time.Duration

	// Uses are resources beyond those of every scenario that it writes, such as [Autoscalers], or [cluster.ClusterChanges] where its
	// steps do something to nodes.
	Uses []string

	// Tries is how often it may be recorded until its preconditions are met, a negative control's damage for one; 0 is 3 where
	// it expects any, else 1. What fails is never tried again. A recording whose clients were late is not counted, once.
	Tries int

	// Bug is one of Kubernetes that the scenario shows where a cluster has it; nil: it is about none.
	Bug *evidence.Bug

	// Adapt makes of what a first recording showed, which is not judged, the app of a second one, which is.
	Adapt func(fixtures.App, timeline.Timeline) (fixtures.App, error)
}

// An OwnCluster is one that a scenario has for itself, because it is not what it was afterwards.
type OwnCluster struct {
	Kubernetes string   // version that it begins with
	Upgrades   []string // versions that it will be brought to, of which it needs programs and images
}

// Covers are the seed claims that an expectation decides, or a part of which, such as "C31", in their order.
func (s Scenario) Covers() []string {
	var claims []string
	for _, x := range s.Expect {
		for _, part := range x.Claims {
			claims = append(claims, evidence.ClaimOf(part))
		}
	}
	slices.SortFunc(claims, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) })
	return slices.Compact(claims)
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

// Versions of the echo app that scenarios roll out, unless their Rollout says otherwise.
const (
	OldVersion = fixtures.OldVersion
	NewVersion = fixtures.NewVersion
)

// An Occupancy is how much of a cluster a recording takes for itself.
type Occupancy int

// Occupancies.
const (
	WithoutLoad  Occupancy = iota // beside others
	FromOutside                   // likewise, and where only one Service can be reached from outside, it is this one
	UnderLoad                     // beside others, of which half may be under load
	LoneLoad                      // beside others without load
	WholeCluster                  // nothing goes on beside it
)

// Occupancy is how much of the cluster it takes.
func (s Scenario) Occupancy() Occupancy {
	switch {
	case s.Exclusive || len(s.ClusterChanges) > 0 || s.Disruption != nil || s.Own != nil:
		return WholeCluster
	case s.Steps == nil:
		return UnderLoad
	case s.Outside:
		return FromOutside
	}
	return WithoutLoad
}

// ObservesNodes reports whether the nodes' rules are observed and the app is reached from outside.
func (s Scenario) ObservesNodes() bool {
	return s.Steps == nil || s.Observed || s.Outside || len(s.ClusterChanges) > 0
}

// Needs is what it does and uses, in words.
func (s Scenario) Needs() []string {
	load := "load"
	if s.Steps != nil {
		load = "no load"
	}
	return append([]string{load}, s.Requires()...)
}

// Requires lists the rights and features it cannot do without.
func (s Scenario) Requires() []string {
	required := slices.Clone(s.Uses)
	disrupted := s.Disruption != nil && !s.Disruption.ByOthers()
	if disrupted && s.Disruption.Drains {
		required = append(required, cluster.Drains)
	}
	if len(s.ClusterChanges) > 0 || disrupted && !s.Disruption.Drains || s.Own != nil {
		required = append(required, cluster.ClusterChanges)
	}
	if s.Steps != nil && s.ObservesNodes() {
		required = append(required, cluster.OutsideLane)
		if !s.Outside {
			required = append(required, evidence.NodeRules)
		}
	}
	return required
}

// In reports whether a profile records the scenario.
func (s Scenario) In(p Profile) bool {
	switch belongs := cmp.Or(s.Profile, Full); p {
	case Smoke:
		return belongs == Smoke
	case Core:
		return belongs != Full
	case Full:
	}
	return true
}
