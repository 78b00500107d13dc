package verdict

import (
	"fmt"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// MaxRetriedShare expects that on each lane through the Service no more than percent of the requests are sent again.
func MaxRetriedShare(percent int) evidence.Expectation {
	return evidence.Expectation{Rule: maxRetriedShare().ID, Percent: percent}
}

func maxRetriedShare() Rule {
	return Rule{
		ID: "max-retried-share", Claim: "no larger share of a client's requests is sent again than allowed",
		Lanes: ServiceLanes, judge: judgeMaxRetriedShare,
		Unit: "request", Untested: "no request was sent through the Service once the rollout had begun",
		exposed: sentSinceBegun,
	}
}

func judgeMaxRetriedShare(x evidence.Expectation, _ timeline.Timeline, lanes []timeline.Lane) Finding {
	for _, lane := range lanes {
		sent, again := lane.Summary.Requests, lane.Summary.Retried
		if again*100 > sent*x.Percent {
			return Finding{
				Outcome: Fail,
				Because: fmt.Sprintf("%d of %s on %s were sent again, %d %% allowed", again, phrase.Count(sent, "request"), lane.ID, x.Percent),
			}
		}
	}
	because := fmt.Sprintf("no more than %d %% were sent again on any of %s", x.Percent, phrase.Count(len(lanes), "lane"))
	return Finding{Outcome: Pass, Because: because}
}

func Example_rule() {
	lane := timeline.Lane{Lane: evidence.Lane{ID: "worker-fresh"},
		Summary: timeline.LaneSummary{Requests: 200, Retried: 5}}
	for _, percent := range []int{1, 3} {
		f := judgeMaxRetriedShare(MaxRetriedShare(percent), timeline.Timeline{}, []timeline.Lane{lane})
		fmt.Println(f.Outcome, f.Because)
	}
	// Output:
	// fail 5 of 200 requests on worker-fresh were sent again, 1 % allowed
	// pass no more than 3 % were sent again on any of 1 lane
}
