package verdict

import (
	"fmt"
	"math"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// MaxOutage expects that no lane through the Service goes longer than d without a good send.
func MaxOutage(d time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: maxOutage.ID, Max: d}
}

var maxOutage = Rule{
	ID: "max-outage", Claim: "no client goes without good replies for longer than allowed",
	Lanes: ServiceLanes, Unit: "request", Untested: noneSent, bySending: true,
	exposed: sentSinceBegun, needs: underLoad(evidence.AboutFailures, evidence.AboutLatencies),
	question: bound{
		rows: func(a asked) (rows []lasting) {
			for _, lane := range a.lanes {
				failed := lane.Failed
				for _, o := range lane.Summary.Outages {
					n := min(o.Failed, len(failed))
					rows = append(rows, lasting{Elapsed: lasted(o), lane: lane.ID, from: o.From, hits: failed[:n], toTheEnd: o.Open,
						breaches: failures(a, failed[:n])})
					failed = failed[n:]
				}
			}
			return rows
		},
		limits: atMost, nothing: "0 requests failed, so no lane had an outage",
		says: []string{"{failed} failed on {lane} from {at} on, an outage of {length}{until}", "the longest outage lasted {length}{until}"},
	},
}

func lasted(o timeline.Outage) timeline.Elapsed {
	return timeline.Elapsed{Length: o.Length(), Uncertainty: o.Uncertainty}
}

// MinOutage expects that every client in the cluster goes without a good send for d at least once the rollout began: a
// negative control of how much is lost.
func MinOutage(d time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: minOutage.ID, Min: d}
}

var minOutage = Rule{
	ID: "min-outage", Claim: "every client in the cluster goes without good replies for as long as expected",
	Lanes: DamageLanes, Unit: "lane", Untested: "no client in the cluster sent a request once the rollout had begun",
	exposed: summed(func(s timeline.LaneSummary) int { return min(1, s.SinceBegun) }),
	marks:   []evidence.EventKind{evidence.RolloutBegun}, needs: seeing(evidence.AboutFailures, evidence.AboutLatencies),
	question: bound{
		rows: func(a asked) (rows []lasting) {
			begun, _ := a.tl.Mark(evidence.RolloutBegun)
			for _, lane := range a.lanes {
				var longest timeline.Outage
				open := false
				for _, o := range lane.Summary.Outages {
					open = o.Open && o.From >= begun
					if o.From >= begun && o.Length() > longest.Length() {
						longest = o
					}
				}
				rows = append(rows, lasting{Elapsed: lasted(longest), lane: lane.ID, toTheEnd: open, whole: true})
			}
			return rows
		},
		limits: minimum,
		says:   []string{"the longest outage on {lane} lasted {length}"},
		cut: func(a asked, rows []lasting) string {
			begun, _ := a.tl.Mark(evidence.RolloutBegun)
			ended, ok := a.tl.Mark(evidence.LoadEnded)
			over := slices.ContainsFunc(rows, func(l lasting) bool { return l.Length < a.Min && !l.toTheEnd })
			if !ok || over || ended-begun >= a.Min {
				return ""
			}
			return fmt.Sprintf("the outage lasted to the end of the load, %s after the rollout began: a longer one could not be seen",
				phrase.Duration(ended-begun))
		},
	},
}

// ReplyGap expects that the longest time in which a client gets no good reply lasts min to max, as closely as one can tell that asks
// once in a period. Requests that wait and then succeed are part of it.
func ReplyGap(min, max time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: replyGap.ID, Min: min, Max: max}
}

var replyGap = Rule{
	ID: "reply-gap", Claim: "every client gets no good reply for as long as expected, and no longer",
	Lanes: ServiceLanes, Unit: "request", Untested: noneSent, bySending: true,
	exposed: sentSinceBegun, needs: underLoad(evidence.AboutFailures, evidence.AboutLatencies),
	question: bound{
		rows: func(a asked) (rows []lasting) {
			if requests(a) == 0 {
				return nil
			}
			for _, lane := range a.lanes {
				gap := lane.Summary.Gap
				rows = append(rows, lasting{Elapsed: timeline.Elapsed{Length: gap.Length()}, lane: lane.ID, from: gap.From, within: gap.Period})
			}
			return rows
		},
		limits: ranging,
		says: []string{"{lane}, which asks once in {within}, got no good reply for {length} from {at} on",
			"{lane} got no good reply for {length}"},
	},
}

// MaxFailedShare expects that on each lane through the Service no more requests fail than so many in a thousand of those that it
// sends once the rollout began, or maintenance took its first step: steady hours before would hide any loss.
func MaxFailedShare(permille int) evidence.Expectation {
	return evidence.Expectation{Rule: maxFailedShare.ID, Permille: permille}
}

