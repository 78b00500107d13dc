package verdict

import (
	"fmt"
	"math"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

// MaxRetriedShare expects that on each lane through the Service no more than percent of the requests are sent again.
func MaxRetriedShare(percent int) evidence.Expectation {
	return evidence.Expectation{Rule: maxRetriedShare.ID, Percent: percent}
}

var maxRetriedShare = Rule{
	ID: "max-retried-share", Claim: "no larger share of a client's requests is sent again than allowed",
	Lanes: ServiceLanes, Unit: "request", Untested: noneSent,
	exposed: sentSinceBegun, needs: underLoad(evidence.AboutReplies),
	question: part{
		rows: func(a asked) (rows []share) {
			for _, lane := range a.lanes {
				rows = append(rows, share{got: float64(lane.Summary.Retried), of: float64(lane.Summary.Requests)})
			}
			return rows
		},
		limits: func(x evidence.Expectation, _ share) (least, most float64) {
			return math.Inf(-1), float64(x.Percent) / 100
		},
		says: func(_ asked, s share) string {
			return fmt.Sprintf("%.0f of %.0f requests of a lane were sent again", s.got, s.of)
		},
	},
}

func Example_rule() {
	lane := timeline.Lane{Lane: evidence.Lane{ID: "worker-fresh"},
		Summary: timeline.LaneSummary{Requests: 200, Retried: 5}}
	for _, percent := range []int{1, 3} {
		a := asked{MaxRetriedShare(percent), timeline.Timeline{}, []timeline.Lane{lane}}
		f := maxRetriedShare.question.answer(a)
		fmt.Println(f.Outcome, f.Headline)
	}
	// Output:
	// fail 5 of 200 requests of a lane were sent again, 1 % allowed
	// pass 5 of 200 requests of a lane were sent again, 3 % allowed
}
