package disruption

import (
	"cmp"
	"context"
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
)

// A Disruption is something that is done to a cluster under load and undone, after which the cluster has to be whole again.
type Disruption struct {
	ID    string   // kebab-case, permanent, such as "node-cut"
	Does  string   // a sentence, such as "kube-proxy of worker is restarted"
	Nodes []string // affected nodes, without the cluster's name
	// Expects lists ids of the reasons for distrust that are expected on its nodes while it lasts; see [verdict.Reasons].
	Expects []string
	// Drains says that it only cordons and drains its nodes, which the owner of an existing cluster may allow.
	Drains bool
	// After is when it begins, counted from the write that begins the rollout, or from the end of the steady load if
	// nothing is rolled out.
	After time.Duration
	Do    Act
	// Whole is how long the cluster may take to be whole again once it is undone; 0: [wholeTimeout].
	Whole time.Duration
	// AwaitWhole waits until the API shows that the cluster is whole again; nil: [AwaitWhole] does. It is for disruptions by somebody
	// else, on any cluster: no command runs on its nodes, and the Stage has no Cluster.
	AwaitWhole Act
	// RollsOut says that it is a rollout of an existing app, and not maintenance.
	RollsOut bool
	// Unjudged says that what it costs is only shown.
	Unjudged bool
	// Tail is how long the reasons in Expects may still occur once the cluster is whole; 0: [tail].
	Tail time.Duration
	// Lasts is about how long Do takes.
	Lasts time.Duration
}

// ByOthers reports whether somebody else does it: on any cluster, and only once.
func (d Disruption) ByOthers() bool { return d.AwaitWhole != nil }

// An Act does something to a cluster, undoes it and returns. If ctx ends, since the recording has, it undoes it early.
type Act func(ctx context.Context, s Stage) error

// Names of nodes, without the cluster's.
const (
	ControlPlane = cluster.ControlPlane
	Worker       = cluster.Worker
	Worker2      = cluster.Worker2
)

// A Drainable is a cluster whose nodes are drained by requests to its API server.
type Drainable interface {
	cluster.APIServer
	cluster.Topology
}

// A Stage is where a disruption takes place: a cluster, and the recording that is under way on it.
type Stage struct {
	Cluster   cluster.Changeable   // nil for disruptions by somebody else, and on an existing cluster
	Attached  Drainable            // an existing cluster, whose nodes may be drained; nil if Cluster is not
	Namespace string               // of the app
	Into      fixtures.Destination // the namespace, for functions that make objects
	App       fixtures.App
	Old       string               // version of the app when the load begins
	Note      func(evidence.Event) // records an event, now
	Expired   func() string        // says that the recording's credentials have expired; empty: they have not
	Event     evidence.Event       // that the disruption waited for; zero: none
	Seen      *observe.Objects     // of the app's namespace and the nodes, as the recording's watch last saw them; nil without a cluster
}

// Node returns a node's whole name.
func (s Stage) Node(name string) string { return s.any().NodeName(name) }

// any returns the cluster, ours or not.
func (s Stage) any() Drainable {
	if s.Attached != nil {
		return s.Attached
	}
	return s.Cluster
}

// Step records that the disruption has reached a step, on a node or, if node is empty, on none.
func (s Stage) Step(node, what string) {
	if node != "" {
		node = s.Node(node)
	}
	s.Note(evidence.Event{Kind: evidence.Step, Object: node, Detail: what})
}

// Fact records a fact for rules to judge: a name, and what was found out, such as a number or a word.
func (s Stage) Fact(name, value string) {
	s.Note(evidence.Event{Kind: evidence.Fact, Object: name, Detail: value})
}

// Limit returns how long a disruption may take until the cluster is whole.
func (d Disruption) Limit() time.Duration {
	return d.After + 2*d.Lasts + cmp.Or(d.Whole, wholeTimeout)
}

// Recorded returns the disruption for the run folder, with the whole names of its nodes.
func (d Disruption) Recorded(nodeName func(name string) string) *evidence.Disruption {
	of := &evidence.Disruption{ID: d.ID, Does: d.Does, Expects: d.Expects, Tail: cmp.Or(d.Tail, tail), Unjudged: d.Unjudged}
	for _, node := range d.Nodes {
		of.Nodes = append(of.Nodes, nodeName(node))
	}
	return of
}

// tail is the default of [Disruption].Tail: a kubelet posts its node's
// status every 10 s (nodeStatusUpdateFrequency, pkg/kubelet/apis/config/v1beta1/defaults.go, v1.37).
const tail = 10 * time.Second
