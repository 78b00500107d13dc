package verdict

import (
	"fmt"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

const noCapacity = "0 pods were seen before the rollout, or a mark is missing, so capacity is unknown"

// MinAvailable expects at least n available pods throughout the rollout. A pod that turns unready without a
// deletion is not held against the cluster if it or its kubelet got no processor (see [Excuses]).
func MinAvailable(n int) evidence.Expectation {
	return evidence.Expectation{Rule: minAvailable().ID, Count: n}
}

func minAvailable() Rule {
	return Rule{
		ID: "min-available", Claim: "clients always have the expected number of available pods",
		judge: judgeMinAvailable,
		Unit:  "change of pods", Untested: "no pod changed while the rollout went on",
		exposed: podChanges,
		needs:   ofRollout,
	}
}

func judgeMinAvailable(x evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) Finding {
	lowest, ok := tl.MinAvailable()
	switch {
	case x.Count < 1:
		return atLeastOnePod(x)
	case !ok:
		return undecided(noCapacity)
	}
	f := Finding{
		Outcome:  Pass,
		Headline: fmt.Sprintf("%s or more were always available, at least %d expected", phrase.Count(lowest.Available, "pod"), x.Count),
		Facts:    []Detail{{"fewest available at", phrase.Seconds(lowest.At)}},
		Because: fmt.Sprintf("never fewer than %s available, reached at %s, at least %d expected",
			phrase.Count(lowest.Available, "pod"), phrase.Seconds(lowest.At), x.Count),
	}
	if lowest.Available >= x.Count {
		return f
	}
	f.Outcome = Fail
	f.Headline = fmt.Sprintf("%s available at the worst moment, at least %d expected", phrase.Count(lowest.Available, "pod"), x.Count)
	begun, _ := tl.Mark(evidence.RolloutBegun)
	if short, ok := tl.Shortfall(x.Count, begun, tl.RolloutEnd()); ok {
		f.Breaches = unready(short.Because)
	}
	return f
}

// MaxPods expects at most n pods throughout the rollout, terminating ones included.
func MaxPods(n int) evidence.Expectation { return evidence.Expectation{Rule: maxPods().ID, Count: n} }

func maxPods() Rule {
	return Rule{
		ID: "max-pods", Claim: "clients are served by no more pods than allowed, terminating ones included",
		judge: judgeMaxPods,
		Unit:  "change of pods", Untested: "no pod changed while the rollout went on",
		exposed: podChanges,
		needs:   ofRollout,
	}
}

func judgeMaxPods(x evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) Finding {
	highest, ok := tl.MaxPods()
	switch {
	case x.Count < 1:
		return atLeastOnePod(x)
	case !ok:
		return undecided(noCapacity)
	}
	f := Finding{
		Outcome:  Pass,
		Headline: fmt.Sprintf("at most %s at once, terminating ones included, %d allowed", phrase.Count(highest.Total, "pod"), x.Count),
		Facts:    []Detail{{"most pods at", phrase.Seconds(highest.At)}},
		Because: fmt.Sprintf("never more than %s, reached at %s, at most %d expected",
			phrase.Count(highest.Total, "pod"), phrase.Seconds(highest.At), x.Count),
	}
	if highest.Total > x.Count {
		f.Outcome = Fail
		f.Headline = fmt.Sprintf("%s at once, terminating ones included, at most %d allowed", phrase.Count(highest.Total, "pod"), x.Count)
	}
	return f
}

func atLeastOnePod(x evidence.Expectation) Finding {
	return undecided(fmt.Sprintf("the rule takes at least 1 pod, got %d", x.Count))
}
