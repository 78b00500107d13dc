package verdict

import (
	"fmt"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

// MaxRetriedShare expects that on each lane through the Service no more than percent of the requests are sent again.
func MaxRetriedShare(percent int) Expectation {
	return Expectation{Rule: maxRetriedShare.ID, Percent: percent}
}

var maxRetriedShare = Rule{
	ID: "max-retried-share", Claim: "no larger share of a client's requests is sent again than allowed",
	Lanes: ServiceLanes, Unit: "request", Untested: noneSent, exposed: sentSinceBegun, needs: underLoad(evidence.AboutReplies),
	question: bound{in: inShares, says: "{got} of {of} on {lane} were sent again",
		limits: func(x Expectation, _ row) limits { return limits{-unlimited, float64(x.Percent) / 100} },
		rows: eachLane(func(_ args, lane timeline.Lane) row {
			return row{amount: portion(lane.Summary.Retried, lane.Summary.Requests)}
		})},
}

func Example_rule() {
	lane := timeline.Lane{Lane: evidence.Lane{ID: "worker-fresh"},
		Summary: timeline.LaneSummary{Requests: 200, Retried: 5}}
	for _, percent := range []int{1, 3} {
		a := args{MaxRetriedShare(percent), timeline.Timeline{}, []timeline.Lane{lane}, "request"}
		f := maxRetriedShare.question.answer(a)
		fmt.Println(f.Outcome, f.Headline)
	}
	// Output:
	// fail 5 of 200 requests on worker-fresh were sent again, 1 % allowed
	// pass 5 of 200 requests on worker-fresh were sent again, 3 % allowed
}
