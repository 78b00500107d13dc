package verdict

import (
	"slices"

	"example.com/rollcall/harness/evidence"
)

// An EvidenceKind is what a finding rests on.
type EvidenceKind string

// What findings rest on.
const (
	API       EvidenceKind = "api"                // what the API server and the pods' logs showed
	Clients   EvidenceKind = evidence.FromClients // what became of requests
	NodeRules EvidenceKind = "node-rules"         // the rules of the nodes, or requests counted since these had changed
)

// Weaker reports whether one kind shows less of what a cluster does to its clients than another: the API shows no requests,
// and requests show a node's rules only as they were at that moment.
func (e EvidenceKind) Weaker(than EvidenceKind) bool {
	order := []EvidenceKind{API, Clients, NodeRules}
	return slices.Index(order, e) < slices.Index(order, than)
}

// evidence returns what a finding of the rule rests on, on a cluster whose nodes' rules can be read.
func (r Rule) evidence(x Expectation) EvidenceKind {
	switch {
	case x.Evidence != "":
		return EvidenceKind(x.Evidence)
	case r.Feature == evidence.NodeRules,
		slices.Contains(slices.Concat(subjectsOf(x.From), subjectsOf(x.To)), evidence.AboutNodeRules):
		return NodeRules
	case r.Lanes != NoLanes:
		return Clients
	}
	return API
}

// fromBarrier reports whether an expectation is counted from or to the barrier, when no node's rules route to an old pod.
func fromBarrier(x Expectation) bool {
	return x.From == evidence.Barrier || x.To == evidence.Barrier
}
