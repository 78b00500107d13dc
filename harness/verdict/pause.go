package verdict

import (
	"fmt"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// Pause expects that from the last reply by the old version until the first by the new one nobody is answered for min to max.
func Pause(min, max time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: pause().ID, Min: min, Max: max}
}

func pause() Rule {
	return Rule{
		ID: "pause", Claim: "no client is answered between the two versions, for as long as expected",
		Lanes: ServiceLanes, judge: judgePause,
		Unit: "reply", Untested: oneVersion,
		exposed: newReplies,
		needs:   underLoad(evidence.AboutReplies, evidence.AboutLatencies),
	}
}

func judgePause(x evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) Finding {
	length, ok := tl.Pause()
	if !ok {
		return undecided(oneVersion)
	}
	if length.Length < 0 {
		return orUncertain(Finding{
			Outcome:  inside(length, x.Min, x.Max),
			Headline: fmt.Sprintf("%s and %s both answered for %s: there was no pause", tl.Old, tl.New, phrase.Duration(-length.Length)),
			Because:  fmt.Sprintf("%s and %s both answered for %s, so there was no pause", tl.Old, tl.New, phrase.Duration(-length.Length)),
		})
	}
	return orUncertain(Finding{
		Outcome: inside(length, x.Min, x.Max),
		Headline: fmt.Sprintf("nobody was answered for %s between %s and %s, expected %s to %s",
			phrase.Duration(length.Length), tl.Old, tl.New, phrase.Duration(x.Min), phrase.Duration(x.Max)),
		Facts: []Detail{{"pause", phrase.Elapsed(length)}},
		Because: fmt.Sprintf("%s gave its first reply %s after %s gave its last, expected %s to %s",
			tl.New, phrase.Elapsed(length), tl.Old, phrase.Seconds(x.Min), phrase.Seconds(x.Max)),
	})
}
