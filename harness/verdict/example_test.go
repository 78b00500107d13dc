package verdict

import (
	"fmt"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// MaxFailedShare expects that on each lane through the Service no more than percent of the requests fail.
func MaxFailedShare(percent int) evidence.Expectation {
	return evidence.Expectation{Rule: maxFailedShare().ID, Percent: percent}
}

func maxFailedShare() Rule {
	return Rule{
		ID: "max-failed-share", Claim: "no client loses a larger share of its requests than allowed",
		Lanes: ServiceLanes, judge: judgeMaxFailedShare,
		Unit: "request", Untested: "no request was sent through the Service once the rollout had begun",
		exposed: sentSinceBegun,
	}
}

func judgeMaxFailedShare(x evidence.Expectation, _ timeline.Timeline, lanes []timeline.Lane) Finding {
	for _, lane := range lanes {
		sent, failed := lane.Summary.Requests, lane.Summary.Failed()
		if failed*100 > sent*x.Percent {
			return Finding{
				Outcome:   Fail,
				Because:   fmt.Sprintf("%d of %s on %s failed, %d %% allowed", failed, phrase.Count(sent, "request"), lane.ID, x.Percent),
				Witnesses: witnesses(lane.Failed),
			}
		}
	}
	return Finding{Outcome: Pass, Because: fmt.Sprintf("no more than %d %% failed on any of %s", x.Percent, phrase.Count(len(lanes), "lane"))}
}

func Example_rule() {
	lane := timeline.Lane{Lane: evidence.Lane{ID: "worker-fresh"},
		Summary: timeline.LaneSummary{Requests: 200, Failures: map[evidence.Fault]int{evidence.Refused: 5}}}
	for _, percent := range []int{1, 3} {
		f := judgeMaxFailedShare(MaxFailedShare(percent), timeline.Timeline{}, []timeline.Lane{lane})
		fmt.Println(f.Outcome, f.Because)
	}
	// Output:
	// fail 5 of 200 requests on worker-fresh failed, 1 % allowed
	// pass no more than 3 % failed on any of 1 lane
}
