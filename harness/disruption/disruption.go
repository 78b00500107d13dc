package disruption

import (
	"cmp"
	"context"
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
)

// A Disruption is something that is done to a cluster under load and undone, after which the cluster has to be whole again.
type Disruption struct {
	ID    string   // kebab-case, permanent, such as "node-cut"
	Does  string   // what is done to what, as "kube-proxy of worker is restarted"
	Nodes []string // that it is done to, or that carry what it is done to, without the cluster's name
	// Expects are ids of the reasons for distrust that it makes expected, on its nodes and while it lasts; see [verdict.Reasons].
	Expects []string
	// Drains has it do no more than cordon and drain its nodes, which the owner of a cluster that is not ours may allow.
	Drains bool
	// After is when it begins, from the write that begins the rollout, or from the end of the steady load where nothing is
	// rolled out.
	After time.Duration
	Do    Act
	// Whole is how long the cluster may take to be whole again once it is undone; 0: [wholeTimeout].
	Whole time.Duration
	// AwaitWhole, if there is one, returns when the cluster is whole again as far as it shows. It is for what somebody else does, on
	// any cluster: no command runs on its nodes, and there is no Cluster on the Stage.
	AwaitWhole Act
	// Tail is how long what it makes expected may still be seen once the cluster is whole; 0: [tail].
	Tail time.Duration
	// Lasts is about how long Do takes, and most of what a recording of it takes.
	Lasts time.Duration
}

// ByOthers reports whether somebody else does it: on any cluster, and only once.
func (d Disruption) ByOthers() bool { return d.AwaitWhole != nil }

// An Act is done until it returns, and undone by then, also where ctx ends before. It ends early with the recording.
type Act func(ctx context.Context, s Stage) error

// Names of nodes, without the cluster's.
const (
	ControlPlane = cluster.ControlPlane
	Worker       = cluster.Worker
	Worker2      = cluster.Worker2
)

// A Stage is where a disruption takes place: a cluster, and the recording that is under way on it.
type Stage struct {
	Cluster   cluster.Changeable // nil for what is done by others, and on a cluster that is not ours
	Attached  cluster.Cluster    // one that is not ours, of which nodes may be drained; nil where Cluster is not
	Namespace string             // of the app
	App       fixtures.App
	Images    fixtures.ImageSources
	Old       string               // version of the app that is there when the load begins
	Note      func(evidence.Event) // in the recording, now
	Expired   func() string        // that the credentials of the recording have; empty: they have not
	Event     evidence.Event       // at which what is done was due; zero where it waited for none
}

// Node is a node's whole name.
func (s Stage) Node(name string) string { return s.any().NodeName(name) }

// any is the cluster, whosever it is.
func (s Stage) any() cluster.Cluster {
	if s.Attached != nil {
		return s.Attached
	}
	return s.Cluster
}

// Step notes that maintenance reached a step, on a node or on none.
func (s Stage) Step(node, what string) {
	if node != "" {
		node = s.Node(node)
	}
	s.Note(evidence.Event{Kind: evidence.Step, Object: node, Detail: what})
}

// Fact notes what was found out under a name, such as a number or a word, for rules to judge.
func (s Stage) Fact(name, value string) {
	s.Note(evidence.Event{Kind: evidence.Fact, Object: name, Detail: value})
}

// Limit bounds it from its begin until the cluster is whole.
func (d Disruption) Limit() time.Duration {
	return d.After + 2*d.Lasts + cmp.Or(d.Whole, wholeTimeout)
}

// Recorded is what the run folder says of a disruption to a cluster, by the whole names of its nodes.
func (d Disruption) Recorded(nodeName func(name string) string) *evidence.Disruption {
	of := &evidence.Disruption{ID: d.ID, Does: d.Does, Expects: d.Expects, Tail: cmp.Or(d.Tail, tail)}
	for _, node := range d.Nodes {
		of.Nodes = append(of.Nodes, nodeName(node))
	}
	return of
}

// tail is that of disruptions that say nothing else: a kubelet posts its node's
// status every 10 s (nodeStatusUpdateFrequency, pkg/kubelet/apis/config/v1beta1/defaults.go, v1.37).
const tail = 10 * time.Second
