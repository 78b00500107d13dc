package timeline

import (
	"maps"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A Termination is the deletion of one old pod as the clients on one node see it. It is one independent trial,
// however many requests the node sends meanwhile.
type Termination struct {
	Pod, Node string
	Lost      int           // failed requests from the node that it may have caused
	Certain   int           // of Lost, the ones that no other termination can have caused
	Observed  bool          // the node's rules were observed, so that Needed is known
	Needed    time.Duration // how long the pod had to keep serving for the node's rules, see [Timeline.NeededDrains]
	Margin    *Elapsed      // from when the node's rules stopped routing to the pod until its process ended; nil: not seen

	window Window        // in which the node's new connections may have been routed to the pod
	until  time.Duration // after that, no node routes a request to the pod
}

// Terminations lists, by pod and node, the old pods that were deleted after the rollout began, for each node from which clients
// with new connections sent requests then.
//
// A failed request belongs to a termination if it was sent to that pod, as its reply, the pods' logs, its routing or its
// keep-alive connection show. If nothing shows the pod, it may belong to any termination in whose window it was sent: from the
// deletion until the node's rules stopped routing to the pod or, if that was not seen, until staleRouting after the pod was gone.
// If it was sent in no window, it may belong to any termination that was not over everywhere.
func (t Timeline) Terminations() []Termination {
	all := t.terminations()
	on := make(map[string][]*Termination) // by node
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

// behind returns which terminations on its node may have caused a failed request, and whether the only one of them certainly did.
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

func (t Timeline) terminations() (all []Termination) {
	begun, ok := t.Mark(evidence.RolloutBegun)
	if !ok {
		return nil
	}
	lanes := t.LanesWhere(evidence.LaneKind.FollowsRules)
	for _, p := range t.Pods {
		old := t.olds[p.Pod]
		deleted, ok := old.first(evidence.PodDeleting, nil)
		if !ok || deleted.At < begun {
			continue
		}
		window := Window{From: deleted.At - t.watchLag(deleted.At), To: never}
		if e, over := old.first(evidence.PodGone, nil); over {
			window.To = e.At + staleRouting
		}
		sent := map[string]bool{} // by node
		for _, lane := range lanes {
			away := func(a evidence.Absence) bool { return a.Since <= deleted.At && deleted.At < a.Until }
			if s := lane.Summary; s.Requests > 0 && s.FirstSent <= deleted.At && deleted.At <= s.LastSent &&
				!slices.ContainsFunc(lane.Absences, away) {
				sent[lane.Node] = true
			}
		}
		for _, node := range slices.Sorted(maps.Keys(sent)) {
			all = append(all, t.termination(old, node, window))
		}
	}
	return all
}

// termination returns the termination of an old pod for the clients on a node. Its window ends earlier if the node's rules stopped
// routing to the pod.
func (t Timeline) termination(old *Pod, node string, window Window) Termination {
	window.Uncertainty = t.clocks[node].uncertainty
	x := Termination{Pod: old.Pod, Node: node, window: window, until: window.To}
	for _, r := range t.routesOf(old.Pod) {
		if r.Node == node && r.left {
			x.Observed, x.Needed = true, r.needed
		}
		if r.Node == node && r.stopped {
			x.window.To = max(window.From, r.to.At)
			x.window.Uncertainty += t.clocks.timeOn(node, 0).Since(r.to.AsNoted()).Uncertainty
			if end, seen := old.last(evidence.PodExited, evidence.PodKilled, evidence.PodStarted); seen && end.Kind != evidence.PodStarted {
				x.Margin = new(t.noted(end).Since(r.to))
			}
		}
	}
	return x
}
