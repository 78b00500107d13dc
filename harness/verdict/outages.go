package verdict

import (
	"fmt"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// MaxOutage expects that no lane through the Service goes longer than d without a good send.
func MaxOutage(d time.Duration) Expectation { return Expectation{Rule: maxOutage.ID, Max: d} }

var maxOutage = Rule{
	ID: "max-outage", Claim: "no client goes without good replies for longer than allowed",
	Lanes: ServiceLanes, Unit: "request", Untested: noneSent, bySending: true, exposed: sentSinceBegun,
	needs: underLoad(evidence.AboutFailures, evidence.AboutLatencies),
	question: bound{limits: atMost, nothing: "0 requests failed, so no lane had an outage",
		says: "{failed} failed on {lane}, an outage of {length}{until}",
		rows: func(a args) (rows []row) {
			for _, l := range timeline.Losses(a.lanes, nil) {
				rows = append(rows, row{amount: lasted(l.Outage), lane: l.Lane, from: l.From, hits: l.Hits, toTheEnd: l.Open,
					breaches: failures(a, l.Hits)})
			}
			for _, lane := range a.lanes {
				for _, o := range lane.Summary.Unseen {
					rows = append(rows, perhaps(a, lane, o))
				}
			}
			return rows
		}},
}

// perhaps returns the row of an outage that may have gone on while the lane's agent was away, by the longest one that was seen of it.
func perhaps(a args, lane timeline.Lane, whole timeline.Outage) row {
	var longest timeline.Outage
	for _, o := range lane.Summary.Outages {
		if whole.From <= o.From && o.To <= whole.To && o.Length() >= longest.Length() {
			longest = o
		}
	}
	failed := slices.DeleteFunc(slices.Clone(lane.Failed), func(h timeline.Hit) bool { return h.Sent < longest.From || h.Sent >= longest.To })
	r := row{amount: lasted(longest), lane: lane.ID, from: whole.From, hits: failed, toTheEnd: longest.Open, breaches: failures(a, failed),
		unseen: withAbsence(whole.Length())}
	r.more = float64(whole.Length() - longest.Length())
	return r
}

// withAbsence says how long something lasted if nothing was answered while a client's agent was away.
func withAbsence(length time.Duration) string {
	return phrase.Duration(length) + " with the absence of its agent"
}

func lasted(o timeline.Outage) amount {
	return took(timeline.Elapsed{Length: o.Length(), Uncertainty: o.Uncertainty})
}

// MinOutage expects that, after the rollout began, every client in the cluster goes at least d without a good send: a
// negative control of how much is lost.
func MinOutage(d time.Duration) Expectation { return Expectation{Rule: minOutage.ID, Min: d} }

var minOutage = Rule{
	ID: "min-outage", Claim: "every client in the cluster goes without good replies for as long as expected",
	Lanes: DamageLanes, Unit: "lane", Untested: "no client in the cluster sent a request once the rollout had begun",
	exposed: summed(func(s timeline.LaneSummary) int { return min(1, s.SinceBegun) }), marks: []evidence.EventKind{evidence.RolloutBegun},
	needs: seeing(evidence.AboutFailures, evidence.AboutLatencies),
	question: bound{limits: atLeast, says: "the longest outage on {lane} lasted {length}",
		rows: eachLane(func(a args, lane timeline.Lane) row {
			var longest timeline.Outage
			open := false
			for _, o := range lane.Summary.Outages {
				since := o.From >= a.at(evidence.RolloutBegun)
				if open = o.Open && since; since && o.Length() > longest.Length() {
					longest = o
				}
			}
			return row{amount: lasted(longest), toTheEnd: open, whole: true}
		}),
		showsNothing: func(a args, _ row, all []row) string {
			begun := a.at(evidence.RolloutBegun)
			ended, ok := a.tl.Mark(evidence.LoadEnded)
			over := slices.ContainsFunc(all, func(r row) bool { return r.value < float64(a.Min) && !r.toTheEnd })
			if !ok || over || ended-begun >= a.Min {
				return ""
			}
			return fmt.Sprintf("the outage lasted to the end of the load, %s after the rollout began: a longer one could not be seen",
				phrase.Duration(ended-begun))
		}},
}

// ReplyGap expects that the longest time in which a client gets no good reply lasts min to max, as exactly as its period of sending allows.
// Requests that wait and then succeed are part of that time.
func ReplyGap(min, max time.Duration) Expectation {
	return Expectation{Rule: replyGap.ID, Min: min, Max: max}
}

var replyGap = Rule{
	ID: "reply-gap", Claim: "every client gets no good reply for as long as expected, and no longer",
	Lanes: ServiceLanes, Unit: "request", Untested: noneSent, bySending: true, exposed: sentSinceBegun,
	needs: underLoad(evidence.AboutFailures, evidence.AboutLatencies),
	question: bound{limits: ranging, says: "{lane} got no good reply for {length} from {at} on",
		rows: func(a args) (rows []row) {
			if requests(a) == 0 {
				return nil
			}
			return eachLane(func(_ args, lane timeline.Lane) row {
				gap := lane.Summary.Gap
				r := row{amount: amount{value: float64(gap.Length()), uncertain: -float64(gap.Period)}, from: gap.From,
					facts: []Detail{{"asked once in", phrase.Duration(gap.Period)}}}
				for _, whole := range lane.Summary.UnseenGaps {
					if more := float64(whole.Length() - gap.Length()); more > r.more {
						r.more, r.unseen = more, withAbsence(whole.Length())
					}
				}
				return r
			})(a)
		}},
}

// MaxFailedShare expects that on each lane through the Service at most so many in a thousand requests fail, of those that it sends after
// the rollout began or, if there was maintenance, after its first step: steady hours before would hide any loss. Streams that were open
// then count, too.
func MaxFailedShare(permille int) Expectation {
	return Expectation{Rule: maxFailedShare.ID, Permille: permille}
}

var maxFailedShare = Rule{
	ID: "max-failed-share", Claim: "no client loses a larger share of its requests than allowed",
	Lanes: ServiceLanes, Unit: "request", Untested: noneSent, exposed: sentSinceChange, marks: []evidence.EventKind{evidence.RolloutBegun},
	needs: underLoad(evidence.AboutFailures), lack: func(a args) string { return outside("permille", a.Permille, 1000) },
	question: bound{in: inShares, says: "{lane} lost most: {got} of {of} since the first change ({percent})",
		limits: func(x Expectation, _ row) limits { return limits{-unlimited, float64(x.Permille) / 1000} },
		rows: eachLane(func(a args, lane timeline.Lane) row {
			sent := lane.Summary.SinceChange + lane.Summary.StreamsAtChange
			begun, _ := a.tl.FirstChange()
			lost := slices.DeleteFunc(slices.Clone(lane.Failed), func(h timeline.Hit) bool {
				return h.Sent < begun && (!lane.Protocol.Streams() || h.End() < begun)
			})
			r := row{amount: portion(len(lost), sent), hits: lost, breaches: failures(a, lost),
				lack: noneOf(sent, lane.ID+" sent 0 requests since the first change")}
			if n := lane.Summary.UnknownAt(func(at time.Duration) bool { return at >= begun }); n > 0 {
				most := portion(len(lost)+n, sent+n)
				r.more = most.value - r.value
				r.unseen = fmt.Sprintf("%s with %s in flight when its agent went away", inShares.say(most.value), phrase.Number(n))
			}
			return r
		})},
}

// LostShare expects that, of the requests that pods send over new connections from min to max after a mark, the share is lost that is
// routed to pods on disrupted nodes, as far as chance explains: each pod gets as many new connections as any other.
func LostShare(min, max time.Duration, mark evidence.EventKind) Expectation {
	return Expectation{Rule: lostShare.ID, Min: min, Max: max, From: mark}
}

var lostShare = Rule{
	ID: "lost-share", Claim: "clients lose, for as long as expected, the share of new connections that is routed to pods on disrupted nodes",
	Lanes: RoutedLanes, Unit: "request", Untested: "no request was sent from a pod in that time",
	exposed: func(a args) int { return a.perLane(func(lane timeline.Lane) int { return int(a.lostOn(lane).of) }) },
	needs:   seeing(evidence.AboutFailures, evidence.AboutReplies, evidence.AboutAPI),
	lack: unless(func(tl timeline.Timeline) bool {
		there, _ := oldOnDisrupted(tl)
		return there > 0
	}, "0 pods were seen on a node that was disrupted"),
	question: bound{in: inShares, says: "{percent} of the requests were lost on {lane}",
		limits: func(x Expectation, r row) limits { return byChance(r.expected, r.of) },
		rows: eachLane(func(a args, lane timeline.Lane) row {
			r := a.lostOn(lane)
			there, all := oldOnDisrupted(a.tl)
			r.expected = float64(there) / float64(all)
			r.facts = []Detail{{"requests sent", a.lostIn().String()}, {"of them lost", phrase.Number(len(r.hits))},
				{"pods on disrupted nodes", fmt.Sprintf("%d of %d", there, all)}}
			if r.value > r.expected { // too few losses have no breach: a late actor cannot cause a reply
				r.breaches = failures(a, r.hits)
			}
			r.lack = noneOf(int(r.of), fmt.Sprintf("%s sent 0 requests %s", lane.ID, a.lostIn()))
			return r
		})},
}

// oldOnDisrupted counts the old pods on nodes that were disrupted, and all old pods.
func oldOnDisrupted(tl timeline.Timeline) (there, all int) {
	for _, p := range tl.Pods {
		if p.Version != tl.Old {
			continue
		}
		all++
		there += oneIf(tl.Disruption != nil && slices.Contains(tl.Disruption.Nodes, p.Node))
	}
	return there, all
}

// lostIn returns the whole seconds from Min to Max after the expectation's mark.
func (a args) lostIn() seconds {
	from := a.at(a.From)
	return seconds{int((from+a.Min)/time.Second) + 1, int((from + a.Max) / time.Second)}
}

// lostOn returns the share of requests that a lane lost, of those that it sent in that time.
func (a args) lostOn(lane timeline.Lane) row {
	in := a.lostIn()
	lost := slices.DeleteFunc(slices.Clone(lane.Failed), func(h timeline.Hit) bool {
		second := int(h.Sent / time.Second)
		return second < in.from || second >= in.to || h.By.Version != "" // a bad answer is an answer, too
	})
	_, answered := repliesIn(lane, "", in)
	return row{amount: portion(len(lost), answered+len(lost)), hits: lost}
}

// Pause expects that there is no reply for min to max between the last one by the old version and the first by the new one.
func Pause(min, max time.Duration) Expectation {
	return Expectation{Rule: pause.ID, Min: min, Max: max}
}

// MinPause expects a pause of d at least.
func MinPause(d time.Duration) Expectation { return Pause(d, 0) }

var pause = Rule{
	ID: "pause", Claim: "no client is answered between the two versions, for as long as expected",
	Lanes: ServiceLanes, Unit: "reply", Untested: oneVersion, exposed: newReplies,
	needs: underLoad(evidence.AboutReplies, evidence.AboutLatencies),
	question: bound{limits: func(x Expectation, r row) limits {
		if x.Max == 0 {
			return atLeast(x, r)
		}
		return ranging(x, r)
	}, says: "nobody was answered for {length} between {old} and {new}",
		before: "{old} and {new} both answered for {-length}: there was no pause",
		rows:   func(a args) []row { return oneRow(a.tl.Pause(a.lanes)) }},
}

// oneRow returns a single row with a duration, or no row if it is not known.
func oneRow(d timeline.Elapsed, ok bool) []row {
	if !ok {
		return nil
	}
	return []row{{amount: took(d)}}
}
