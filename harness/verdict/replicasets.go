package verdict

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// Scaling expects that, from the rollout's begin on, ReplicaSets are given these sizes in this order, each
// written "v2:1", and others only afterwards. From when an autoscaler gives the Deployment another size they are other ones: it and
// the Deployment controller do not wait for each other.
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
		if by, ok := rescaled(got[i], tl); ok {
			return asFarAs(sizes[:i], by, f)
		}
		// The steps to a size are as large as many pods are available.
		begun, _ := tl.Mark(evidence.RolloutBegun)
		f.Breaches = unready(tl.UnreadyBetween(begun, got[i].At))
	}
	return f
}

// saidAfter is how long after its write an autoscaler may be seen to tell of it. Our own choice: 0.01 to 0.2 s were seen.
const saidAfter = 5 * time.Second

// rescaled is the size that an autoscaler had given the Deployment before a ReplicaSet was given its own: it had said so, or said soon
// after that it had given just that number.
func rescaled(s timeline.Scaling, tl timeline.Timeline) (by timeline.Rescale, ok bool) {
	for _, by := range tl.Rescales() {
		if by.At <= s.At || by.At <= s.At+saidAfter && by.Size == s.Size {
			return by, true
		}
	}
	return timeline.Rescale{}, false
}

// asFarAs makes a failure a pass if an autoscaler gave the Deployment another size after some that were as expected.
func asFarAs(expected []string, by timeline.Rescale, f Finding) Finding {
	given := fmt.Sprintf("an autoscaler gave the Deployment %s", phrase.Count(by.Size, "pod"))
	if len(expected) == 0 {
		f.Outcome, f.Headline = Inconclusive, given+" before its ReplicaSets were given a size"
		f.Because += "; " + f.Headline
		return f
	}
	f.Outcome, f.Headline = Pass, phrase.Headline(
		fmt.Sprintf("ReplicaSets were scaled as expected, to %s, until %s", strings.Join(expected, " "), given),
		"ReplicaSets were scaled as expected, until "+given)
	f.Because += fmt.Sprintf("; after %s %s, and waits for nobody", expected[len(expected)-1], given)
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
