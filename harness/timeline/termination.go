package timeline

import (
	"maps"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A Termination is the deletion of one old pod as the clients on one node see it: the unit that is drawn anew each time,
// however many requests a node sends meanwhile.
type Termination struct {
	Pod, Node string
	Lost      int           // requests from the node that failed and that it may have cost
	Certain   int           // of those, the ones that no other termination can have cost
	Observed  bool          // the node's rules were, so that Needed is known
	Needed    time.Duration // how long the pod had to serve on for the node's rules, see [Timeline.NeededDrains]
	Margin    *Elapsed      // from when the node's rules left the pod out until its process ended; nil: not seen

	window Window        // in which the node's new connections may have been sent to the pod
	until  time.Duration // from when on no request from anywhere is sent to it
}

// Terminations lists, by pod and node, the old pods that were deleted during the rollout, for each node from which clients
// with new connections sent requests then.
//
// A failed request is a termination's if it was sent to that pod: as its reply, the pods' logs or its keep-alive connection
// say. Of a request that never arrived nobody knows the pod. It may be that of any termination in whose window it was sent:
// from the deletion until the node's rules stopped routing to the pod; where they were not seen, until staleRouting after
// the pod was gone. If it was sent in no window, it may be that of any pod which was ending.
func (t Timeline) Terminations() []Termination {
	all := t.terminations()
	on := make(map[string][]*Termination) // a node
	for i := range all {
		on[all[i].Node] = append(on[all[i].Node], &all[i])
	}
	for _, lane := range t.ServiceLanes() {
		for _, h := range lane.Failed {
			its, certain := t.behind(h, on[lane.Node])
			for _, x := range its {
				x.Lost++
				if certain {
					x.Certain++
				}
			}
		}
	}
	return all
}

// behind lists which terminations on its node may have cost a failed request, and whether the only one of them did.
func (t Timeline) behind(h Hit, node []*Termination) (its []*Termination, certain bool) {
	by := reached(h)
	if h.Routed.Routing == RoutedNowhere {
		return nil, false
	}
	var ending []*Termination
	for _, x := range node {
		switch {
		case x.Pod == by.Pod && t.isOld(by.Version), by.Pod == "" && x.window.Touches(h.Sent, h.Sent):
			its = append(its, x)
		case by.Pod == "" && x.window.From <= h.Sent && h.Sent <= x.until:
			ending = append(ending, x)
		}
	}
	if len(its) == 0 {
		return ending, false
	}
	certain = len(its) == 1 && (by.Pod != "" || len(ending) == 0 || its[0].window.surelyHolds(h.Sent))
	return its, certain
}

// terminations are those of [Timeline.Terminations], without what they lost.
func (t Timeline) terminations() (all []Termination) {
	begun, ok := t.Mark(evidence.RolloutBegun)
	if !ok {
		return nil
	}
	lanes := t.LanesWhere(evidence.LaneKind.FollowsRules)
	for _, l := range t.lives {
		old := t.olds[l.Pod]
		deleted, ok := old.first(evidence.PodDeleting, nil)
		if !ok || deleted.At < begun {
			continue
		}
		window := Window{From: deleted.At - t.watchLag(deleted.At), To: never}
		if e, over := old.first(evidence.PodGone, nil); over {
			window.To = e.At + staleRouting
		}
		sent := map[string]bool{} // from which node
		for _, lane := range lanes {
			if s := lane.Summary; s.Requests > 0 && s.FirstSent <= deleted.At && deleted.At <= s.LastSent {
				sent[lane.Node] = true
			}
		}
		for _, node := range slices.Sorted(maps.Keys(sent)) {
			all = append(all, t.termination(old, node, window))
		}
	}
	return all
}

// termination is that of an old pod as the clients of a node see it, of which the rules may have stopped routing to the pod in the window.
func (t Timeline) termination(old *life, node string, window Window) Termination {
	window.Uncertainty = t.clocks[node].uncertainty
	x := Termination{Pod: old.Pod, Node: node, window: window, until: window.To}
	for _, r := range t.routesOf(old.Pod) {
		if r.Node == node && r.left {
			x.Observed, x.Needed = true, r.needed
		}
		if r.Node == node && r.stopped {
			x.window.To = max(window.From, r.to.At)
			x.window.Uncertainty += t.clocks.told(node, 0).Since(r.to.AsNoted()).Uncertainty
			if end, seen := old.last(evidence.PodExited, evidence.PodKilled, evidence.PodStarted); seen && end.Kind != evidence.PodStarted {
				x.Margin = new(t.noted(end).Since(r.to))
			}
		}
	}
	return x
}
