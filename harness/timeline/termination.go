package timeline

import (
	"cmp"
	"math"
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
		case x.Pod == by.Pod && t.isOld(by.Version), by.Pod == "" && x.window.holds(h.Sent):
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

// holds reports whether a moment is in the window, as far as can be told.
func (w Window) holds(at time.Duration) bool {
	return w.From-w.Uncertainty <= at && at-w.Uncertainty <= w.To
}

func (w Window) surelyHolds(at time.Duration) bool {
	return w.From+w.Uncertainty <= at && at+w.Uncertainty <= w.To
}

// terminations are those of [Timeline.Terminations], without what they lost.
func (t Timeline) terminations() (all []Termination) {
	begun, ok := t.Mark(evidence.RolloutBegun)
	if !ok {
		return nil
	}
	needed := make(map[PodLag]time.Duration)
	for _, l := range t.neededDrains() {
		needed[PodLag{Pod: l.Pod, Node: l.Node}] = l.Lag.Length + l.Lag.Uncertainty
	}
	uncertainty := make(map[string]time.Duration) // of the clocks of nodes with such clients
	for _, lane := range t.LanesWhere(evidence.LaneKind.FollowsRules) {
		uncertainty[lane.Node] = lane.uncertainty
	}
	for pod, l := range t.olds {
		deleted, ok := l.first(evidence.PodDeleting, nil)
		if !ok || deleted.At < begun {
			continue
		}
		from, until := deleted.At-t.watchLag(deleted.At), time.Duration(math.MaxInt64)
		if e, over := l.first(evidence.PodGone, nil); over {
			until = e.At + staleRouting
		}
		for node, of := range uncertainty {
			if !t.sentFrom(node, deleted.At) {
				continue
			}
			x := Termination{Pod: pod, Node: node, until: until}
			x.Needed, x.Observed = needed[PodLag{Pod: pod, Node: node}]
			x.window = Window{From: from, To: until, Uncertainty: of}
			for _, e := range t.routes[pod] {
				if e.Object != node || e.Kind != evidence.RuleGone {
					continue
				}
				x.window.To = max(x.window.From, e.At)
				x.window.Uncertainty += t.clocks.between(node, e.Clock)
				if end, ended := l.ended(); ended {
					x.Margin = &Elapsed{end.At - e.At, t.clocks.between(e.Clock, end.Clock) + t.blind(e)}
				}
			}
			all = append(all, x)
		}
	}
	slices.SortFunc(all, func(a, b Termination) int { return cmp.Or(cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.Node, b.Node)) })
	return all
}

// sentFrom reports whether clients on a node were sending requests over new connections at a moment.
func (t Timeline) sentFrom(node string, at time.Duration) bool {
	return slices.ContainsFunc(t.LanesWhere(evidence.LaneKind.FollowsRules), func(l Lane) bool {
		return l.Node == node && l.Summary.Requests > 0 && l.Summary.FirstSent <= at && at <= l.Summary.LastSent
	})
}
