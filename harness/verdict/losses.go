package verdict

import (
	"fmt"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/harness/verdict/statistics"
)

const (
	noneSent     = "no request was sent through the Service once the rollout had begun"
	noneFromPods = "no request was sent from a pod once the rollout had begun"
)

var (
	requests        = summed(func(s timeline.LaneSummary) int { return s.Requests })
	sentSinceBegun  = summed(func(s timeline.LaneSummary) int { return s.SinceBegun })
	sentSinceChange = summed(func(s timeline.LaneSummary) int { return s.SinceChange })
)

// NoFailures expects that no request through the Service fails.
func NoFailures() Expectation { return Expectation{Rule: noFailures.ID} }

var noFailures = Rule{
	ID: "no-failures", Claim: "no client loses a request",
	Lanes: ServiceLanes, Unit: "request", Untested: noneSent, anyLoss: true, bySending: true, exposed: sentSinceBegun,
	needs: underLoad(evidence.AboutFailures),
	question: none{of: requests, did: "failed", rows: func(a args) found {
		f := a.foundFailed(timeline.Failed(a.lanes))
		share := fmt.Sprintf("%s of %s%s failed", f.number(), phrase.Count(requests(a), "request"), fromNodes[a.Nodes])
		if f.count == 0 {
			f.facts = []Detail{{"lanes", fmt.Sprint(len(a.lanes))}}
			for _, shown := range shownByTerminations(a.tl) {
				f.wordings = append(f.wordings, share+shown)
			}
			f.unclear = a.unanswered(share, func(time.Duration) bool { return true })
			return f
		}
		loss := explainLoss(a.lanes, a.tl)
		f.wordings, f.facts = loss.headlines(share, a.tl.CausesOn(a.lanes)), loss.facts()
		return f
	}},
}

// fromNodes has the words for the nodes that an expectation is restricted to.
var fromNodes = map[evidence.Nodes]string{
	evidence.OtherNodes:     " from nodes that were not disrupted",
	evidence.DisruptedNodes: " from disrupted nodes",
}

// unanswered says why a share of failed requests may be larger: agents went away and took the outcome of requests with them that were due
// at such moments. It is empty if there are none.
func (a args) unanswered(share string, at func(time.Duration) bool) string {
	n := a.perLane(func(lane timeline.Lane) int { return lane.Summary.UnknownAt(at) })
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s; not known of %s in flight when agents went away", share, phrase.Number(n))
}

// shownByTerminations returns words for how many old pods lost no request when they ended, and which share may still lose one, and shorter
// words. They are empty if no old pod ended, or if another client lost a request to one that did.
func shownByTerminations(tl timeline.Timeline) (wordings []string) {
	ends := tl.Ends()
	n, lost := ends.Samples()
	if n == 0 || lost > 0 {
		return []string{""}
	}
	pods, none, one := fmt.Sprintf("0 of %s", phrase.Count(ends.Pods, "pod")), "lost a request", "lost one"
	if ends.Pods == 1 {
		pods, none, one = "the only pod", "lost no request", "lost none"
	}
	upper := 100 * statistics.UpperShare(0, n)
	if !ends.ByNode {
		return []string{fmt.Sprintf("; %s %s (95 %% confidence: at most %.1f %% do)", pods, none, upper)}
	}
	pods += fmt.Sprintf(" (%s, counted by node)", phrase.Count(n, termination))
	return []string{fmt.Sprintf("; %s %s (95 %% confidence: at most %.1f %% of terminations do)", pods, none, upper),
		fmt.Sprintf("; %s %s (95 %%: at most %.1f %% do)", pods, one, upper)}
}

// RecoversWithin expects that no request through the Service fails that is sent later than d after a mark, such as
// [evidence.DisruptionBegun].
func RecoversWithin(d time.Duration, mark evidence.EventKind) Expectation {
	return Expectation{Rule: recoversWithin.ID, From: mark, Max: d}
}

var recoversWithin = Rule{
	ID: "recovers-within", Claim: "no client loses a request that it sends later than allowed after the named moment",
	Lanes: ServiceLanes, Unit: "request", Untested: "no request was sent later than {max} after {from}", bySending: true,
	exposed: sentAfterRecovery, needs: untilLoadEnded(evidence.AboutFailures),
	question: none{did: "sent later than {max} after {from} failed", rows: func(a args) found {
		from := a.at(a.From)
		after, _ := a.tl.After(a.Expectation)
		late := func(at time.Duration) bool { return after.From < at && at < after.To }
		f := failing{is: func(_ args, h timeline.Hit) bool { return late(h.Sent) }}.rows(a)
		f.breaches, f.unclear = failures(a, f.hits), a.unanswered(a.fill("0 requests sent later than {max} after {from} failed"), late)
		if failed := timeline.Failed(a.lanes); len(failed) > 0 {
			f.facts = []Detail{{"last of " + phrase.Count(len(failed), "failed request"),
				fmt.Sprintf("%s after %s", phrase.Duration(failed[len(failed)-1].Sent-from), a.From)}}
		}
		return f
	}},
}

