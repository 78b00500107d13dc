package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// ReplyGap expects that the longest time in which a client gets no good reply lasts min to max, as closely as one can tell that asks
// once in a period. Requests that wait and then succeed are part of it.
func ReplyGap(min, max time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: replyGap().ID, Min: min, Max: max}
}

func replyGap() Rule {
	return Rule{
		ID: "reply-gap", Claim: "every client gets no good reply for as long as expected, and no longer",
		Lanes: ServiceLanes, judge: judgeReplyGap,
		Unit: "request", Untested: "no request was sent through the Service once the rollout had begun",
		exposed: sentSinceBegun,
		needs:   underLoad(evidence.AboutFailures, evidence.AboutLatencies),
	}
}

func judgeReplyGap(x evidence.Expectation, _ timeline.Timeline, lanes []timeline.Lane) Finding {
	if requests(lanes) == 0 {
		return undecided("0 requests were sent through the Service")
	}
	// How far a lane's gap surely is outside of what is expected; negative inside.
	off := func(l timeline.Lane) time.Duration {
		gap := l.Summary.Gap
		return max(x.Min-gap.Length(), gap.Length()-x.Max) - gap.Period
	}
	worst := slices.MaxFunc(lanes, func(a, b timeline.Lane) int { return cmp.Compare(off(a), off(b)) })
	gap := worst.Summary.Gap
	f := Finding{
		Outcome: Pass,
		Headline: fmt.Sprintf("%s got no good reply for %s, expected %s to %s", worst.ID, phrase.Duration(gap.Length()),
			phrase.Duration(x.Min), phrase.Duration(x.Max)),
		Facts: []Detail{{"lane", worst.ID}, {"from", phrase.Seconds(gap.From)}, {"lasted", phrase.Duration(gap.Length())}},
		Because: fmt.Sprintf("%s got no good reply for %s from %s on, expected %s to %s with an error of %s, in which it asks once; of %s none is "+
			"nearer to these bounds or further beyond them", worst.ID, phrase.Duration(gap.Length()), phrase.Seconds(gap.From),
			phrase.Duration(x.Min), phrase.Duration(x.Max), phrase.Duration(gap.Period), phrase.Count(len(lanes), "lane")),
	}
	if off(worst) > 0 {
		f.Outcome = Fail
	}
	return f
}
