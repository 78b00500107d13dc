package harness

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
)

// A Scenario is one question, as a plain value: given an App, when what its Kind describes happens, then
// Expect holds.
type Scenario struct {
	ID    string // permanent, kebab-case
	Claim string // one sentence, in the present tense, about clients

	// Profile is the smallest profile that records the scenario; empty: full.
	Profile Profile

	App    fixtures.App
	Kind   Kind
	Expect []evidence.Expectation

	// ClusterChanges are made to the cluster itself and undone after the scenario; nothing else is recorded meanwhile.
	ClusterChanges []cluster.Change

	// Exclusive keeps other recordings from running meanwhile: the scenario is about something that all of them share.
	Exclusive bool

	// Uses lists resources that the scenario writes beyond those of every scenario, such as [Autoscalers], and
	// [cluster.ClusterChanges] if its steps change nodes.
	Uses []string

	// Tries is how often the scenario may be recorded until its preconditions are met, such as the damage of a negative control;
	// 0 is 3 if it has any, else 1. A failure is never tried again. Recordings that are repeated because the machine was too slow
	// do not count.
	Tries int

	// Bug is the bug of Kubernetes that the scenario shows on clusters which have it; nil: it is about none.
	Bug *evidence.Bug

	// Limits are what its recording does not look at.
	Limits []evidence.Limit
}

// Names for [Scenario].Uses.
const (
	Autoscalers = "horizontalpodautoscalers"
	Quotas      = "resourcequotas"
	Slices      = "endpointslices" // that the scenario writes
	AppObjects  = "own-objects"    // ConfigMaps and PodDisruptionBudgets beside the app
	NodeRules   = evidence.NodeRules
)

// A Kind is what happens in a scenario, and who sends requests meanwhile: [UnderLoad] or [InSteps].
type Kind interface {
	// occupancy returns what recordings need of a cluster that nothing but the kind itself changes.
	occupancy() Occupancy
	// observesNodes reports whether nodes' rules are observed and the app is reached from outside.
	observesNodes() bool
	// requires lists the rights and features that the kind needs of a cluster, which is changed for the
	// scenario or not.
	requires(changed bool) []string
	// estimate returns about how long a scenario of the kind takes.
	estimate(s Scenario) time.Duration
}

// UnderLoad returns the kind of a scenario under load, or the zero value for one in steps.
func (s Scenario) UnderLoad() UnderLoad {
	load, _ := s.Kind.(UnderLoad)
	return load
}

// SendsRPCs reports whether its clients send RPCs, or its app answers them: both need images that others do without.
func (s Scenario) SendsRPCs() bool { return s.App.GRPC || s.UnderLoad().sendsRPCs() }

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
	HalfLoad                      // any, as long as at most half of all are under load
	LoneLoad                      // those without load
	WholeCluster                  // none
)

// Occupancy returns what the scenario's recordings need.
func (s Scenario) Occupancy() Occupancy {
	if s.Exclusive || len(s.ClusterChanges) > 0 {
		return WholeCluster
	}
	return s.Kind.occupancy()
}

// ObservesNodes reports whether the nodes' rules are observed and the app is reached from outside.
func (s Scenario) ObservesNodes() bool {
	return s.Kind.observesNodes() || len(s.ClusterChanges) > 0
}

// Needs lists in words whether the scenario has load, and what it requires.
func (s Scenario) Needs() []string {
	load := "load"
	if _, is := s.Kind.(InSteps); is {
		load = "no load"
	}
	return append([]string{load}, s.Requires()...)
}

// Requires lists the rights and features that the scenario needs of a cluster.
func (s Scenario) Requires() []string {
	return slices.Concat(s.Uses, s.Kind.requires(len(s.ClusterChanges) > 0))
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
