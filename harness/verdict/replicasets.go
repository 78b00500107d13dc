package verdict

import (
	"fmt"
	"slices"
	"strings"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// Scaling expects that, from the rollout's begin on, ReplicaSets are given these sizes in this order, each
// written "v2:1", and others only afterwards.
func Scaling(sizes ...string) evidence.Expectation {
	return evidence.Expectation{Rule: scaling().ID, Values: sizes}
}

func scaling() Rule {
	return Rule{
		ID: "scaling", Claim: "ReplicaSets are scaled in the expected order",
		judge: judgeScaling,
		Unit:  "scaling", Untested: "no ReplicaSet was given a size once the rollout had begun",
		exposed: scalings,
		needs:   sinceBegin(evidence.AboutAPI),
	}
}

func judgeScaling(x evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) Finding {
	got, ok := tl.Scalings()
	switch {
	case !ok:
		return missing(evidence.RolloutBegun)
	case len(x.Values) == 0:
		return undecided("the rule names 0 sizes")
	}
	sizes := make([]string, len(got))
	for i, s := range got {
		sizes[i] = fmt.Sprintf("%s:%d", s.Version, s.Size)
	}
	given, expected := strings.Join(sizes, " "), strings.Join(x.Values, " ")
	f := Finding{
		Outcome:  Pass,
		Headline: "ReplicaSets were scaled as expected: " + given,
		Because:  "ReplicaSets were given the sizes " + given,
	}
	if len(sizes) >= len(x.Values) && slices.Equal(sizes[:len(x.Values)], x.Values) {
		return f
	}
	f.Outcome, f.Because = Fail, f.Because+", expected "+expected+" first"
	f.Headline = fmt.Sprintf("ReplicaSets were given only %s, %d expected", phrase.Count(len(sizes), "size"), len(x.Values))
	f.Facts = []Detail{{"sizes", given}, {"expected first", expected}}
	if i := firstDifference(sizes, x.Values); i >= 0 {
		f.Headline = fmt.Sprintf("scaling %d of the ReplicaSets was to %s, expected %s", i+1, sizes[i], x.Values[i])
		// The steps to a size are as large as many pods are available.
		begun, _ := tl.Mark(evidence.RolloutBegun)
		if pods := tl.UnreadyBetween(begun, got[i].At); len(pods) > 0 {
			return excuseUnready(f, pods)
		}
	}
	return f
}

// firstDifference is the first index at which both lists have an entry and not the same; -1 without one.
func firstDifference(got, expected []string) int {
	for i := range min(len(got), len(expected)) {
		if got[i] != expected[i] {
			return i
		}
	}
	return -1
}

// MaxActive expects that ReplicaSets never ask for more than n pods together.
func MaxActive(n int) evidence.Expectation {
	return evidence.Expectation{Rule: maxActive().ID, Count: n}
}

func maxActive() Rule {
	return Rule{
		ID: "max-active", Claim: "ReplicaSets never ask for more pods than allowed",
		judge: judgeMaxActive,
		Unit:  "scaling", Untested: "no ReplicaSet was given a size once the rollout had begun",
		exposed: scalings,
		needs:   seeing(evidence.AboutAPI),
	}
}

func judgeMaxActive(x evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) Finding {
	most, ok := tl.MaxActive()
	switch {
	case x.Count < 1:
		return atLeastOnePod(x)
	case !ok:
		return undecided("0 ReplicaSets were seen")
	}
	f := Finding{Outcome: Pass, Because: fmt.Sprintf("ReplicaSets never asked for more than %s, at most %d expected",
		phrase.Count(most, "pod"), x.Count)}
	if most > x.Count {
		f.Outcome = Fail
		f.Headline = fmt.Sprintf("ReplicaSets asked for %s together, at most %d expected", phrase.Count(most, "pod"), x.Count)
	}
	return f
}
