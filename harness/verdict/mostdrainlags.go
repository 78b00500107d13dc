package verdict

import (
	"fmt"
	"slices"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// MostDrainLags expects that of the pairs of an old pod and a node percent at least have their last new connection from the node
// to the pod no later than d after the pod's endpoint was seen leaving ready. With 50 that is about the median.
func MostDrainLags(percent int, d time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: mostDrainLags().ID, Percent: percent, Max: d}
}

func mostDrainLags() Rule {
	return Rule{
		ID: "most-drain-lags", Claim: "most nodes' clients are no longer sent to a pod soon after it left the endpoints",
		Lanes: RoutedLanes, BoundsSync: true, judge: judgeMostDrainLags,
		Unit: "pair of pod and node", Untested: "no request was sent late enough after an old pod had left the endpoints",
		exposed: drainsSeen,
		needs:   sinceBegin(evidence.AboutReplies, evidence.AboutFailures, evidence.AboutAPI),
	}
}

func judgeMostDrainLags(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	lags := tl.DrainLags()
	pairs := max(len(lags), drainsSeen(x, tl, lanes))
	if pairs == 0 || x.Percent < 1 {
		return undecided("0 old pods were seen leaving the endpoints while clients with new connections were there")
	}
	short, unclear := pairs-len(lags), 0 // a pair without a lag had its last connection before
	lengths := make([]time.Duration, short, pairs)
	for _, l := range lags {
		lengths = append(lengths, l.Lag.Length)
		switch within(l.Lag, x.Max) {
		case Pass:
			short++
		case Inconclusive:
			unclear++
		case Fail, Skipped:
		}
	}
	slices.Sort(lengths)
	median, longest := timeline.Percentile(lengths, 50), lengths[len(lengths)-1]
	f := Finding{
		Headline: fmt.Sprintf("%d of %d old pods, by node, were sent no new connection %s after they left, at least %d %% expected",
			short, pairs, phrase.Duration(x.Max), x.Percent),
		Facts: []Detail{{"median", phrase.Seconds(median)}, {"longest", phrase.Seconds(longest)}},
		Because: fmt.Sprintf("of %s of old pod and node %d had their last new connection %s or less after the pod left the endpoints, "+
			"at least %d %% expected; the median was %s, the longest %s",
			phrase.Count(pairs, "pair"), short, phrase.Seconds(x.Max), x.Percent, phrase.Seconds(median), phrase.Seconds(longest)),
	}
	switch {
	case short*100 >= pairs*x.Percent:
		f.Outcome = Pass
	case (short+unclear)*100 < pairs*x.Percent:
		f.Outcome, f.Breaches = Fail, lagBreaches(lags, x.Max, tl)
	}
	return orUncertain(f)
}
