package evidence

import (
	"slices"
	"strings"
	"time"
)

// An Expectation is a rule of package verdict as data: the rule's permanent id and its parameters,
// and, where the answer is known to differ, the clusters it is for.
type Expectation struct {
	Rule     string        `json:"rule"`
	Versions []string      `json:"versions,omitempty"`
	From     EventKind     `json:"from,omitempty"` // moment the rule applies from
	Max      time.Duration `json:"max,omitempty"`  // nanoseconds
	Count    int           `json:"count,omitempty"`
	Percent  int           `json:"percent,omitempty"`  // 1-100
	Permille int           `json:"permille,omitempty"` // 1-1000

	Fact   string        `json:"fact,omitempty"`   // name of what the scenario found
	Counts Counting      `json:"counts,omitempty"` // what the fact is a number of, where that matters
	Values []string      `json:"values,omitempty"` // any of them will do, or all in this order, as the rule says
	Min    time.Duration `json:"min,omitempty"`    // nanoseconds
	To     EventKind     `json:"to,omitempty"`     // moment the rule applies to
	Conn   Conn          `json:"conn,omitempty"`   // lanes the rule applies to, by their connections; empty: all
	Kind   string        `json:"kind,omitempty"`   // lanes the rule applies to, by the names of their kinds; empty: all
	Lane   string        `json:"lane,omitempty"`   // of steps, by its id, that a rule about their requests applies to
	Nodes  Nodes         `json:"nodes,omitempty"`  // lanes the rule applies to, by the nodes of their clients; empty: all
	// Scales says that the bounds come from the app's times, and grow with them; false: with nothing.
	Scales bool `json:"scales,omitempty"`

	Modes         []string `json:"modes,omitempty"`  // proxy modes it is for; empty: all
	SinceRelease  string   `json:"since,omitempty"`  // first Kubernetes minor it is for, such as "1.36"; empty: all
	BeforeRelease string   `json:"before,omitempty"` // first Kubernetes minor it is no longer for

	// Certain says that what a precondition asks for is sure to be seen here, by the arithmetic that the scenario gives: too little
	// of it is a failure, and no sign of a blind harness.
	Certain bool `json:"certain,omitempty"`

	// Evidence is what the scenario found a fact out by, where that was not the API alone: "clients".
	Evidence string `json:"evidence,omitempty"`
	// Claims are the seed claims, such as "C5", or parts of them, such as "C5.before", that hold or not by this rule.
	Claims []string `json:"decides,omitempty"`
}

// Decides has seed claims, such as "C5", or parts of them, such as "C5.before", hold or not by the expectation, beside those named
// before: a scenario in which it was not judged does not cover them.
func (x Expectation) Decides(claims ...string) Expectation {
	x.Claims = slices.Concat(x.Claims, claims)
	return x
}

// ClaimOf is the seed claim that a part is of: C5 of C5.before.
func ClaimOf(part string) string {
	id, _, _ := strings.Cut(part, ".")
	return id
}

// Surely has a precondition fail, and so decide claims, where what it asks for is not seen.
func (x Expectation) Surely() Expectation {
	x.Certain = true
	return x
}

// On limits an expectation to lanes with such connections.
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

// Until limits an expectation that counts from a mark to what was sent before another mark.
func (x Expectation) Until(mark EventKind) Expectation {
	x.To = mark
	return x
}

// Scaled has the bounds grow with what the cluster takes to start pods and write rules, as the times of the app do. It is for
// bounds that come from those times, and neither for what the scenario itself makes last nor for one that a claim states.
func (x Expectation) Scaled() Expectation {
	x.Scales = true
	return x
}

// In limits an expectation to clusters with this proxy mode, and those named before.
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

// ByClients says that the scenario's steps found a fact out by requests of their own, and not from the API.
func (x Expectation) ByClients() Expectation {
	x.Evidence = FromClients
	return x
}

// Counting says that a fact is how many pods are available: of how many turned unready since a ReplicaSet was given a size last, or, if
// it counts the fewest there were, since the rollout began, one that got no processor is not held against the cluster.
func (x Expectation) Counting(pods Counting) Expectation {
	x.Counts = pods
	return x
}

// Counting is what a fact is a number of.
type Counting string

// What facts count.
const (
	AvailablePods   Counting = "available"        // when it was noted
	FewestAvailable Counting = "fewest-available" // since the rollout began
)

// Nodes are some of a cluster's, by whether a disruption was done to them.
type Nodes string

// Nodes; a client outside the cluster is on another.
const (
	DisruptedNodes Nodes = "disrupted"
	OtherNodes     Nodes = "others"
)

// FromClients is the evidence of a fact that was found out by requests.
const FromClients = "clients"
