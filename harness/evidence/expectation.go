package evidence

import (
	"slices"
	"strings"
	"time"
)

// An Expectation is a rule of package verdict as data: the rule's permanent id, its parameters and,
// where clusters are known to differ, the clusters that it applies to.
type Expectation struct {
	Rule     string        `json:"rule"`
	Versions []string      `json:"versions,omitempty"`
	From     EventKind     `json:"from,omitempty"` // moment the rule applies from
	Max      time.Duration `json:"max,omitempty"`  // nanoseconds
	Count    int           `json:"count,omitempty"`
	Lasts    Length        `json:"lasts,omitempty"`    // how long replies take that nothing cuts
	Percent  int           `json:"percent,omitempty"`  // 1-100
	Permille int           `json:"permille,omitempty"` // 1-1000

	Fact   string        `json:"fact,omitempty"`   // name of what the scenario found
	Counts Counting      `json:"counts,omitempty"` // what the fact counts, where that matters
	Values []string      `json:"values,omitempty"` // any of them, or all in this order, depending on the rule
	Min    time.Duration `json:"min,omitempty"`    // nanoseconds
	To     EventKind     `json:"to,omitempty"`     // moment the rule applies to
	Conn   Conn          `json:"conn,omitempty"`   // lanes the rule applies to, by their connections; empty: all
	Kind   string        `json:"kind,omitempty"`   // lanes the rule applies to, by the names of their kinds; empty: all
	Lane   string        `json:"lane,omitempty"`   // id of the lane of steps that a rule about requests of steps applies to
	Nodes  Nodes         `json:"nodes,omitempty"`  // lanes the rule applies to, by the nodes of their clients; empty: all
	// Scales says that the bounds come from the app's times and grow with them; false: they are fixed.
	Scales bool `json:"scales,omitempty"`

	Modes         []string `json:"modes,omitempty"`  // proxy modes it is for; empty: all
	SinceRelease  string   `json:"since,omitempty"`  // first Kubernetes minor it is for, such as "1.36"; empty: all
	BeforeRelease string   `json:"before,omitempty"` // first Kubernetes minor it is no longer for

	// Needs is a feature that the expectation needs a cluster to have, such as none of metrics; empty: none beside its rule's.
	Needs string `json:"needs,omitempty"`

	// Certain says that what a precondition asks for is sure to be seen here, by the arithmetic in the scenario: too little
	// of it is a failure, not a sign that the harness missed something.
	Certain bool `json:"certain,omitempty"`

	// Evidence is where a fact comes from, if not from the API alone: "clients".
	Evidence string `json:"evidence,omitempty"`
	// Stretch is how many times as long as its scenario says the times are that it is judged by, if its claims are about those times; 0:
	// they are about none. Above 1 it decides no claim: that a sleep of 60 s was enough says nothing of one of 30 s.
	Stretch int `json:"stretch,omitempty"`
	// Claims are the seed claims, such as "C5", or parts of them, such as "C5.before", that this expectation decides.
	Claims []string `json:"decides,omitempty"`
}

// Decides adds seed claims, such as "C5", or parts of them, such as "C5.before", that the expectation decides: a scenario in
// which it was not judged does not cover them.
func (x Expectation) Decides(claims ...string) Expectation {
	x.Claims = slices.Concat(x.Claims, claims)
	return x
}

// ByTheClock says that the claims which the expectation decides are about the app's times as the scenario names them. Where the cluster
// takes longer, and the app's times with it, they are not decided.
func (x Expectation) ByTheClock() Expectation {
	x.Stretch = 1
	return x
}

// ClaimOf returns the seed claim that a part belongs to: C5 for C5.before.
func ClaimOf(part string) string {
	id, _, _ := strings.Cut(part, ".")
	return id
}

// Surely makes a precondition fail, and so decide claims, where what it asks for is not seen.
func (x Expectation) Surely() Expectation {
	x.Certain = true
	return x
}

// AtLeast has a rule that looks for some look for so many.
func (x Expectation) AtLeast(n int) Expectation {
	x.Count = n
	return x
}

// On limits an expectation to lanes with this kind of connection.
func (x Expectation) On(conn Conn) Expectation {
	x.Conn = conn
	return x
}

// OnKind limits an expectation to lanes of a kind, by its name, such as [Named].
func (x Expectation) OnKind(kind string) Expectation {
	x.Kind = kind
	return x
}

// OnOthers limits an expectation to lanes whose clients are not on a node that is disrupted.
func (x Expectation) OnOthers() Expectation {
	x.Nodes = OtherNodes
	return x
}

// OnDisrupted limits an expectation to lanes whose clients are on a node that is disrupted.
func (x Expectation) OnDisrupted() Expectation {
	x.Nodes = DisruptedNodes
	return x
}

// Until ends the time of an expectation that counts from a mark: requests sent from this mark on do not count.
func (x Expectation) Until(mark EventKind) Expectation {
	x.To = mark
	return x
}

// Scaled makes the bounds grow with the time the cluster takes to start pods and write rules, as the times of the app do. It is for
// bounds that come from those times, not for durations that the scenario sets or bounds that a claim states.
func (x Expectation) Scaled() Expectation {
	x.Scales = true
	return x
}

// In limits an expectation to clusters with this proxy mode; further calls add modes.
func (x Expectation) In(mode string) Expectation {
	x.Modes = append(slices.Clone(x.Modes), mode)
	return x
}

// Since limits an expectation to Kubernetes from this minor on, such as "1.36", or from a patch, such as "1.35.4".
func (x Expectation) Since(release string) Expectation {
	x.SinceRelease = release
	return x
}

// Before limits an expectation to Kubernetes before this minor, or before a patch.
func (x Expectation) Before(release string) Expectation {
	x.BeforeRelease = release
	return x
}

// Needing limits an expectation to clusters that have a feature.
func (x Expectation) Needing(feature string) Expectation {
	x.Needs = feature
	return x
}

// ByClients says that the scenario's steps found a fact out by requests of their own, not from the API.
func (x Expectation) ByClients() Expectation {
	x.Evidence = FromClients
	return x
}

// Counting says that a fact is a number of available pods. A pod that turned unready for want of a processor is then not held
// against the cluster, if that was since the last scaling of a ReplicaSet or, for [FewestAvailable], since the rollout began.
func (x Expectation) Counting(pods Counting) Expectation {
	x.Counts = pods
	return x
}

// A Counting says what a fact counts.
type Counting string

// The countings.
const (
	AvailablePods   Counting = "available"        // when it was noted
	FewestAvailable Counting = "fewest-available" // since the rollout began
)

// Nodes selects nodes of a cluster by whether they were disrupted.
type Nodes string

// The selections; a client outside the cluster counts as on one of the others.
const (
	DisruptedNodes Nodes = "disrupted"
	OtherNodes     Nodes = "others"
)

// FromClients is the Evidence of an expectation whose fact was found out by requests.
const FromClients = "clients"
