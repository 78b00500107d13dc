package verdict

import (
	"time"

	"example.com/rollcall/harness/timeline"
)

// within is whether a duration keeps a limit; inconclusive when the clocks cannot tell.
func within(d timeline.Elapsed, limit time.Duration) Outcome {
	switch {
	case d.Length+d.Uncertainty <= limit:
		return Pass
	case d.Length-d.Uncertainty > limit:
		return Fail
	default:
		return Inconclusive
	}
}

// inside is whether a duration keeps both bounds; inconclusive when the clocks cannot tell.
func inside(d timeline.Elapsed, least, most time.Duration) Outcome {
	short, long := within(timeline.Elapsed{Length: -d.Length, Uncertainty: d.Uncertainty}, -least), within(d, most)
	if worse(long, short) {
		return long
	}
	return short
}

// worstOf is which of some rows, of at least one, decides what becomes of all, and what that is: of those with the worst outcome the
// one that is most beyond what is allowed. The breaches are those of all rows that fail; none if one of them has none: nobody who
// waited can have caused that one.
func worstOf[R any](rows []R, judge func(R) (kept Outcome, beyond float64, by []Breach)) (worst R, outcome Outcome, breaches []Breach) {
	most, excusable := 0.0, true
	for i, row := range rows {
		kept, beyond, by := judge(row)
		if i == 0 || worse(kept, outcome) || kept == outcome && beyond > most {
			worst, outcome, most = row, kept, beyond
		}
		if kept == Fail {
			breaches, excusable = append(breaches, by...), excusable && len(by) > 0
		}
	}
	if !excusable {
		return worst, outcome, nil
	}
	return worst, outcome, breaches
}

// worse reports whether of two outcomes about parts of a run the first decides the whole.
func worse(a, b Outcome) bool {
	rank := map[Outcome]int{Pass: 0, Inconclusive: 1, Fail: 2}
	return rank[a] > rank[b]
}

// orUncertain has a finding say a sentence, and why it decides nothing where what is beside a bound is uncertain.
func orUncertain(f Finding, wordings []string, facts ...Detail) Finding {
	if f.Outcome == Inconclusive {
		f.Uncertain = true
		uncertain := make([]string, len(wordings))
		for i, wording := range wordings {
			uncertain[i] = wording + "; too uncertain to tell"
		}
		wordings = append(uncertain, wordings...)
	}
	return f.tell(wordings, facts...)
}
