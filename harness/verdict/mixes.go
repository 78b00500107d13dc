package verdict

import (
	"fmt"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// Mixes expects that at least n times a client that makes a new connection for every request was answered by the old version
// after the new one.
func Mixes(n int) evidence.Expectation { return evidence.Expectation{Rule: mixes().ID, Count: n} }

func mixes() Rule {
	return Rule{
		ID: "mixes", Claim: "clients with new connections are answered by the old version again after the new one",
		Lanes: RoutedLanes, judge: judgeMixes,
		Unit: "reply", Untested: "the new version gave no reply on a new connection",
		exposed: newReplies,
		needs:   underLoad(evidence.AboutReplies),
	}
}

func judgeMixes(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	back, replies := 0, 0
	for _, lane := range lanes {
		back += lane.Summary.Back
		replies += lane.Summary.ByVersion[tl.New]
	}
	if replies == 0 {
		return undecided(fmt.Sprintf("0 replies on new connections were by %s", tl.New))
	}
	times := "times"
	if back == 1 {
		times = "time"
	}
	f := Finding{
		Outcome: Pass,
		Headline: fmt.Sprintf("%s %s a client got a reply by %s right after one by %s, at least %d expected",
			phrase.Number(back), times, tl.Old, tl.New, x.Count),
		Because: fmt.Sprintf("%d %s in %d replies by %s a client with new connections got its next one by %s, at least %d expected",
			back, times, replies, tl.New, tl.Old, x.Count),
	}
	if back < x.Count {
		f.Outcome = Fail
	}
	return f
}
