package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// Limits of trust. None of them is normative for clusters: they say when the harness itself was
// too slow, sent too little or saw too little to blame the cluster.
const (
	// trustedPercent is the least percentage of the rate asked that must have been sent.
	trustedPercent = 99
	// trustedLag is the highest p99 of Sent-Due. Above it hits are counted in phases and outages
	// that they do not belong to: an outage worth finding (a node's stale rules, an undrained pod) takes
	// from tens to hundreds of milliseconds. It also holds for the client on the host, which is
	// the machine most likely to be busy.
	trustedLag = 100 * time.Millisecond
	// trustedStall is how late any request may be sent. A client that was stopped for longer did not
	// see what happened meanwhile, however few of its requests that concerns.
	trustedStall = time.Second
	// trustedSilence is how long after load-begun a lane may send its first request, and how long before
	// load-ended its last. The rate alone does not show that a client died. It is generous because the
	// marks include a round trip to every agent and its requests in flight.
	trustedSilence = 5 * time.Second
	// trustedConntrack is how full a node's connection table may be, in permille. A full one drops packets
	// of new connections, whatever the rollout does.
	trustedConntrack = 900
)

// failuresAndLatencies are doubtful if something else than the rollout may have made requests fail or slow.
var failuresAndLatencies = []evidence.Subject{evidence.AboutFailures, evidence.AboutLatencies}

// distrust lists why parts of the recording cannot be trusted, the most fundamental reason first.
func distrust(run evidence.Run, tl timeline.Timeline) (reasons []Reason) {
	reasons = slices.Concat(recorded(run), unfinished(tl), contradictions(tl), blindness(tl))
	if run.Unloaded {
		return reasons
	}
	reasons = slices.Concat(reasons, missingMarks(tl), fullNodes(tl), unreadyNodes(tl), hostFaults(tl), answeredElsewhere(tl), agentsAway(tl))
	if len(tl.Lanes) == 0 {
		reasons = append(reasons, reason(reasonNoLanes, evidence.Scope{}, "the run has 0 lanes"))
	}
	if run.Measures { // it measures the nodes' rules, for which clients may be late
		return reasons
	}
	var delays []Reason
	for _, lane := range tl.LanesWhere(laneKinds[AllLanes]) {
		reasons = append(reasons, weakLoad(lane, tl)...)
		delays = append(delays, delayed(lane, tl)...)
	}
	return slices.Concat(reasons, earlyDamage(tl), delays)
}

func reason(id string, scope evidence.Scope, format string, values ...any) Reason {
	because := fmt.Sprintf(format, values...)
	return Reason{ID: id, Brief: because, Because: because, Scope: scope}
}

// unfinished returns a reason if what a user did, or the rollout that it began, did not come to its end: nobody knows what the rest costs.
func unfinished(tl timeline.Timeline) []Reason {
	why, is := tl.Fact(evidence.Unfinished)
	if !is {
		return nil
	}
	return []Reason{reason(evidence.NeverSettled, evidence.Scope{}, "%s", why.Detail)}
}

// contradictions returns a reason for each problem of the timeline, with the file that has it.
func contradictions(tl timeline.Timeline) (reasons []Reason) {
	for _, p := range tl.Problems {
		r := Reason{ID: reasonContradiction, Brief: p.File + " is damaged or contradicts itself", Because: p.Text, Scope: p.Scope}
		if p.Damage {
			r.ID = reasonDamagedFile
		}
		reasons = append(reasons, r)
	}
	return reasons
}

func markMissing(kind evidence.EventKind) string { return fmt.Sprintf("mark %q is missing", kind) }

func missingMarks(tl timeline.Timeline) (reasons []Reason) {
	for _, kind := range tl.PhaseMarks() {
		if _, ok := tl.Mark(kind); !ok {
			reasons = append(reasons, reason(reasonMissingMark, evidence.Scope{Marks: []evidence.EventKind{kind}}, "%s", markMissing(kind)))
		}
	}
	return reasons
}

func blindness(tl timeline.Timeline) []Reason {
	var reasons []Reason
	for _, e := range tl.Doubts() {
		switch e.Kind {
		case evidence.WatchGap:
			scope := evidence.Scope{Missed: []evidence.Subject{evidence.AboutAPI, evidence.AboutMarks, evidence.AboutFacts}}
			if tl.Expected(reasonWatchBlind, "", e.At) { // such a scenario does not take its facts from the watch
				scope.Missed = []evidence.Subject{evidence.AboutAPI}
			}
			r := reason(reasonWatchBlind, scope, "a watch was blind until %s (%s)", phrase.Seconds(e.At), e.Detail)
			r.Excused, r.Retry = excuseAll(blind(e.At), tl)
			reasons = append(reasons, r)
		case evidence.RecorderLost:
			id, scope := lostRecorder(e)
			if tl.Expected(id, cmp.Or(e.Object, e.By.Node), e.At) {
				continue
			}
			reasons = append(reasons, reason(id, scope, "a recorder was lost at %s (%s)", phrase.Seconds(e.At), e.Detail))
		}
	}
	return reasons
}

