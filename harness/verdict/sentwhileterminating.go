package verdict

import (
	"fmt"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// SentWhileTerminating expects that a request through the Service was sent while an old pod was terminating and another pod was
// ready: else nothing shows where such requests go.
func SentWhileTerminating() evidence.Expectation {
	return evidence.Expectation{Rule: sentWhileTerminating().ID}
}

func sentWhileTerminating() Rule {
	return Rule{
		ID: "sent-while-terminating", Claim: "clients send requests while an old pod is terminating and other pods are ready",
		Lanes: ServiceLanes, judge: judgeSentWhileTerminating,
		Unit: "request", Untested: noneWhileTerminating, Precondition: true,
		exposed: sentBesideTerminating,
		needs:   seeing(evidence.AboutReplies, evidence.AboutAPI),
	}
}

const noneWhileTerminating = "no request was sent through the Service while an old pod was terminating and another was ready"

func sentBesideTerminating(_ evidence.Expectation, _ timeline.Timeline, lanes []timeline.Lane) (n int) {
	for _, lane := range lanes {
		n += lane.Summary.WhileTerminating
	}
	return n
}

func judgeSentWhileTerminating(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	sent := phrase.Count(sentBesideTerminating(x, tl, lanes), "request")
	return Finding{
		Outcome: Pass, Grounds: Seen,
		Because: fmt.Sprintf("clients sent %s on %s while an old pod was terminating and another was ready",
			sent, phrase.Count(len(lanes), "lane")),
	}
}
