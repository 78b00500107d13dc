package verdict

import (
	"fmt"
	"math"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict/phrase"
)

// part asks how large a share is. More of what it is a share of would make it another, so that it rests on all that was seen.
type part struct {
	rows   func(asked) []share // each of which has to keep the limits
	limits func(evidence.Expectation, share) (least, most float64)
	says   func(asked, share) string // what has the share: "v2 gave 13.0 % of the replies on worker-fresh"
	// untested says that too small a share is no failure of the cluster: it shows too little.
	untested bool
}

// A share is how many of some things are as asked.
type share struct {
	got, of float64
	unclear float64 // how many more may be
	// expected is the share that was to be, where it is of what was recorded.
	expected float64
	lack     string   // why there is nothing to have a share of
	breaches []Breach // if it is too large, or too small: who can have caused that by getting no processor; empty: nobody can
	found
}

func (s share) value() float64 { return s.got / s.of }

// keeps is whether a share is between two limits; inconclusive when it depends on what is unclear.
func (s share) keeps(least, most float64) Outcome {
	switch {
	case s.lack != "":
		return Inconclusive
	case least <= s.value() && s.value() <= most:
		return Pass
	case s.value() < least && (s.got+s.unclear)/s.of >= least:
		return Inconclusive
	default:
		return Fail
	}
}

func (q part) answer(a asked) Finding {
	rows := q.rows(a)
	if len(rows) == 0 {
		return Finding{}
	}
	worst, outcome, breaches := worstOf(rows, func(row share) (Outcome, float64, []Breach) {
		low, high := q.limits(a.Expectation, row)
		return row.keeps(low, high), max(low-row.value(), row.value()-high), row.breaches
	})
	if worst.lack != "" {
		return undecided(worst.lack)
	}
	low, high := q.limits(a.Expectation, worst)
	says := q.says(a, worst)
	switch {
	case math.IsInf(high, 0):
		says += fmt.Sprintf(", at least %.4g %% expected", 100*low)
	case math.IsInf(low, 0):
		says += fmt.Sprintf(", %.4g %% allowed", 100*high)
	default:
		says += fmt.Sprintf(", expected %.1f %% to %.1f %%", 100*low, 100*high)
	}
	f := Finding{Outcome: outcome, Breaches: breaches}
	if worst.got == 0 && math.IsInf(low, 0) {
		f.Grounds = Unseen
	}
	facts := worst.facts
	if len(worst.hits) > 0 {
		facts = append(describeHits(worst.hits, worst.count, a.tl).facts, facts...)
	}
	if len(rows) > 1 {
		facts = append(facts, Detail{"worst of", phrase.Number(len(rows))})
	}
	if outcome == Fail && q.untested {
		return Finding{}.tell([]string{says}, facts...)
	}
	if outcome == Fail {
		f.Witnesses = witnesses(worst.hits)
	}
	return orUncertain(f, []string{says}, facts...)
}

// atLeastPercent is the limit of a share that has none above.
func atLeastPercent(x evidence.Expectation, _ share) (least, most float64) {
	return float64(x.Percent) / 100, math.Inf(1)
}
