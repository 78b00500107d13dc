package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// LossesAtSteps expects that every request through the Service that fails was sent within d after a step of maintenance whose text
// has one of these in it, and before the next step: whoever maintains the cluster knows what every loss comes from. An outage
// belongs to the last step at or before its first failed request. Without a text no loss is expected at any step.
func LossesAtSteps(d time.Duration, texts ...string) evidence.Expectation {
	return evidence.Expectation{Rule: lossesAtSteps().ID, Max: d, Values: texts}
}

func lossesAtSteps() Rule {
	return Rule{
		ID: "losses-at-steps", Claim: "clients lose requests at those steps of maintenance at which they have to, and at no other",
		Lanes: ServiceLanes, judge: judgeLossesAtSteps,
		Unit: "request", Untested: "no request was sent through the Service once maintenance had begun",
		exposed: sentSinceBegun,
		needs:   underLoad(evidence.AboutFailures),
	}
}

func judgeLossesAtSteps(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	switch {
	case requests(lanes) == 0:
		return undecided("0 requests were sent through the Service")
	case len(tl.MarkedSteps()) == 0:
		return undecided("0 steps of maintenance were marked")
	}
	losses := tl.Losses(lanes)
	outcome := Pass
	var worst []timeline.Hit
	var where []string
	for _, l := range losses {
		kept, at := attributed(l, x)
		if worse(kept, outcome) {
			outcome, worst, where = kept, nil, nil
		}
		if kept == outcome && kept != Pass {
			worst = append(worst, l.Hits...)
			if !slices.Contains(where, at) {
				where = append(where, at)
			}
		}
	}
	failed := timeline.Failed(lanes)
	if outcome == Pass {
		none := fmt.Sprintf("0 of %s requests failed at a step where none should", phrase.Number(requests(lanes)))
		return Finding{
			Outcome: Pass, Grounds: Unseen,
			Headline: phrase.Headline(none+more(len(failed), tally(losses)), none+more(len(failed), "")),
			Facts:    []Detail{{"steps", fmt.Sprint(len(tl.MarkedSteps()))}, {"losses", tally(losses)}},
			Because:  none + more(len(failed), tally(losses)),
		}
	}
	slices.SortStableFunc(worst, func(a, b timeline.Hit) int { return cmp.Compare(a.Sent, b.Sent) })
	of := describeHits(worst, tl)
	f := Finding{
		Outcome: outcome, Grounds: Seen,
		Headline: phrase.Headline(fmt.Sprintf("%s (%s) at %s", phrase.Count(len(worst), "lost request"), of.kinds, strings.Join(where, ", ")),
			fmt.Sprintf("%s at %s and %s more", phrase.Count(len(worst), "lost request"), where[0], phrase.Count(len(where)-1, "step"))),
		Facts: append(of.facts(), Detail{"at", strings.Join(where, ", ")}, Detail{"losses", tally(losses)}),
		Because: fmt.Sprintf("of %s %d failed at %s, where none should (%s), %s", phrase.Count(requests(lanes), "request"), len(worst),
			strings.Join(where, " and "), of.kinds, of),
		Witnesses: witnesses(worst),
	}
	return orUncertain(f)
}

// attributed is whether a loss belongs to a step at which one may be, and where it was; inconclusive when the clocks cannot tell.
func attributed(l timeline.Loss, x evidence.Expectation) (Outcome, string) {
	outcomes := map[Outcome]bool{}
	if l.Step == nil {
		outcomes[Fail] = true
	}
	for _, step := range l.Belongs() {
		if !matches(step, x.Values) {
			outcomes[Fail] = true
			continue
		}
		outcomes[within(l.Since(step, l.Hits[len(l.Hits)-1]), x.Max)] = true
	}
	switch {
	case len(outcomes) > 1:
		return Inconclusive, place(l)
	case outcomes[Fail]:
		return Fail, place(l)
	case outcomes[Inconclusive]:
		return Inconclusive, place(l)
	}
	return Pass, place(l)
}

// matches reports whether a step is one of those that are named.
func matches(step timeline.Step, texts []string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(step.What, text) })
}

// place says where a loss was, with what else was begun while it lasted.
func place(l timeline.Loss) string {
	at := "no step"
	for i, step := range l.Belongs() {
		name := quoted(step)
		switch {
		case i > 0:
			at += " or " + name
		case l.Step == nil:
			at = "no step or " + name
		default:
			at = name
		}
	}
	for _, step := range l.Meanwhile() {
		at += " to " + quoted(step)
	}
	return at
}

func quoted(step timeline.Step) string {
	if step.Node == "" {
		return fmt.Sprintf("%q", step.What)
	}
	return fmt.Sprintf("%q of %s", step.What, step.Node)
}

// tally counts failed requests by the step that they belong to, in the order of the steps; empty without any.
func tally(losses []timeline.Loss) string {
	counts := map[string]int{}
	var order []string
	for _, l := range slices.SortedStableFunc(slices.Values(losses), func(a, b timeline.Loss) int { return cmp.Compare(a.From, b.From) }) {
		at := place(l)
		if counts[at] == 0 {
			order = append(order, at)
		}
		counts[at] += l.Failed
	}
	var parts []string
	for _, at := range order {
		parts = append(parts, fmt.Sprintf("%d at %s", counts[at], at))
	}
	return strings.Join(parts, ", ")
}

// more says how many failed where that was expected.
func more(failed int, at string) string {
	switch {
	case failed == 0:
		return ""
	case at == "":
		return fmt.Sprintf(", %d where some have to", failed)
	}
	return fmt.Sprintf(", %d where some have to: %s", failed, at)
}
