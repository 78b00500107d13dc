package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// LostAtSteps expects that requests from pods are lost at a step of maintenance whose text has one of these in it: a negative
// control of LossesAtSteps. No such loss is no failure of the cluster but a blind harness.
func LostAtSteps(texts ...string) evidence.Expectation {
	return evidence.Expectation{Rule: lostAtSteps().ID, Values: texts}
}

func lostAtSteps() Rule {
	return Rule{
		ID: "lost-at-steps", Claim: "clients in the cluster lose requests at those steps of maintenance at which they have to",
		Lanes: DamageLanes, judge: judgeLostAtSteps,
		Unit: "step", Untested: "no such step was marked", Precondition: true,
		exposed: stepsMarked,
		needs:   sinceBegin(evidence.AboutFailures),
	}
}

func stepsMarked(x evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) (n int) {
	for _, step := range tl.MarkedSteps() {
		if matches(step, x.Values) {
			n++
		}
	}
	return n
}

func judgeLostAtSteps(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	var lost []timeline.Hit
	var at []timeline.Loss
	for _, l := range tl.Losses(lanes) {
		if l.Step != nil && !slices.ContainsFunc(l.Belongs(), func(s timeline.Step) bool { return !matches(s, x.Values) }) {
			lost, at = append(lost, l.Hits...), append(at, l)
		}
	}
	wanted := strings.Join(x.Values, " or ")
	if len(lost) == 0 {
		return undecided(fmt.Sprintf("blind: 0 requests from pods were lost at a step %q, so a loss would not be seen", wanted))
	}
	slices.SortStableFunc(lost, func(a, b timeline.Hit) int { return cmp.Compare(a.Sent, b.Sent) })
	return Finding{
		Outcome: Pass, Grounds: Seen,
		Headline: fmt.Sprintf("%s from pods were lost at a step %q, as they should", phrase.Count(len(lost), "request"), wanted),
		Facts:    []Detail{{"by kind", kinds(lost)}, {"losses", tally(at)}},
		Because: fmt.Sprintf("%s from pods were lost at a step %q (%s): %s", phrase.Count(len(lost), "request"), wanted, kinds(lost),
			tally(at)),
		Witnesses: witnesses(lost),
	}
}
