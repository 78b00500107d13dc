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

// A Scenario is one question, as a plain value. It is either a rollout under load (given an App and a Load, when Rollout happens, then
// Expect holds) or Steps on the API without load. A test of package suites checks that neither kind sets fields of the other.
type Scenario struct {
	ID    string // permanent, kebab-case; equal to the file's name or, in a table of scenarios, beginning or ending with it
	Claim string // one sentence, in the present tense, about clients

	// Profile is the smallest profile that records the scenario; empty: full.
	Profile Profile

	App     fixtures.App
	Load    Load
	Rollout rollout.Strategy
	Expect  []evidence.Expectation

	// Disruption is done to the cluster under load: during the rollout, or alone if Rollout is [rollout.Steady].
	Disruption *disruption.Disruption

	// Own describes a cluster that is created for each recording of the scenario and deleted after it; nil: the run's cluster is used.
	Own *OwnCluster

	// UserApp is a user's app, used instead of Rollcall's; App then describes the control pod alone.
	UserApp *userapp.App

	// Limits are what its recording does not look at.
	Limits []evidence.Limit

	// Elsewhere says where UserApp is; nil: there is none.
	Elsewhere *Elsewhere

	// ClusterChanges are made to the cluster itself and undone after the scenario; nothing else is recorded meanwhile.
	ClusterChanges []cluster.Change

	// Steps makes this a scenario without load: steps on the API. App then
	// only says which Service's endpoints are watched; Load and Rollout are unused.
	Steps func(context.Context, *Steps)
	// Observed has the nodes' rules observed during the steps, and the app reachable from outside.
	Observed bool
	// Outside does the same for steps that can do without the rules: clients alone decide.
	Outside bool

	// Exclusive keeps other recordings from running meanwhile: the scenario is about something that all of them share.
	Exclusive bool
	// Lasts is about how long the scenario takes on 2 cores, if App does not tell; see [Scenario.Estimate].
	Lasts time.Duration

	// Uses lists resources that the scenario writes beyond those of every scenario, such as [Autoscalers], and
	// [cluster.ClusterChanges] if its steps change nodes.
	Uses []string

	// Tries is how often the scenario may be recorded until its preconditions are met, such as the damage of a negative control;
	// 0 is 3 if it has any, else 1. A failure is never tried again. Recordings that are repeated because the machine was too slow
	// do not count.
	Tries int

	// Bug is the bug of Kubernetes that the scenario shows on clusters which have it; nil: it is about none.
	Bug *evidence.Bug

	// Adapt returns the app for a second recording, which is judged, from what the first one showed, which is not.
	Adapt func(fixtures.App, timeline.Timeline) (fixtures.App, error)
}

// An OwnCluster is a cluster for one scenario alone, which leaves it changed.
type OwnCluster struct {
	Kubernetes string   // version that it is created with
	Upgrades   []string // versions that it will be upgraded to; their programs and images are fetched
}

// Covers returns the seed claims that an expectation decides whole or in part, such as "C31", sorted.
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

// A Load is what every lane of a scenario sends. Each worker has three lanes: fresh and reused
// connections to the ClusterIP, and a control lane straight to a pod that is not rolled out. One more
// lane, outside the cluster, opens fresh connections through a NodePort.
type Load struct {
	Rate    int           // requests per second and lane
	Timeout time.Duration // per request; 0 is 2 s, and for a user's app by how long its first replies take
	Settle  time.Duration // how long the load goes on after the rollout is over; 0 is 3 s
	// Also names optional kinds of lanes that each worker has too, such as [evidence.Plain].
	Also []string
}

// Versions of the echo app that scenarios roll out, unless their Rollout says otherwise.
const (
	OldVersion = fixtures.OldVersion
	NewVersion = fixtures.NewVersion
)

// An Occupancy says which other recordings may run on a cluster beside one.
type Occupancy int

// Occupancies.
const (
	WithoutLoad  Occupancy = iota // any
	FromOutside                   // any; but where only one Service can be reached from outside, it is this recording's
	UnderLoad                     // any, as long as at most half of all are under load
	LoneLoad                      // those without load
	WholeCluster                  // none
)

// Occupancy returns what the scenario's recordings need.
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

// Needs lists in words whether the scenario has load, and what it requires.
func (s Scenario) Needs() []string {
	load := "load"
	if s.Steps != nil {
		load = "no load"
	}
	return append([]string{load}, s.Requires()...)
}

// Requires lists the rights and features that the scenario needs of a cluster.
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

// In reports whether the profile p includes the scenario.
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
