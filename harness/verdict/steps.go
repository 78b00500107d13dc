package verdict

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// LossesAtSteps expects that every request through the Service that fails was sent within d after a step of maintenance whose text
// contains one of texts, and before the next step: so the cause of every loss is known. An outage
// belongs to the last step at or before its first failed request. Without texts no loss is expected at any step.
func LossesAtSteps(d time.Duration, texts ...string) Expectation {
	return Expectation{Rule: lossesAtSteps.ID, Max: d, Values: texts}
}

var lossesAtSteps = Rule{
	ID: "losses-at-steps", Claim: "clients lose requests at those steps of maintenance at which they have to, and at no other",
	Lanes: ServiceLanes, Unit: "request", Untested: "no request was sent through the Service once maintenance had begun",
	exposed: sentSinceBegun, needs: underLoad(evidence.AboutFailures),
	lack:     unless(func(tl timeline.Timeline) bool { return len(tl.MarkedSteps()) > 0 }, "0 steps of maintenance were marked"),
	question: attribution{},
}

// attribution is the question whether each loss belongs to an expected step. It depends on two clocks, and on several steps that may fit.
type attribution struct{}

func (attribution) answer(a args) Finding {
	losses := timeline.Losses(a.lanes, a.tl.MarkedSteps())
	outcome := Pass
	var worst []timeline.Hit
	var where []string
	for _, l := range losses {
		kept := belongs(l, a.Expectation)
		if worse(kept, outcome) {
			outcome, worst, where = kept, nil, nil
		}
		if kept == outcome && kept != Pass {
			worst = append(worst, l.Hits...)
			if at := place(l); !slices.Contains(where, at) {
				where = append(where, at)
			}
		}
	}
	facts := []Detail{{"steps", fmt.Sprint(len(a.tl.MarkedSteps()))}, {"losses", tally(losses)}}
	if outcome == Pass {
		none := fmt.Sprintf("0 of %s failed at a step where none should", phrase.Count(requests(a), "request"))
		if failed := len(timeline.Failed(a.lanes)); failed > 0 {
			none += fmt.Sprintf(", %d at steps where losses are expected", failed)
		}
		return Finding{Outcome: Pass, Grounds: Unseen}.withTexts([]string{none}, facts...)
	}
	slices.SortStableFunc(worst, timeline.BySent)
	of := describeHits(worst, len(worst), a.tl)
	lost := phrase.Count(len(worst), "lost request")
	f := Finding{Outcome: outcome, Grounds: Seen, Witnesses: witnesses(worst)}
	return orUncertain(f, []string{
		fmt.Sprintf("%s (%s) at %s, where none should be", lost, of.kinds, strings.Join(where, ", ")),
		fmt.Sprintf("%s (%s) at %s", lost, of.kinds, strings.Join(where, ", ")),
		fmt.Sprintf("%s at %s and %s more", lost, where[0], phrase.Count(len(where)-1, "step")),
	}, append(of.facts, facts...)...)
}

// belongs returns Pass if a loss belongs to a step at which losses are expected, else Fail; Inconclusive when the clocks cannot tell.
func belongs(l timeline.Loss, x Expectation) Outcome {
	kept := map[timeline.Truth]bool{}
	if l.Step == nil {
		kept[timeline.No] = true
	}
	for _, step := range l.Belongs() {
		if !matches(step, x.Values) {
			kept[timeline.No] = true
			continue
		}
		kept[l.Since(step, l.Hits[len(l.Hits)-1]).AtMost(x.Max)] = true
	}
	switch {
	case len(kept) > 1 || kept[timeline.Unknown]:
		return Inconclusive
	case kept[timeline.No]:
		return Fail
	}
	return Pass
}

func matches(step timeline.Step, texts []string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(step.What, text) })
}

// place returns the steps that a loss may belong to, and those reached while it lasted.
func place(l timeline.Loss) string {
	var at []string
	if l.Step == nil {
		at = append(at, "no step")
	}
	for _, step := range l.Belongs() {
		at = append(at, quoted(step))
	}
	where := strings.Join(at, " or ")
	for _, step := range l.Meanwhile {
		where += " to " + quoted(step)
	}
	return where
}

func quoted(step timeline.Step) string {
	if step.Node == "" {
		return fmt.Sprintf("%q", step.What)
	}
	return fmt.Sprintf("%q of %s", step.What, step.Node)
}

// tally counts failed requests by the step that they belong to; empty without any.
func tally(losses []timeline.Loss) string {
	failed := map[string]int{}
	for _, l := range losses {
		failed[place(l)] += l.Failed
	}
	return mostFirst("%[2]d at %[1]s", failed)
}

// LostAtSteps expects that requests from pods are lost at a step of maintenance whose text contains one of texts: a negative
// control of LossesAtSteps. Without such a loss the cluster has not failed, but the harness may be blind.
func LostAtSteps(texts ...string) Expectation {
	return Expectation{Rule: lostAtSteps.ID, Values: texts}
}

var lostAtSteps = Rule{
	ID: "lost-at-steps", Claim: "clients in the cluster lose requests at those steps of maintenance at which they have to",
	Lanes: DamageLanes, Unit: "step", Untested: "no such step was marked", Precondition: true, exposed: stepsNamed,
	needs: sinceBegin(evidence.AboutFailures),
	question: some{noun: "request", did: `from pods {were} lost at a step "{values}"`, rows: func(a args) (f found) {
		var at []timeline.Loss
		for _, l := range timeline.Losses(a.lanes, a.tl.MarkedSteps()) {
			if l.Step != nil && !slices.ContainsFunc(l.Belongs(), func(s timeline.Step) bool { return !matches(s, a.Values) }) {
				f.hits, at = append(f.hits, l.Hits...), append(at, l)
			}
		}
		slices.SortStableFunc(f.hits, timeline.BySent)
		f.count, f.facts = len(f.hits), []Detail{{"losses", tally(at)}}
		return f
	}},
}

// StepInRollout expects that a step of maintenance whose text contains one of texts is reached during the rollout: otherwise
// nothing shows what the step does to a rollout.
func StepInRollout(texts ...string) Expectation {
	return Expectation{Rule: stepInRollout.ID, Values: texts}
}

var stepInRollout = Rule{
	ID: "step-in-rollout", Claim: "maintenance reaches the named step while the rollout is under way",
	Unit: "step", Untested: "no such step was marked", Precondition: true, exposed: stepsNamed,
	marks: []evidence.EventKind{evidence.RolloutBegun, evidence.StatusDone}, needs: seeing(evidence.AboutMarks),
	question: some{of: stepsNamed, did: `{were} reached in the rollout: "{values}"`, rows: func(a args) (f found) {
		begun, done := a.at(evidence.RolloutBegun), a.at(evidence.StatusDone)
		for _, step := range a.tl.MarkedSteps() {
			if matches(step, a.Values) {
				f.facts = append(f.facts, Detail{step.String(), phrase.Seconds(step.At)})
			}
			if matches(step, a.Values) && begun <= step.At && step.At < done {
				f.count++
			}
		}
		f.facts = append(f.facts, Detail{string(evidence.StatusDone), phrase.Seconds(done)})
		f.whole = true // the rollout may have been done before that was seen
		return f
	}},
}

// stepsNamed counts the marked steps that the expectation names.
func stepsNamed(a args) (n int) {
	for _, step := range a.tl.MarkedSteps() {
		if matches(step, a.Values) {
			n++
		}
	}
	return n
}
