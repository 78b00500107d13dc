package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// MaxLatency expects that every good reply through the Service was there d after its request was sent. It looks at each one
// and not at a percentile: a rollout that holds up 30 of 5,000 requests is not seen in the slowest 1 %.
func MaxLatency(d time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: maxLatency().ID, Max: d}
}

func maxLatency() Rule {
	return Rule{
		ID: "max-latency", Claim: "no client waits longer for a good reply than allowed", Lanes: ServiceLanes, judge: judgeMaxLatency,
		Unit: "reply", exposed: goodSinceBegun, Untested: "no reply came through the Service once the rollout had begun",
		needs: underLoad(evidence.AboutReplies, evidence.AboutLatencies),
	}
}

func judgeMaxLatency(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	good := goodReplies(lanes)
	if good == 0 {
		return undecided("0 requests through the Service were answered")
	}
	slowest, over, more := slowest(lanes, x.Max)
	if len(over) == 0 {
		return Finding{
			Outcome: Pass,
			Headline: fmt.Sprintf("the slowest of %s took %s, %s allowed", phrase.Count(good, "reply"),
				phrase.Duration(slowest.Took), phrase.Duration(x.Max)),
			Facts: []Detail{{"lane", slowest.Lane}, {"request", seqs([]timeline.Hit{slowest}, 1)}},
			Because: fmt.Sprintf("the slowest of %s took %s, seq %d on %s, %s allowed", phrase.Count(good, "reply"),
				phrase.Seconds(slowest.Took), slowest.Seq, slowest.Lane, phrase.Seconds(x.Max)),
		}
	}
	count := phrase.Number(len(over))
	if more {
		count += " or more"
	}
	whose, of := originOf(over, tl), describeHits(over, tl)
	took := fmt.Sprintf("%s of %s replies took over %s", count, phrase.Number(good), phrase.Duration(x.Max))
	f := Finding{
		Outcome:  Fail,
		Headline: phrase.Headline(fmt.Sprintf("%s, up to %s, %s", took, phrase.Duration(slowest.Took), whose.brief), took+", "+whose.brief, took),
		Facts:    append([]Detail{{"whose", whose.long}, {"slowest", phrase.Seconds(slowest.Took)}}, of.facts()...),
		Because: fmt.Sprintf("%s of %d replies took longer than the %s allowed, %s, the slowest %s; sent %s", count, good,
			phrase.Seconds(x.Max), whose.long, phrase.Seconds(slowest.Took), of),
		Witnesses: witnesses(over),
	}
	f.Breaches = latencies(over, func(timeline.Hit) time.Duration { return x.Max }, tl)
	return f
}

// slowest is the slowest good reply, and which took longer than d, by time sent; there may be more, for not all are kept.
func slowest(lanes []timeline.Lane, d time.Duration) (slowest timeline.Hit, over []timeline.Hit, more bool) {
	for _, lane := range lanes {
		kept := 0
		for _, h := range lane.Slowest {
			if h.Took > slowest.Took {
				slowest = h
			}
			if h.Took > d {
				over = append(over, h)
				kept++
			}
		}
		more = more || kept > 0 && kept == len(lane.Slowest) && kept < lane.Summary.Latency.Count
	}
	slices.SortStableFunc(over, func(a, b timeline.Hit) int { return cmp.Or(cmp.Compare(a.Sent, b.Sent), cmp.Compare(a.Lane, b.Lane)) })
	return slowest, over, more
}
