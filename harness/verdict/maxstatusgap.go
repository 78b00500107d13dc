package verdict

import (
	"fmt"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// MaxStatusGap expects that the old version gives its last reply no later than d after the API server said that the rollout is
// done. An old pod that serves while it terminates does so until its preStop hook and its drain are over.
func MaxStatusGap(d time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: maxStatusGap().ID, Max: d}
}

func maxStatusGap() Rule {
	return Rule{
		ID: "max-status-gap", Claim: "clients are answered by the old version for no longer than allowed after the rollout was said to be done",
		Lanes: ServiceLanes, judge: judgeMaxStatusGap,
		Unit: "reply", Untested: "no request sent after the rollout was said to be done was answered",
		exposed: repliesSinceStatus,
		needs: always(needs{marks: []evidence.EventKind{evidence.StatusDone, evidence.LoadEnded},
			subjects: []evidence.Subject{evidence.AboutReplies, evidence.AboutLatencies, evidence.AboutMarks}}),
	}
}

func repliesSinceStatus(_ evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) int {
	return replies(tl.RepliesSince(evidence.StatusDone, ""))
}

func judgeMaxStatusGap(x evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) Finding {
	if _, ok := tl.Mark(evidence.StatusDone); !ok {
		return missing(evidence.StatusDone)
	}
	gap, ok := tl.StatusGap()
	if !ok {
		return undecided(oneVersion)
	}
	when := phrase.Duration(gap.Length) + " after"
	if gap.Length < 0 {
		when = phrase.Duration(-gap.Length) + " before"
	}
	done, _ := tl.Mark(evidence.StatusDone)
	return orUncertain(Finding{
		Outcome: within(gap, x.Max),
		Breaches: late(timeline.Window{From: done, To: done + gap.Length}, gap.Length-x.Max,
			append(timeline.ControlPlane(), timeline.OnNode("")...)...),
		Headline: fmt.Sprintf("%s gave its last reply %s the rollout was said to be done, %s allowed", tl.Old, when, phrase.Duration(x.Max)),
		Facts:    []Detail{{"from status-done to the last old reply", phrase.Elapsed(gap)}},
		Because: fmt.Sprintf("%s gave its last reply %s after the rollout was said to be done, %s allowed",
			tl.Old, phrase.Elapsed(gap), phrase.Seconds(x.Max)),
	})
}