var maxFailedShare = Rule{
	ID: "max-failed-share", Claim: "no client loses a larger share of its requests than allowed",
	Lanes: ServiceLanes, Unit: "request", Untested: noneSent,
	exposed: summed(sinceStep), marks: []evidence.EventKind{evidence.RolloutBegun}, needs: underLoad(evidence.AboutFailures),
	lack: func(a asked) string { return outside("permille", a.Permille, 1000) },
	question: part{
		rows: func(a asked) (rows []share) {
			begun := a.firstChange()
			for _, lane := range a.lanes {
				of := foundHits(slices.DeleteFunc(slices.Clone(lane.Failed), func(h timeline.Hit) bool { return h.Sent < begun }))
				sent := lane.Summary.SinceStep
				of.facts = []Detail{{"lane", lane.ID}, {"sent on it since the first change", phrase.Count(sent, "request")}}
				row := share{got: float64(of.count), of: float64(sent), found: of, breaches: failures(a, of.hits)}
				if sent == 0 {
					row.lack = fmt.Sprintf("%s sent 0 requests since the first change", lane.ID)
				}
				rows = append(rows, row)
			}
			return rows
		},
		limits: func(x evidence.Expectation, _ share) (least, most float64) {
			return math.Inf(-1), float64(x.Permille) / 1000
		},
		says: func(a asked, s share) string {
			if s.got == 0 {
				return fmt.Sprintf("0 of %s since the first change failed", phrase.Count(a.sum(sinceStep), "request"))
			}
			return fmt.Sprintf("%.2f %% of the requests since the first change failed on the lane that lost most", 100*s.value())
		},
	},
}

// firstChange is when the rollout began, or maintenance took its first step.
func (a asked) firstChange() time.Duration {
	begun, _ := a.tl.Mark(evidence.RolloutBegun)
	if maintenance, ok := a.tl.Maintenance(); ok {
		begun = max(begun, maintenance.From)
	}
	return begun
}

func sinceStep(s timeline.LaneSummary) int { return s.SinceStep }

// LostShare expects that of the requests that pods send over new connections in the time from min to max after a mark as many are lost
// as lead to pods on disrupted nodes, as far as chance explains: each pod gets as many new connections as any other.
func LostShare(min, max time.Duration, mark evidence.EventKind) evidence.Expectation {
	return evidence.Expectation{Rule: lostShare.ID, Min: min, Max: max, From: mark}
}

var lostShare = Rule{
	ID: "lost-share", Claim: "clients lose, for as long as expected, the share of new connections that leads to pods on disrupted nodes",
	Lanes: RoutedLanes, Unit: "request", Untested: "no request was sent from a pod in that time",
	exposed: func(a asked) int { return a.perLane(func(lane timeline.Lane) int { return int(a.lostOn(lane).of) }) },
	needs:   seeing(evidence.AboutFailures, evidence.AboutReplies, evidence.AboutAPI),
	lack:    unless(func(tl timeline.Timeline) bool { return oldOnDisrupted(tl) > 0 }, "0 pods were seen on a node that was disrupted"),
	question: part{
		rows: func(a asked) (rows []share) {
			onDisrupted := oldOnDisrupted(a.tl)
			for _, lane := range a.lanes {
				row := a.lostOn(lane)
				row.expected = float64(onDisrupted) / float64(oldPods(a))
				row.facts = []Detail{{"lane", lane.ID}, {"requests sent", a.lostIn().String()}, {"of them lost", phrase.Number(row.count)},
					{"pods on disrupted nodes", fmt.Sprintf("%d of %d", onDisrupted, oldPods(a))}}
				if row.value() > row.expected { // that somebody answers is nobody's fault
					row.breaches = failures(a, row.hits)
				}
				if row.of == 0 {
					row.lack = fmt.Sprintf("%s sent 0 requests %s", lane.ID, a.lostIn())
				}
				rows = append(rows, row)
			}
			return rows
		},
		limits: func(_ evidence.Expectation, s share) (least, most float64) { return byChance(s.expected, s.of) },
		says: func(_ asked, s share) string {
			return fmt.Sprintf("%.1f %% of the requests were lost on %s", 100*s.value(), s.facts[0].Value)
		},
	},
}

// oldOnDisrupted counts the old pods on nodes that were disrupted.
func oldOnDisrupted(tl timeline.Timeline) (n int) {
	for _, p := range tl.Pods {
		if tl.Disruption != nil && p.Version == tl.Old && slices.Contains(tl.Disruption.Nodes, p.Node) {
			n++
		}
	}
	return n
}

// lostIn are the whole seconds of the expectation's time.
func (a asked) lostIn() seconds {
	from, _ := a.tl.Mark(a.From)
	return seconds{int((from+a.Min)/time.Second) + 1, int((from + a.Max) / time.Second)}
}

// lostOn is what a lane lost of what it sent in that time.
func (a asked) lostOn(lane timeline.Lane) share {
	in := a.lostIn()
	lost := foundHits(slices.DeleteFunc(slices.Clone(lane.Failed), func(h timeline.Hit) bool {
		second := int(h.Sent / time.Second)
		return second < in.from || second >= in.to || h.By.Version != "" // whoever answered badly did answer
	}))
	_, answered := repliesIn(lane, "", in)
	return share{got: float64(lost.count), of: float64(answered + lost.count), found: lost}
}

// Pause expects that from the last reply by the old version until the first by the new one nobody is answered for min to max.
func Pause(min, max time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: pause.ID, Min: min, Max: max}
}

var pause = Rule{
	ID: "pause", Claim: "no client is answered between the two versions, for as long as expected",
	Lanes: ServiceLanes, Unit: "reply", Untested: oneVersion,
	exposed: newReplies, needs: underLoad(evidence.AboutReplies, evidence.AboutLatencies),
	question: bound{
		rows:   func(a asked) []lasting { return one(a.tl.Pause()) },
		limits: ranging,
		says:   []string{"nobody was answered for {length} between {old} and {new}"},
		before: []string{"{old} and {new} both answered for {-length}: there was no pause"},
	},
}

// one is the only row of a duration, if that is known.
func one(d timeline.Elapsed, ok bool) []lasting {
	if !ok {
		return nil
	}
	return []lasting{{Elapsed: d}}
}
