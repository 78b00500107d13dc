package verdict

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

const noReply = "no reply came through the Service once the rollout had begun"

// goodReplies counts the good replies since the rollout began: earlier ones show how the cluster is without it.
var goodReplies = summed(goodSinceBegun)

func goodSinceBegun(s timeline.LaneSummary) int { return s.GoodSinceBegun }

// NoSlowReplies expects that no good reply through the Service since the rollout began had to wait until TCP sent a packet again: a loss
// that its client does not see. An answer of Rollcall's own app may not take a second longer than the median before the rollout, nor may a
// pod answer several requests at once later than any before it.
func NoSlowReplies() Expectation { return Expectation{Rule: noSlowReplies.ID} }

var noSlowReplies = Rule{
	ID: "no-slow-replies", Claim: "no reply is delayed by a TCP retransmission, by a second more than usual, or with others at once",
	Lanes: ServiceLanes, Unit: "reply", Untested: noReply, exposed: goodReplies,
	needs: underLoad(evidence.AboutReplies, evidence.AboutLatencies),
	question: none{of: goodReplies, did: "waited for TCP to send something again, or longer than usual",
		rows: func(a args) (f found) {
			counts := map[timeline.SlowCause]int{}
			slow := timeline.Slow(a.lanes)
			lost := a.usualResends(resent(slow))
			f.usual = a.usual(slow, lost)
			for _, s := range slow {
				f.hits = append(f.hits, s.Hit)
				if f.usual != "" || lost == "" || !s.Cause.Resent() { // else it decides nothing, and needs no excuse
					f.breaches = append(f.breaches, slowBreach(s, a.tl))
				}
				counts[s.Cause]++
			}
			f.count = len(f.hits)
			if f.count == 0 {
				return f
			}
			causes := slices.SortedFunc(maps.Keys(counts), func(x, y timeline.SlowCause) int {
				return cmp.Or(cmp.Compare(counts[y], counts[x]), cmp.Compare(y, x))
			})
			var parts []string
			for _, c := range causes {
				parts = append(parts, fmt.Sprintf("%d %s", counts[c], c))
			}
			whose := originOf(f.hits, a.tl)
			cause := fmt.Sprintf("%s: %s of %s", causes[0], f.number(), phrase.Count(goodReplies(a), "reply"))
			f.wordings = []string{cause + ", " + whose.brief + whose.follows, cause + ", " + whose.brief, cause}
			f.facts = []Detail{{"by cause", enumerate(parts)}, {"whose", whose.long}, {"slowest", phrase.Seconds(slowestOf(f.hits).Took)}}
			return f
		}},
}

// resent returns, of slow replies, those that waited for TCP to send something again.
func resent(slow []timeline.SlowReply) []timeline.SlowReply {
	return slices.DeleteFunc(slices.Clone(slow), func(s timeline.SlowReply) bool { return !s.Cause.Resent() })
}

// usual says why slow replies may have nothing to do with the rollout; empty if one of them has. lost says so of those that waited for TCP.
// How long a user's app takes by itself, such as for its first replies, is not known.
func (a args) usual(slow []timeline.SlowReply, lost string) string {
	waited := len(resent(slow))
	answered := len(slow) > waited
	switch {
	case answered && !a.tl.UserApp || waited > 0 && lost == "":
		return ""
	case answered:
		return "maybe the app itself"
	}
	return lost
}

// slowBreach returns the breach of a slow reply. If TCP sent a packet again, the pod's process is not an actor: the kernel acknowledges
// packets without it.
func slowBreach(s timeline.SlowReply, tl timeline.Timeline) Breach {
	usual := tl.Usual(s.Lane)
	b := latencies([]timeline.Hit{s.Hit}, func(timeline.Hit) time.Duration { return answerTime + usual + s.Connect }, tl)[0]
	if s.Cause == timeline.LateTogether {
		b.Late = s.Late
	}
	if s.Cause.Resent() {
		b.By = slices.DeleteFunc(b.By, func(a timeline.Actor) bool { return a.Pod != "" })
		b.Late = s.Cause.Timer() / 2
	}
	return b
}

