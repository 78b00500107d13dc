package verdict

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/harness/verdict/statistics"
)

// CutAsPredicted expects that exactly those replies fail that take longer than their pod lasts: of replies whose length is known, each;
// of others, as many as their distribution has it, with 99 % confidence. At least n are to be expected: fewer show too little. slack is how
// much later or earlier a pod may have ended than it logged. With faults, all fail as one of these.
func CutAsPredicted(lasts evidence.Length, slack time.Duration, n int, as ...evidence.Fault) Expectation {
	x := Expectation{Rule: cutAsPredicted.ID, Lasts: lasts, Max: slack, Count: n}
	for _, fault := range as {
		x.Values = append(x.Values, string(fault))
	}
	return x
}

// cutConfidence is for how many of a hundred recordings the number of replies that are cut is within the limits.
const cutConfidence = .99

var cutAsPredicted = Rule{
	ID: "cut-as-predicted", Claim: "the end of a pod cuts the replies that take longer than it lasts, and no other request fails",
	Lanes: ServiceLanes, Unit: "reply", Untested: "no pod ended while it replied",
	exposed: func(a args) int { return a.perLane(func(lane timeline.Lane) int { return len(lane.Cuts.Replies) }) },
	lack:    cutsUnknown,
	needs:   underLoad(evidence.AboutReplies, evidence.AboutFailures, evidence.AboutArrivals, evidence.AboutPodSteps),
	question: bound{in: inNumbers, says: "{got} of {of} that were under way at the end of their pod were cut",
		limits: func(_ Expectation, r row) limits { return r.predicted }, rows: cutReplies},
}

// cutsUnknown returns why the cuts cannot be judged; empty: they can.
func cutsUnknown(a args) string {
	if err := a.Lasts.Check(); err != nil {
		return err.Error()
	}
	if n := a.perLane(func(lane timeline.Lane) int { return lane.Cuts.Unknown }); n > 0 {
		return fmt.Sprintf("of %s it is not known which pod got it, or when that ended", phrase.Count(n, "request"))
	}
	return ""
}

// cutReplies returns one row for all lanes: a pod ends for the clients of all of them.
func cutReplies(a args) []row {
	var least, most []float64
	var other, uncut []timeline.Hit
	r, otherwise := row{whole: true}, 0
	for _, lane := range a.lanes {
		other, uncut = append(other, lane.Cuts.Other...), append(uncut, lane.Cuts.Uncut...)
		for fault, n := range lane.Cuts.Cut {
			r.got += float64(n)
			if len(a.Values) > 0 && !slices.Contains(a.Values, string(fault)) {
				otherwise += n
			}
		}
		for _, chance := range lane.Cuts.Replies {
			least, most = append(least, chance.Least), append(most, chance.Most)
		}
	}
	if len(other)+len(least) == 0 {
		return nil
	}
	low, _ := statistics.Draws(least, cutConfidence)
	_, high := statistics.Draws(most, cutConfidence)
	expected := (sum(least) + sum(most)) / 2
	r.value, r.of, r.predicted = r.got, float64(len(least)), limits{float64(low), float64(high)}
	r.facts = []Detail{{"cuts expected", fmt.Sprintf("%.1f", expected)}}
	switch {
	case len(other) > 0:
		r.hits, r.breaches = other, failures(a, other)
		r.broken = phrase.Count(len(other), "request") + " failed, and not because a pod ended"
	case len(uncut) > 0:
		r.hits = uncut
		r.broken = phrase.Count(len(uncut), "reply") + " came whole though the pod had ended before"
	case otherwise > 0:
		r.broken = fmt.Sprintf("of the replies that were cut, %s did not fail as %s", phrase.Number(otherwise), strings.Join(a.Values, " or "))
	case expected < float64(a.Count):
		r.lack = fmt.Sprintf("%.1f cuts were to be expected, fewer than %d", expected, a.Count)
	}
	return []row{r}
}

func sum(values []float64) (total float64) {
	for _, v := range values {
		total += v
	}
	return total
}
