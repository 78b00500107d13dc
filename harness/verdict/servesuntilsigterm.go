package verdict

import (
	"fmt"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// ServesUntilSigterm expects that while no pod is ready those that terminate answer, until the first of them gets SIGTERM.
func ServesUntilSigterm() evidence.Expectation {
	return evidence.Expectation{Rule: servesUntilSigterm().ID}
}

func servesUntilSigterm() Rule {
	return Rule{
		ID: "serves-until-sigterm", Claim: "clients are answered by terminating pods until SIGTERM when no other pod is ready",
		Lanes: ServiceLanes, judge: judgeServesUntilSigterm,
		Unit: "request", Untested: "no request was sent while terminating pods, none of which had got SIGTERM, were the only ones",
		exposed: sentToOnlyTerminating,
		needs:   sinceBegin(evidence.AboutReplies, evidence.AboutFailures, evidence.AboutAPI, evidence.AboutPodSteps),
	}
}

func sentToOnlyTerminating(_ evidence.Expectation, _ timeline.Timeline, lanes []timeline.Lane) (n int) {
	for _, lane := range lanes {
		n += lane.Summary.WhileOnlyTerminating
	}
	return n
}

// unaccepted is how long before a SIGTERM a request may be sent that the pod's socket has not accepted when it closes. Our own
// choice: a hundred times what a request takes.
const unaccepted = 100 * time.Millisecond

func judgeServesUntilSigterm(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	windows := tl.OnlyTerminating()
	var lost []timeline.Hit
	for _, lane := range lanes {
		for _, h := range lane.Failed {
			if lane.SentIn(h, windows, unaccepted) {
				lost = append(lost, h)
			}
		}
	}
	sent := sentToOnlyTerminating(x, tl, lanes)
	because := fmt.Sprintf("%d of %s sent while only terminating pods were there failed before the first SIGTERM", len(lost),
		phrase.Count(sent, "request"))
	if len(lost) == 0 {
		return Finding{Outcome: Pass, Because: because}
	}
	of := describeHits(lost, tl)
	return Finding{
		Outcome: Fail,
		Headline: fmt.Sprintf("%s of %s failed while only terminating pods were there, before SIGTERM",
			phrase.Number(len(lost)), phrase.Count(sent, "request")),
		Facts:     of.facts(),
		Because:   because + ": " + of.String(),
		Witnesses: witnesses(lost),
	}
}
