package timeline

import (
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A lost is a request without a good reply, and what is known of where it went.
type lost struct {
	Hit
	t    *Timeline
	lane *Lane

	pod    *Pod // that it went to; nil: none, or not known
	source PodSource
	phase  PodPhase // of the pod when it was sent
	ending bool     // the pod was being deleted, or so soon after that it may have been

	unserved bool      // no pod of the app could answer when it was sent, or none was a ready endpoint
	listed   bool      // one had become an endpoint so short a time before that rules need not have followed
	rules    routingOf // of the client's node, for new connections

	row       *stageRow
	condition PodCondition
	since     Change
}

// A routingOf says to which pods the rules of a node route.
type routingOf uint8

const (
	rulesUnseen routingOf = iota
	rulesNone             // to none
	rulesStale            // among others to one after its SIGTERM
	rulesLive             // to pods that serve
)

// A Proof is how a part of a cause is known. The set is closed.
type Proof string

// The proofs.
const (
	ProofFault       Proof = "fault"               // what the client saw is enough
	ProofReply       Proof = "reply"               // the reply names the pod, or has the status
	ProofLog         Proof = "pod-log"             // the pod logged the request
	ProofConntrack   Proof = "connection-tracking" // of the client's node
	ProofConnection  Proof = "kept-connection"     // the pod had answered on the same connection before
	ProofElimination Proof = "elimination"         // of the pods that were being deleted, no other can have failed it
	ProofEndpoints   Proof = "endpoints"           // no pod could answer, as the API shows
	ProofRules       Proof = "node-rules"          // of the client's node
	ProofNone        Proof = "none"
)

// proof returns how it is known where the request went.
func (l *lost) proof() Proof {
	switch {
	case l.pod != nil:
		return map[PodSource]Proof{ByReply: ProofReply, ByLog: ProofLog, ByConntrack: ProofConntrack, ByConnection: ProofConnection,
			ByElimination: ProofElimination}[l.source]
	case l.row.Stage == StageUnknown:
		return ProofNone
	case l.Routed.Routing != RoutingUnknown:
		return ProofConntrack
	case l.Status != 0:
		return ProofReply
	case l.Fault.OfHost(), l.Fault == evidence.Unreachable:
		return ProofFault
	case l.unserved && l.condition == ConditionNone:
		return ProofEndpoints
	case l.condition == ConditionNone, l.condition == ConditionTerminating:
		return ProofRules
	default:
		return ProofFault
	}
}

// lostOn lists the failed requests of some lanes, by time sent, each with its stage and the condition of its pod.
func (t *Timeline) lostOn(lanes []Lane) (all []*lost) {
	unserved, observed, stale := append(t.NoneServing(), t.noReadyEndpoints()...), t.Observed(), t.StaleRules()
	if t.HostAlone || t.Unwatched {
		unserved = nil
	}
	for i := range lanes {
		for _, h := range lanes[i].Failed {
			l := &lost{Hit: h, t: t, lane: &lanes[i], unserved: lanes[i].SentIn(h, unserved) == Yes}
			l.listed = slices.ContainsFunc(unserved, func(w Window) bool { return w.To <= h.Sent && h.Sent <= w.To+staleRouting })
			if l.lane.Kind().FollowsRules() && slices.Contains(observed, l.lane.Node) {
				l.rules = t.rulesFor(h, l.lane.Node, stale)
			}
			if p, source := t.ServedAccordingTo(h); source != NoSource {
				l.pod, l.source = &p, source
				l.phase, _ = t.PhaseOf(p, h)
				l.ending = l.phase >= PodDeleting || (l.Status == 0 || l.dropped()) && endsIn(p, Window{From: h.Sent, To: l.told()})
			}
			l.setCondition()
			l.row = stageOf(l)
			all = append(all, l)
		}
	}
	slices.SortStableFunc(all, func(a, b *lost) int { return BySent(a.Hit, b.Hit) })
	return all
}

// rulesFor returns to which pods an observed node's rules routed while a request was under way.
func (t *Timeline) rulesFor(h Hit, node string, stale []StaleRule) routingOf {
	switch {
	case t.node(node).leastRouted(Window{From: h.Sent, To: h.End()}) == 0:
		return rulesNone
	case slices.ContainsFunc(stale, func(s StaleRule) bool { return s.Node == node && s.Touches(h.Sent, h.End()) }):
		return rulesStale
	default:
		return rulesLive
	}
}

// tooFew reports whether a ready pod refused the request for being busy (503, or 429), while at most half as many pods were ready as when
// the rollout began.
func (l *lost) tooFew() bool {
	const busy, unavailable = 429, 503
	return l.pod != nil && (l.Status == busy || l.Status == unavailable) && l.phase == PodServing &&
		2*l.t.readyAt(l.Sent) <= l.t.readyAt(l.t.begun())
}

// gateway reports whether the reply is one by which a proxy says that what it asked failed.
func (l *lost) gateway() bool {
	const bad, unavailable, timeout = 502, 503, 504
	return l.Status == bad || l.Status == timeout || l.Status == unavailable && l.t.fronted
}

// dropped reports whether the connection, or its stream on that, ended before the reply was whole.
func (l *lost) dropped() bool {
	return slices.Contains([]evidence.Fault{evidence.Reset, evidence.Closed, evidence.Truncated, evidence.StreamReset}, l.Fault)
}

// streamed reports whether a part of a stream had come.
func (l *lost) streamed() bool { return l.FirstMicros > 0 || l.Fault == evidence.Truncated }

// opened reports whether the connection of the request is known to have been open.
func (l *lost) opened() bool {
	return l.Reused || l.Connect > 0 || l.Status != 0 || len(l.Arrivals) > 0
}

// outside reports whether the client was outside the cluster, where something may stand before the Service.
func (l *lost) outside() bool { return l.lane.Vantage == evidence.FromHost }

// unrouted reports whether the node's rules had no pod for the connection, as it or its rules show.
func (l *lost) unrouted() bool {
	switch l.Routed.Routing {
	case RoutedNowhere:
		return l.Routed.InRules == 0
	case RoutedToPod:
		return false
	default:
		return l.pod == nil && l.rules == rulesNone && !l.opened()
	}
}

// toNoPod reports whether it is known that the request went to no pod.
func (l *lost) toNoPod() bool {
	return l.Fault.OfHost() || l.Routed.Routing == RoutedNowhere || l.toNoPodsAddress() || l.unrouted() ||
		l.unserved && !l.opened() && l.Routed.Routing != RoutedToPod
}

// noEndpoint reports whether the node's rules had no pod for the connection because the Service had none for it.
func (l *lost) noEndpoint() bool {
	switch {
	case l.pod != nil || !l.toNoPod() || l.toNoPodsAddress():
		return false
	case l.unserved:
		return true
	default:
		return l.unrouted() && (l.listed || l.t.nodeLocal)
	}
}

// onTheWay reports whether packets of the request were lost on their way to a pod.
func (l *lost) onTheWay() bool {
	return l.Routed.Routing == RoutedNowhere || l.unrouted() || l.Fault == evidence.Unreachable && !l.over() ||
		l.Status == 0 && l.Fault != evidence.Refused && l.nodeDown()
}

// toStaleEndpoint reports whether the node's rules led to a pod that listened no more since it was deleted, or to an address of no pod.
func (l *lost) toStaleEndpoint() bool {
	switch {
	case l.opened():
		return false
	case l.pod == nil:
		return l.toNoPodsAddress() || l.byStaleRule()
	case !l.ending || l.condition == ConditionOther || l.leftLate():
		return false
	default:
		return l.Fault == evidence.Refused || l.dropped() || l.over()
	}
}

// byStaleRule reports whether the node's rules also led to a pod after its SIGTERM, which alone can have failed a new connection.
func (l *lost) byStaleRule() bool {
	return l.Routed.Routing == RoutingUnknown && l.rules == rulesStale && !l.opened() && l.Status == 0
}

// noticed is how much later than the request that it made fail a change may be noted, beside what the API server was slow by: the watch
// tells of it on its way to the node and back. Our own choice, below the second in which rules follow.
const noticed = 500 * time.Millisecond

// told returns until when the watch has told of what had happened by the end of the request.
func (l *lost) told() time.Duration { return l.End() + noticed + l.t.watchLag(l.End()) }

// over reports whether the pod's process had ended before the end of the request, as far as the watch can have told.
func (l *lost) over() bool {
	if l.pod == nil {
		return false
	}
	by := l.told()
	return l.pod.at(by).Phase >= PodExited || slices.ContainsFunc(l.pod.Events, func(e evidence.Event) bool {
		return e.Kind == evidence.ContainerEnded && e.At <= by
	})
}

// nodeDown reports whether the node of the pod was not ready when the request was sent, or booted, or was disrupted.
func (l *lost) nodeDown() bool {
	if l.pod == nil {
		return false
	}
	history, by := l.t.node(l.pod.Node).history, l.told()
	unready := func(w Window) bool { return w.Touches(l.Sent, by) }
	boots := func(s Step) bool { return s.What == evidence.Booted && l.Sent <= s.At && s.At <= by }
	return slices.ContainsFunc(history.Unready, unready) || slices.ContainsFunc(history.Changes, boots) || l.t.disrupts(l.pod.Node, l.Sent)
}

// disrupts reports whether a node was disrupted at a moment.
func (t *Timeline) disrupts(node string, at time.Duration) bool {
	w, is := t.Maintenance()
	return is && t.Disruption != nil && slices.Contains(t.Disruption.Nodes, node) && w.Touches(at, at)
}

// leftLate reports whether the pod's endpoint stayed ready for longer after its deletion than controllers take: it is one that is published
// whether its pod is ready or not.
func (l *lost) leftLate() bool {
	var deleted time.Duration
	for _, e := range l.pod.Events {
		if e.Kind == evidence.PodDeleting && e.At <= l.told() {
			deleted = e.At
		}
	}
	_, listed := l.pod.first(evidence.EndpointReady, nil)
	_, left := l.pod.first(evidence.EndpointNotReady, func(e evidence.Event) bool {
		return deleted-routesFollow <= e.At && e.At <= deleted+routesFollow
	})
	return deleted > 0 && listed && !left
}
