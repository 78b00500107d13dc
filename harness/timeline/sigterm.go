package timeline

import (
	"rollcall/harness/evidence"
)

// sigterms maps each pod to when SIGTERM reached its process, the last time if it restarted.
func (t Timeline) sigterms() map[string]evidence.Event {
	sigterms := map[string]evidence.Event{}
	for _, e := range t.Events {
		if e.Kind == evidence.PodSigterm {
			sigterms[e.By.Pod] = e
		}
	}
	return sigterms
}

// SigtermsSeen reports whether the SIGTERM of every old pod whose endpoint left ready was seen.
func (t Timeline) SigtermsSeen() bool {
	sigterms := t.sigterms()
	for pod := range t.endpointRemovals() {
		if _, seen := sigterms[pod]; !seen {
			return false
		}
	}
	return true
}

// SigtermMargins lists, by pod and node, how long before each old pod's SIGTERM the node's rules stopped routing to it;
// negative when they did so afterwards.
func (t Timeline) SigtermMargins() []PodLag {
	removed, sigterms := t.endpointRemovals(), t.sigterms()
	margins := make(map[PodLag]Elapsed)
	for _, e := range t.Events {
		_, left := removed[e.By.Pod]
		sigterm, seen := sigterms[e.By.Pod]
		pair := PodLag{Pod: e.By.Pod, Node: e.Object}
		switch {
		case left && seen && e.Kind == evidence.RuleGone:
			margins[pair] = Elapsed{sigterm.At - e.At, t.clocks.between(e.Clock, sigterm.Clock) + t.unseen(e)}
		case e.Kind == evidence.RuleAdded:
			delete(margins, pair)
		}
	}
	return sortedLags(margins)
}

// ClientMargins lists, by pod and node, how long before each old pod's SIGTERM the last request was sent that reached it over a
// new connection from a pod; negative when it was sent afterwards.
func (t Timeline) ClientMargins() []PodLag {
	removed, sigterms := t.endpointRemovals(), t.sigterms()
	margins := make(map[PodLag]Elapsed)
	for _, lane := range t.LanesWhere(evidence.LaneKind.FollowsRules) {
		for pod, sent := range lane.lastTo {
			_, left := removed[pod]
			sigterm, seen := sigterms[pod]
			pair := PodLag{Pod: pod, Node: lane.Node}
			if before, known := margins[pair]; left && seen && (!known || sigterm.At-sent < before.Length) {
				margins[pair] = Elapsed{sigterm.At - sent, t.clocks.between(lane.Node, sigterm.Clock)}
			}
		}
	}
	return sortedLags(margins)
}
