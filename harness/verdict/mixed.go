package verdict

import (
	"fmt"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

const oneVersion = "one of the versions gave 0 replies"

// CleanCut expects that the new version gives its first reply after the old one gave its last, on all lanes.
func CleanCut() evidence.Expectation { return evidence.Expectation{Rule: cleanCut().ID} }

func cleanCut() Rule {
	return Rule{
		ID: "clean-cut", Claim: "no client is answered by the old version once any is by the new one",
		Lanes: ServiceLanes, judge: judgeCleanCut,
		Unit: "reply", Untested: "the new version gave no reply",
		exposed: newReplies,
		needs:   underLoad(evidence.AboutReplies, evidence.AboutLatencies),
	}
}

func judgeCleanCut(_ evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) Finding {
	pause, ok := tl.Pause()
	if !ok {
		return undecided(oneVersion)
	}
	outcome := atLeast(pause, 0)
	if pause.Length < 0 {
		pause.Length = -pause.Length
		return orUncertain(shows(Fail, Finding{
			Outcome:  outcome,
			Headline: fmt.Sprintf("%s and %s both answered for %s, so the switch was no clean cut", tl.Old, tl.New, phrase.Duration(pause.Length)),
			Because:  fmt.Sprintf("both versions answered for %s", phrase.Elapsed(pause)),
		}))
	}
	return orUncertain(shows(Fail, Finding{
		Outcome: outcome,
		Because: fmt.Sprintf("%s gave its first reply %s after %s gave its last", tl.New, phrase.Elapsed(pause), tl.Old),
	}))
}

// MaxMixedWindow expects that both versions answer for no longer than d.
func MaxMixedWindow(d time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: maxMixedWindow().ID, Max: d}
}

func maxMixedWindow() Rule {
	return Rule{
		ID: "max-mixed-window", Claim: "clients are answered by both versions for no longer than allowed",
		Lanes: ServiceLanes, judge: judgeMaxMixedWindow,
		Unit: "reply", Untested: "no request was sent for longer than that after the first reply of the new version",
		exposed: repliesAfterMixing,
		needs:   underLoad(evidence.AboutReplies, evidence.AboutLatencies),
	}
}

func judgeMaxMixedWindow(x evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) Finding {
	length, ok := mixedWindow(tl, x.Conn)
	if !ok {
		return undecided(oneVersion)
	}
	return orUncertain(shows(Fail, Finding{
		Outcome: within(length, x.Max),
		Because: fmt.Sprintf("both versions answered for %s, %s allowed", phrase.Elapsed(length), phrase.Seconds(x.Max)),
	}))
}

// MinMixedWindow expects that both versions answer for d at least.
func MinMixedWindow(d time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: minMixedWindow().ID, Min: d}
}

func minMixedWindow() Rule {
	return Rule{
		ID: "min-mixed-window", Claim: "clients are answered by both versions for as long as expected",
		Lanes: ServiceLanes, judge: judgeMinMixedWindow,
		Unit: "reply", Untested: "one of the versions gave no reply",
		exposed: allReplies,
		needs:   seeing(evidence.AboutReplies, evidence.AboutLatencies),
	}
}

func judgeMinMixedWindow(x evidence.Expectation, tl timeline.Timeline, _ []timeline.Lane) Finding {
	length, ok := mixedWindow(tl, x.Conn)
	if !ok {
		return undecided(oneVersion)
	}
	return orUncertain(shows(Pass, Finding{
		Outcome: atLeast(length, x.Min),
		Because: fmt.Sprintf("both versions answered for %s, at least %s expected", phrase.Elapsed(length), phrase.Seconds(x.Min)),
	}))
}

func mixedWindow(tl timeline.Timeline, conn evidence.Conn) (timeline.Elapsed, bool) {
	window, ok := tl.MixedWindow(conn)
	return timeline.Elapsed{Length: window.Length(), Uncertainty: window.Uncertainty}, ok
}
