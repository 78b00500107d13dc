package verdict

import (
	"fmt"
	"strings"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
)

// judgeFullRate never fails: load that was not offered says nothing about the cluster.
func judgeFullRate(x evidence.Expectation, tl timeline.Timeline) Finding {
	if x.Percent < 1 || x.Percent > 100 {
		return Finding{Because: fmt.Sprintf("the rule takes 1 to 100 percent, got %d", x.Percent)}
	}
	if len(tl.Lanes) == 0 {
		return Finding{Because: "the run has 0 lanes"}
	}
	var under []string
	for _, lane := range tl.Lanes {
		if underRate(lane, x.Percent) {
			under = append(under, rate(lane))
		}
	}
	if len(under) > 0 {
		return Finding{Because: fmt.Sprintf("%s, under %d %%", strings.Join(under, ", "), x.Percent)}
	}
	return Finding{Outcome: Pass, Because: fmt.Sprintf("%s achieved at least %d %% of the rate asked", count(len(tl.Lanes), "lane"), x.Percent)}
}

// underRate is also true of a lane that was asked for nothing or whose rate could not be measured.
func underRate(lane timeline.Lane, percent int) bool {
	return lane.Rate <= 0 || lane.Summary.Rate*100 < float64(lane.Rate*percent)
}

func rate(lane timeline.Lane) string {
	return fmt.Sprintf("%s achieved %.1f of %d requests per second", lane.ID, lane.Summary.Rate, lane.Rate)
}
