package verdict

import (
	"fmt"
	"slices"
	"strings"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
)

func judgeNoFailures(_ evidence.Expectation, tl timeline.Timeline) Finding {
	lanes := tl.ServiceLanes()
	sent, failed := requests(lanes), failedOf(lanes)
	switch {
	case sent == 0:
		return Finding{Because: "0 requests were sent through the Service"}
	case len(failed) == 0:
		return Finding{Outcome: Pass, Because: fmt.Sprintf("0 of %d requests on %s failed", sent, count(len(lanes), "lane"))}
	}
	return Finding{
		Outcome:   Fail,
		Because:   fmt.Sprintf("%d of %d requests failed (%s) %s", len(failed), sent, faults(failed), whereabouts(failed, tl)),
		Witnesses: witnesses(failed),
	}
}

// judgeDamageSeen takes all lanes in pods together: which of them is hit is chance. No damage is
// no failure of the cluster but a blind harness.
func judgeDamageSeen(_ evidence.Expectation, tl timeline.Timeline) Finding {
	begun, ok := tl.Mark(evidence.RolloutBegun)
	if !ok {
		return Finding{Because: missing(evidence.RolloutBegun)}
	}
	var sent int
	var damage []evidence.Hit
	var perLane []string
	for _, lane := range tl.Lanes {
		if lane.Vantage != evidence.FromPod {
			continue
		}
		failed := 0
		for _, h := range lane.Hits {
			if h.Sent < begun {
				continue
			}
			sent++
			if h.Failed() {
				failed++
				damage = append(damage, h)
			}
		}
		perLane = append(perLane, fmt.Sprintf("%d on %s", failed, lane.ID))
	}
	if len(damage) == 0 {
		return Finding{Because: fmt.Sprintf("blind: 0 of %d requests from pods failed after the rollout began, so a loss would not be seen", sent)}
	}
	sortBySent(damage)
	return Finding{
		Outcome: Pass,
		Because: fmt.Sprintf("%d of %d requests from pods failed after the rollout began (%s): %s",
			len(damage), sent, faults(damage), strings.Join(perLane, ", ")),
		Witnesses: witnesses(damage),
	}
}

func judgeMaxOutage(x evidence.Expectation, tl timeline.Timeline) Finding {
	var longest timeline.Outage
	var on timeline.Lane
	lanes := tl.ServiceLanes()
	for _, lane := range lanes {
		for _, o := range lane.Summary.Outages {
			if o.Length() > longest.Length() || longest.Failed == 0 {
				longest, on = o, lane
			}
		}
	}
	switch {
	case requests(lanes) == 0:
		return Finding{Because: "0 requests were sent through the Service"}
	case longest.Failed == 0:
		return Finding{Outcome: Pass, Because: fmt.Sprintf("0 outages on %s", count(len(lanes), "lane"))}
	}
	because := fmt.Sprintf("the longest outage lasted %s from %s on %s, %s allowed",
		seconds(longest.Length()), seconds(longest.From), on.ID, seconds(x.Max))
	if longest.Length() <= x.Max {
		return Finding{Outcome: Pass, Because: because}
	}
	during := failedOf([]timeline.Lane{on})
	first := slices.IndexFunc(during, func(h evidence.Hit) bool { return h.Sent >= longest.From })
	during = during[first : first+longest.Failed]
	return Finding{
		Outcome:   Fail,
		Because:   fmt.Sprintf("%s: %s failed, %s", because, count(longest.Failed, "request"), seqs(during)),
		Witnesses: witnesses(during),
	}
}
