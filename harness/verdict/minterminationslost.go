package verdict

import (
	"fmt"
	"strings"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// MinTerminationsLost expects that percent of the terminations lose a request that no other can have lost: a negative control.
func MinTerminationsLost(percent int) evidence.Expectation {
	return evidence.Expectation{Rule: minTerminationsLost().ID, Percent: percent}
}

func minTerminationsLost() Rule {
	return Rule{
		ID: "min-terminations-lost", Claim: "clients lose a request in so many of the ends of old pods that a loss in any would be seen",
		Lanes: RoutedLanes, judge: judgeMinTerminationsLost,
		Unit: termination, Untested: noTermination, Precondition: true,
		exposed: terminations,
		needs:   sinceBegin(evidence.AboutReplies, evidence.AboutFailures, evidence.AboutAPI),
	}
}

// judgeMinTerminationsLost counts no request twice. Too few are no failure of the cluster but a harness that does not see.
func judgeMinTerminationsLost(x evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) Finding {
	all := tl.Terminations()
	lost, shared := 0, 0
	var clean []string
	for _, one := range all {
		switch {
		case one.Certain > 0:
			lost++
			continue
		case one.Lost > 0:
			shared++
		}
		clean = append(clean, one.Pod+" from "+one.Node)
	}
	if len(all) == 0 {
		return undecided(noTermination)
	}
	f := Finding{
		Headline: fmt.Sprintf("%s of %s lost a request, %d %% expected: a loss might not be seen", phrase.Number(lost),
			phrase.Count(len(all), termination), x.Percent),
		Because: fmt.Sprintf("%d of %s lost a request that no other can have lost, %d %% expected", lost,
			phrase.Count(len(all), termination), x.Percent),
	}
	if 100*lost >= x.Percent*len(all) {
		f.Outcome = Pass
		f.Headline = fmt.Sprintf("%s of %s lost a request, as they should", phrase.Number(lost), phrase.Count(len(all), termination))
	}
	if len(clean) > 0 {
		f.Facts = []Detail{{"lost none of its own", strings.Join(clean[:min(len(clean), maxWitnesses)], ", ")}}
	}
	if shared > 0 {
		f.Facts = append(f.Facts, Detail{"lost one that may be another's", phrase.Count(shared, termination)})
	}
	return f
}
