package verdict

import (
	"fmt"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// OrderedSwitch expects that a keep-alive connection on which the new version has answered never gives a
// reply by another again.
func OrderedSwitch() evidence.Expectation { return evidence.Expectation{Rule: orderedSwitch().ID} }

func orderedSwitch() Rule {
	return Rule{
		ID: "ordered-switch", Claim: "a client that keeps its connection never goes back from the new version",
		Lanes: KeepAliveLanes, judge: judgeOrderedSwitch,
		Unit: "reply", Untested: "no connection on which the new version had answered gave another reply",
		exposed: repliesSinceSwitch,
		needs:   underLoad(evidence.AboutReplies),
	}
}

func judgeOrderedSwitch(_ evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	switched := 0
	for _, lane := range lanes {
		switched += lane.Summary.ByVersion[tl.New]
	}
	back := timeline.Returns(lanes)
	switch {
	case switched == 0:
		return undecided(fmt.Sprintf("0 replies on keep-alive connections were by %s", tl.New))
	case len(back) == 0:
		return Finding{
			Outcome: Pass, Grounds: Unseen,
			Headline: fmt.Sprintf("0 keep-alive connections went back after %s by %s", phrase.Count(switched, "reply"), tl.New),
			Because:  fmt.Sprintf("0 connections on %s went back after %d replies by %s", phrase.Count(len(lanes), "lane"), switched, tl.New),
		}
	}
	of := describeHits(back, tl)
	return Finding{
		Outcome: Fail, Grounds: Seen,
		Headline: fmt.Sprintf("%s %s came from another version after %s had answered on the connection",
			phrase.Count(len(back), "reply"), of.where(), tl.New),
		Facts: of.facts(),
		Because: fmt.Sprintf("%s on connections that had given one by %s came from another version, %s",
			phrase.Count(len(back), "reply"), tl.New, of),
		Witnesses: witnesses(back),
	}
}