// sentAfterRecovery counts the requests that could have failed too late.
func sentAfterRecovery(a args) int {
	after, ok := a.tl.After(a.Expectation)
	if !ok {
		return 0
	}
	return a.perLane(func(lane timeline.Lane) int { return lane.CountSent(after) })
}

var arrivalsUnknown = unless(func(tl timeline.Timeline) bool { return tl.Arrived },
	"what pods logged was not recorded, so requests cannot be followed to them")

// NoLostReplies expects that no request through the Service that a pod got ends without a reply.
func NoLostReplies() Expectation { return Expectation{Rule: noLostReplies.ID} }

var noLostReplies = Rule{
	ID: "no-lost-replies", Claim: "no client misses the reply to a request that a pod got",
	Lanes: ServiceLanes, Unit: "request", Untested: "no request reached a pod once the rollout had begun",
	exposed: summed(func(s timeline.LaneSummary) int { return s.ArrivedSinceBegun }), lack: arrivalsUnknown,
	needs: underLoad(evidence.AboutFailures, evidence.AboutArrivals),
	question: none{of: summed(func(s timeline.LaneSummary) int { return s.Arrivals }), did: "that reached a pod lost their reply",
		rows: failing{is: func(_ args, h timeline.Hit) bool { return h.Lost() }}.rows},
}

// NoHiddenRetries expects that every request through the Service since the rollout began is sent once: given to one connection, and logged
// by at most one pod.
func NoHiddenRetries() Expectation { return Expectation{Rule: noHiddenRetries.ID} }

var noHiddenRetries = Rule{
	ID: "no-hidden-retries", Claim: "no client's request is sent twice behind its back",
	Lanes: RetryLanes, Unit: "request", Untested: noneSent, exposed: sentSinceBegun,
	needs: underLoad(evidence.AboutReplies, evidence.AboutArrivals),
	question: none{of: sentSinceBegun, did: "{were} sent more than once", rows: func(a args) found {
		again := foundHits(slices.DeleteFunc(timeline.Repeated(a.lanes), func(h timeline.Hit) bool {
			since, _ := a.tl.Since(evidence.RolloutBegun, h)
			return since.AtLeast(0) != timeline.Yes
		}))
		again.unclear = arrivalsUnknown(a)
		return again
	}},
}

// ServesUntilSigterm expects that terminating pods answer while no other pod is ready, until the first of them gets SIGTERM.
func ServesUntilSigterm() Expectation { return Expectation{Rule: servesUntilSigterm.ID} }

var servesUntilSigterm = Rule{
	ID: "serves-until-sigterm", Claim: "clients are answered by terminating pods until SIGTERM when no other pod is ready",
	Lanes: ServiceLanes, Unit: "request",
	Untested: "no request was sent while terminating pods, none of which had got SIGTERM, were the only ones",
	exposed:  summed(func(s timeline.LaneSummary) int { return s.WhileOnlyTerminating }),
	needs:    sinceBegin(evidence.AboutReplies, evidence.AboutFailures, evidence.AboutAPI, evidence.AboutPodSteps),
	question: none{did: "failed before the first SIGTERM while only terminating pods were there", // as far as was seen
		rows: failing{in: timeline.Timeline.OnlyTerminating, whole: true}.rows},
}

// DamageSeen expects that requests from pods do fail after the rollout began: a negative control.
func DamageSeen() Expectation { return Expectation{Rule: damageSeen.ID} }

// Which lane loses requests is chance, so that all lanes with the same kind of connection count together. A lane that resends hides
// damage, and shows nothing either way.
var damageSeen = Rule{
	ID: "damage-seen", Claim: "clients in the cluster lose at least one request, which shows that a loss would be seen",
	Lanes: DamageLanes, Unit: "request", Untested: noneFromPods, Precondition: true, exposed: sentSinceBegun,
	marks: []evidence.EventKind{evidence.RolloutBegun}, needs: seeing(evidence.AboutFailures),
	question: some{of: requests, did: "from pods failed after the rollout began", byConn: true,
		rows: failing{is: func(a args, h timeline.Hit) bool { return h.Sent >= a.at(evidence.RolloutBegun) }}.rows},
}

// LostWhileTerminating expects that requests from pods, over each kind of connection, are lost to an old pod that had got SIGTERM:
// a negative control that names the cause. Without such a loss the cluster has not failed, but the harness may be blind.
func LostWhileTerminating() Expectation { return Expectation{Rule: lostWhileTerminating.ID} }

