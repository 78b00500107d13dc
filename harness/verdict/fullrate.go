package verdict

import (
	"fmt"
	"strings"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// FullRate expects that every lane sent at least percent of the load asked of it, 1 to 100.
func FullRate(percent int) evidence.Expectation {
	return evidence.Expectation{Rule: fullRate().ID, Percent: percent}
}

func fullRate() Rule {
	return Rule{
		ID: "full-rate", Claim: "clients send the full load asked of them",
		Lanes: AllLanes, judge: judgeFullRate,
		Unit: "lane", Untested: "the run has no lane",
		exposed: lanesSeen,
		needs:   seeing(evidence.AboutReplies),
	}
}

// judgeFullRate never fails: load that was not offered says nothing about the cluster.
func judgeFullRate(x evidence.Expectation, _ timeline.Timeline, lanes []timeline.Lane) Finding {
	if x.Percent < 1 || x.Percent > 100 {
		return undecided(fmt.Sprintf("the rule takes 1 to 100 percent, got %d", x.Percent))
	}
	if len(lanes) == 0 {
		return undecided("the run has 0 lanes")
	}
	var under []string
	for _, lane := range lanes {
		if underRate(lane, x.Percent) {
			under = append(under, rate(lane))
		}
	}
	if len(under) > 0 {
		return undecided(fmt.Sprintf("%s, under %d %%", strings.Join(under, ", "), x.Percent))
	}
	return Finding{Outcome: Pass, Because: fmt.Sprintf("%s achieved at least %d %% of the rate asked", phrase.Count(len(lanes), "lane"),
		x.Percent)}
}

// underRate is also true of a lane that was asked for nothing or whose rate could not be measured.
func underRate(lane timeline.Lane, percent int) bool {
	return lane.Rate <= 0 || lane.Summary.Rate*100 < float64(lane.Rate*percent)
}

func rate(lane timeline.Lane) string {
	return fmt.Sprintf("%s achieved %.1f of %d requests per second", lane.ID, lane.Summary.Rate, lane.Rate)
}