// lostRecorder returns the reason and scope for a lost recorder: the observer of a node's rules, or the reader of a pod's log.
func lostRecorder(e evidence.Event) (id string, scope evidence.Scope) {
	if e.Object != "" {
		return evidence.ObserverLost, evidence.Scope{Missed: []evidence.Subject{evidence.AboutNodeRules}, Nodes: []string{e.Object}}
	}
	return reasonPodLogLost, evidence.Scope{Missed: []evidence.Subject{evidence.AboutArrivals, evidence.AboutPodSteps}}
}

// fullNodes returns a reason for each node whose connection table was too full: it may have dropped requests, whatever the rollout did.
func fullNodes(tl timeline.Timeline) (reasons []Reason) {
	scope := evidence.Scope{Doubted: failuresAndLatencies}
	for _, load := range tl.NodeLoads() {
		if load.Conntrack > trustedConntrack {
			reasons = append(reasons, reason(reasonFullConntrack, scope, "the connection table of %s held %s, over %d %%",
				load.Node, load.Entries, trustedConntrack/10))
		}
	}
	return reasons
}

// unreadyNodes returns a reason for each node that became unready: pods that fail with their node are not the rollout's doing.
func unreadyNodes(tl timeline.Timeline) []Reason {
	var reasons []Reason
	for _, e := range tl.Doubts() {
		if e.Kind == evidence.NodeUnready && !tl.Expected(reasonNodeUnready, e.Object, e.At) {
			scope := evidence.Scope{Nodes: []string{e.Object}, Doubted: []evidence.Subject{evidence.AboutFailures, evidence.AboutLatencies,
				evidence.AboutAPI, evidence.AboutNodeRules, evidence.AboutPodSteps}}
			reasons = append(reasons, reason(reasonNodeUnready, scope, "node %s was not ready at %s", e.Object, phrase.Seconds(e.At)))
		}
	}
	return reasons
}

// busiest says how busy a node was, which may explain why its client was late; empty when that was not seen.
func busiest(node string, tl timeline.Timeline) string {
	for _, load := range tl.NodeLoads() {
		if load.Node != node || len(load.Busy) == 0 {
			continue
		}
		stolen := ""
		if load.Stolen > 0 {
			stolen = fmt.Sprintf("; other machines of its host took %d %% at most", load.Stolen/10)
		}
		return fmt.Sprintf(" (its node's processors were %d %% busy half of the time, %d %% at most%s)",
			timeline.Percentile(load.Busy, 50)/10, timeline.Percentile(load.Busy, 100)/10, stolen)
	}
	return ""
}

// weakLoad returns the reasons of a lane with missing requests. The requests that it sent can be trusted.
func weakLoad(lane timeline.Lane, tl timeline.Timeline) (reasons []Reason) {
	scope := evidence.Scope{Missed: evidence.Requests(), Lanes: []string{lane.ID}}
	if lane.Summary.Requests == 0 {
		return []Reason{reason(reasonEmptyLane, scope, "%s: lane %q has 0 hits", evidence.HitsFile, lane.ID)}
	}
	if lane.Rate <= 0 || lane.Summary.Rate*100 < float64(lane.Rate*trustedPercent) { // the rate is 0 where it could not be measured
		reasons = append(reasons, reason(reasonUnderRate, scope, "%s, under %d %%", rate(lane), trustedPercent))
	}
	if begun, ok := tl.Mark(evidence.LoadBegun); ok && lane.Summary.FirstSent-begun > trustedSilence {
		reasons = append(reasons, reason(reasonSilentAgent, scope, "%s sent its first request %s after the load began",
			lane.ID, phrase.Seconds(lane.Summary.FirstSent-begun)))
	}
	if ended, ok := tl.Mark(evidence.LoadEnded); ok && ended-lane.Summary.LastSent > trustedSilence+awaitedLast(tl) {
		reasons = append(reasons, reason(reasonSilentAgent, scope, "%s sent its last request %s before the load ended",
			lane.ID, phrase.Seconds(ended-lane.Summary.LastSent)))
	}
	return reasons
}