var lostWhileTerminating = Rule{
	ID: "lost-while-terminating", Claim: "clients in the cluster lose requests to old pods that had got SIGTERM",
	Lanes: DamageLanes, Unit: "request", Precondition: true,
	Untested: "no request was sent from a pod while an old pod was terminating and another was ready",
	// a lost request was sent to such a pod, even if the pod's process had ended before its deletion was seen
	exposed: func(a args) int { return max(sentBesideTerminating(a), lostToEnded.rows(a).count) },
	needs: sinceBegin(evidence.AboutFailures, evidence.AboutReplies, evidence.AboutArrivals, evidence.AboutAPI,
		evidence.AboutPodSteps),
	question: some{did: "from pods {were} lost to old pods after their SIGTERM", byConn: true, rows: lostToEnded.rows},
}

var lostToEnded = failing{whole: true, is: func(a args, h timeline.Hit) bool {
	broken := []evidence.Fault{evidence.Refused, evidence.Reset, evidence.Closed, evidence.Truncated, evidence.Timeout,
		evidence.StreamReset}
	return slices.Contains(broken, h.Fault) && a.tl.ToEnded(h)
}}

// LostWhileNoneServes expects that requests from pods, over each kind of connection, fail with one of the faults while no pod can
// answer: a negative control that names the cause. Without such a loss the cluster has not failed, but the harness may be blind.
func LostWhileNoneServes(kinds ...evidence.Fault) Expectation {
	return Expectation{Rule: lostWhileNoneServes.ID, Values: named(kinds)}
}

func named(kinds []evidence.Fault) (values []string) {
	for _, kind := range kinds {
		values = append(values, string(kind))
	}
	return values
}

var lostWhileNoneServes = Rule{
	ID: "lost-while-none-serves", Claim: "clients in the cluster lose requests, in the way expected, while no pod can answer",
	Lanes: DamageLanes, Unit: "request", Untested: "no request was sent from a pod while no pod could answer", Precondition: true,
	exposed: sentWhileNoneServing, needs: sinceBegin(evidence.AboutFailures, evidence.AboutAPI),
	question: some{of: sentWhileNoneServing, did: "from pods ended in {values} while no pod could answer", byConn: true,
		rows: failing{in: timeline.Timeline.NoneServing, whole: true, is: func(a args, h timeline.Hit) bool {
			return slices.Contains(a.Values, string(h.Fault))
		}}.rows},
}

var sentWhileNoneServing = summed(func(s timeline.LaneSummary) int { return s.WhileNoneServing })

// LostWhileStarting expects that requests from pods over new connections are refused while a pod counts as ready and does not
// listen yet: a negative control that names the cause. Without such a loss the cluster has not failed, but the harness may be blind,
// unless the expectation is certain.
func LostWhileStarting() Expectation {
	return Expectation{Rule: lostWhileStarting.ID, Conn: evidence.Fresh}
}

var lostWhileStarting = Rule{
	ID: "lost-while-starting", Claim: "clients in the cluster are refused by pods that count as ready and do not listen yet",
	Lanes: DamageLanes, Unit: "request", Precondition: true,
	Untested: "no request was sent from a pod while a pod counted as ready and did not listen yet", exposed: sentWhileStarting,
	needs: sinceBegin(evidence.AboutFailures, evidence.AboutAPI, evidence.AboutPodSteps),
	question: some{of: sentWhileStarting, did: "from pods {were} refused while a pod counted as ready and did not listen yet",
		rows: failing{in: timeline.Timeline.ReadyUnlistening,
			is: func(_ args, h timeline.Hit) bool { return h.Fault == evidence.Refused }}.rows},
}

var sentWhileStarting = summed(func(s timeline.LaneSummary) int { return s.WhileStarting })

// LostTo expects that requests from pods, over each kind of connection, are lost at a stage: a negative control that names the cause.
// Without such a loss the cluster has not failed, but the harness may be blind. [Expectation.AtLeast] says how many; else it is one.
func LostTo(stage timeline.Stage) Expectation {
	return Expectation{Rule: lostTo.ID, Values: []string{string(stage)}}
}

var lostTo = Rule{
	ID: "lost-to", Claim: "clients in the cluster lose requests at the stage expected",
	Lanes: DamageLanes, Unit: "request", Precondition: true, Untested: noneFromPods, exposed: sentSinceBegun,
	marks: []evidence.EventKind{evidence.RolloutBegun}, needs: sinceBegin(evidence.AboutFailures, evidence.AboutAPI),
	question: some{of: requests, did: "from pods {were} lost at stage {values}", byConn: true, least: oneOrMore, rows: func(a args) found {
		lost := map[timeline.HitID]bool{}
		for _, c := range a.tl.CausesOn(a.lanes) {
			for _, h := range c.Hits {
				lost[timeline.HitID{Lane: h.Lane, Seq: h.Seq}] = slices.Contains(a.Values, string(c.Stage)) && h.Sent >= a.at(evidence.RolloutBegun)
			}
		}
		return failing{whole: true, is: func(_ args, h timeline.Hit) bool { return lost[timeline.HitID{Lane: h.Lane, Seq: h.Seq}] }}.rows(a)
	}},
}
