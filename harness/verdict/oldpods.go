package verdict

import (
	"fmt"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// OldAtStatus expects that at least n old pods are still there when the API server says that the rollout is done.
func OldAtStatus(n int) evidence.Expectation {
	return evidence.Expectation{Rule: oldAtStatus().ID, Count: n}
}

func oldAtStatus() Rule {
	return Rule{
		ID: "old-at-status", Claim: "clients may still reach old pods when the API server says that the rollout is done",
		needs: always(needs{marks: []evidence.EventKind{evidence.StatusDone},
			subjects: []evidence.Subject{evidence.AboutAPI, evidence.AboutMarks, evidence.AboutPodSteps}}),
		judge: judgeOldAtStatus,
		Unit:  "old pod", Untested: "no old pod was seen",
		exposed: oldPods,
	}
}

func judgeOldAtStatus(x evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) Finding {
	done, ok := tl.Mark(evidence.StatusDone)
	switch {
	case x.Count < 1:
		return atLeastOnePod(x)
	case !ok:
		return missing(evidence.StatusDone)
	}
	there := tl.OldPodsAt(done)
	f := Finding{
		Outcome: Pass,
		Headline: fmt.Sprintf("%s of %s still there when the rollout was said to be done, at least %d expected",
			phrase.Count(there, "pod"), tl.Old, x.Count),
		Facts: []Detail{{string(evidence.StatusDone), phrase.Seconds(done)}},
		Because: fmt.Sprintf("%s of %s still there when the rollout was said to be done at %s, at least %d expected",
			phrase.Count(there, "pod"), tl.Old, phrase.Seconds(done), x.Count),
	}
	if there < x.Count {
		f.Outcome = Fail
	}
	return f
}

// OldEndsFirst expects that no pod of the new version is created before the process of the last old one has ended.
func OldEndsFirst() evidence.Expectation { return evidence.Expectation{Rule: oldEndsFirst().ID} }

func oldEndsFirst() Rule {
	return Rule{
		ID: "old-ends-first", Claim: "no pod of the new version is there before the last old one has ended",
		judge: judgeOldEndsFirst,
		Unit:  "old pod", Untested: "no old pod was seen",
		exposed: oldPods,
		needs:   seeing(evidence.AboutAPI, evidence.AboutPodSteps),
	}
}

func judgeOldEndsFirst(_ evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) Finding {
	gap, ok := tl.OldToNew()
	if !ok {
		return undecided("an end of every old pod and the creation of a new one were not seen")
	}
	when := phrase.Duration(gap.Length) + " after"
	if gap.Length < 0 {
		when = phrase.Duration(-gap.Length) + " before"
	}
	return orUncertain(shows(Fail, Finding{
		Outcome:  atLeast(gap, 0),
		Headline: fmt.Sprintf("the first pod of %s was created %s the last one of %s had ended", tl.New, when, tl.Old),
		Facts:    []Detail{{"from the last end to the first creation", phrase.Elapsed(gap)}},
		Because:  fmt.Sprintf("the first pod of %s was created %s after the last one of %s had ended", tl.New, phrase.Elapsed(gap), tl.Old),
	}))
}