// MaxLatency expects that every good reply through the Service since the rollout began was read within d of sending its request. It looks
// at each reply and not at a percentile: a rollout that delays 30 of 5,000 requests does not change the slowest 1 %.
func MaxLatency(d time.Duration) Expectation { return Expectation{Rule: maxLatency.ID, Max: d} }

var maxLatency = Rule{
	ID: "max-latency", Claim: "no client waits longer for a good reply than allowed",
	Lanes: ServiceLanes, Unit: "reply", Untested: noReply, exposed: goodReplies,
	needs: underLoad(evidence.AboutReplies, evidence.AboutLatencies),
	question: none{of: goodReplies, did: "took over {max}", rows: func(a args) (f found) {
		var all []timeline.Hit
		for _, lane := range a.lanes {
			over := slices.DeleteFunc(slices.Clone(lane.Slowest), func(h timeline.Hit) bool { return h.Took <= a.Max })
			f.more = f.more || len(over) > 0 && len(over) == len(lane.Slowest) && len(over) < goodSinceBegun(lane.Summary)
			f.hits, all = append(f.hits, over...), append(all, lane.Slowest...)
		}
		slices.SortStableFunc(f.hits, timeline.BySent)
		f.count, f.breaches = len(f.hits), latencies(f.hits, func(timeline.Hit) time.Duration { return a.Max }, a.tl)
		f.usual = a.usualResends(slowOf(a.lanes, f.hits))
		if len(all) == 0 {
			return f
		}
		slowest := slowestOf(all)
		took := fmt.Sprintf("%s of %s took over %s, the slowest %s", f.number(), phrase.Count(goodReplies(a), "reply"),
			phrase.Duration(a.Max), phrase.Duration(slowest.Took))
		if f.count == 0 {
			f.wordings, f.facts = []string{took}, []Detail{{"slowest", seqs([]timeline.Hit{slowest}, 1) + " on " + slowest.Lane}}
			return f
		}
		whose := originOf(f.hits, a.tl)
		f.wordings = []string{took + ", " + whose.brief}
		f.facts = []Detail{{"whose", whose.long}, {"slowest", phrase.Seconds(slowest.Took)}}
		return f
	}},
}

// MaxP99 expects that on each lane through the Service 99 % of the good replies were read within d of sending their requests, of those
// sent since the rollout began or, if there was maintenance, since its first step. Failed requests do not count.
func MaxP99(d time.Duration) Expectation { return Expectation{Rule: maxP99.ID, Max: d} }

var maxP99 = Rule{
	ID: "max-p99", Claim: "no client waits longer than allowed for 99 % of its good replies",
	Lanes: ServiceLanes, Unit: "reply", Untested: noReply,
	exposed: summed(func(s timeline.LaneSummary) int { return s.LatencySinceChange.Count }),
	needs:   underLoad(evidence.AboutReplies, evidence.AboutLatencies),
	question: bound{limits: atMost, measured: "99 % took up to",
		says: "99 % of the replies on {lane} since the first change took up to {length}",
		rows: func(a args) (rows []row) {
			begun, _ := a.tl.FirstChange()
			for _, lane := range a.lanes {
				got := lane.Summary.LatencySinceChange
				if got.Count == 0 {
					continue
				}
				over := slices.DeleteFunc(slices.Clone(lane.Slowest), func(h timeline.Hit) bool { return h.Sent < begun || h.Took <= a.Max })
				rows = append(rows, row{lane: lane.ID,
					amount:   took(timeline.Elapsed{Length: got.P99}),
					facts:    []Detail{{"replies since the first change", phrase.Count(got.Count, "reply")}, {"slowest", phrase.Seconds(got.Max)}},
					breaches: latencies(over, func(timeline.Hit) time.Duration { return a.Max }, a.tl)})
			}
			return rows
		}},
}

func slowestOf(hits []timeline.Hit) timeline.Hit {
	return slices.MaxFunc(hits, func(x, y timeline.Hit) int { return cmp.Compare(x.Took, y.Took) })
}