// awaitedLast returns how long the load awaited replies once no client sent any more.
func awaitedLast(tl timeline.Timeline) time.Duration {
	var sent, over time.Duration
	for _, lane := range tl.Lanes {
		sent, over = max(sent, lane.Summary.LastSent), max(over, lane.Summary.LastEnd)
	}
	return max(0, over-sent)
}

// delayed returns the reasons of a lane whose client was late. Its requests may have timed out, and its node's rules may have changed
// late, because of that; the replies are as recorded.
func delayed(lane timeline.Lane, tl timeline.Timeline) (reasons []Reason) {
	scope := evidence.Scope{Missed: evidence.Requests(), Doubted: failuresAndLatencies, Lanes: []string{lane.ID}}
	if lane.Node != "" {
		scope.Doubted, scope.Nodes = append(scope.Doubted, evidence.AboutNodeRules), []string{lane.Node}
	}
	if lag := lane.Summary.Lag.P99; lag > trustedLag {
		r := reason(reasonLateLane, scope, "%s sent 1 %% of its requests %s late or later, over %s",
			lane.ID, phrase.Seconds(lag), phrase.Seconds(trustedLag))
		r.Because += busiest(lane.Node, tl)
		reasons = append(reasons, r)
	}
	if lag := lane.Summary.Lag.Max; lag > trustedStall {
		reasons = append(reasons, reason(reasonStalledLane, scope, "%s sent a request %s late, over %s",
			lane.ID, phrase.Seconds(lag), phrase.Seconds(trustedStall)))
	}
	return reasons
}

// failedBefore reports whether a request failed before a moment, and not because of what began then, which cuts requests in flight. Of one
// that timed out it is not known when it was lost: the moment at which it was sent counts.
func failedBefore(h timeline.Hit, moment time.Duration) bool {
	return h.End() < moment || h.Sent < moment && h.Fault == evidence.Timeout
}

// earlyDamage returns reasons for failures that the rollout cannot have caused: those before it, and those on a control
// lane, which does not go through kube-proxy.
func earlyDamage(tl timeline.Timeline) (reasons []Reason) {
	var early []timeline.Hit
	begun, changed := tl.Mark(evidence.RolloutBegun)
	for _, h := range timeline.Failed(tl.LanesWhere(laneKinds[AllLanes])) {
		if (!changed || failedBefore(h, begun)) && !h.Fault.OfHost() {
			early = append(early, h)
		}
	}
	scope := evidence.Scope{Missed: []evidence.Subject{evidence.AboutFailures}, Doubted: failuresAndLatencies}
	for _, damage := range []struct {
		id     string
		failed []timeline.Hit
		where  string
		sent   func(timeline.LaneSummary) int // requests of a lane that might also have failed; if inexact, too few
	}{
		{reasonEarlyFailures, early, "before any change", func(s timeline.LaneSummary) int { return s.Requests - s.SinceBegun }},
		{reasonControlFailures, unexpected(timeline.Failed(tl.LanesWhere(evidence.LaneKind.IsControl)), tl),
			"on the control lane, which no rollout touches", func(s timeline.LaneSummary) int { return s.SinceBegun }},
	} {
		if len(damage.failed) > 0 {
			r := reason(damage.id, scope, "%s failed (%s) %s", phrase.Count(len(damage.failed), "request"), kinds(damage.failed), damage.where)
			r.Because = Finding{}.withTexts([]string{r.Because}, describeHits(damage.failed, len(damage.failed), tl).facts...).Because
			r.Excused, r.Retry = excuseAll(failures(args{tl: tl}, damage.failed), tl)
			r.Base = baseLoss(tl, damage.failed, damage.sent)
			reasons = append(reasons, r)
		}
	}
	return reasons
}

// unexpected returns the failed hits of control lanes that no disruption explains: not on its nodes, to pods there, or to an address that
// such a pod lost.
func unexpected(failed []timeline.Hit, tl timeline.Timeline) []timeline.Hit {
	from := map[string]evidence.Lane{}
	lost := map[string]time.Duration{}
	for _, lane := range tl.Lanes {
		from[lane.ID] = lane.Lane
		if since, ok := tl.LostAddress(lane); ok && tl.Expected(reasonControlFailures, lane.TargetNode, since) {
			lost[lane.ID] = since
		}
	}
	return slices.DeleteFunc(failed, func(h timeline.Hit) bool {
		lane := from[h.Lane]
		if since, ok := lost[h.Lane]; ok && h.Sent >= since {
			return true
		}
		return tl.Expected(reasonControlFailures, lane.Node, h.Sent) || tl.Expected(reasonControlFailures, lane.TargetNode, h.Sent)
	})
}
