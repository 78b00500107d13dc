package verdict

import (
	"fmt"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// MaxFailedShare expects that on each lane through the Service no more requests fail than so many in a thousand.
func MaxFailedShare(permille int) evidence.Expectation {
	return evidence.Expectation{Rule: maxFailedShare().ID, Permille: permille}
}

func maxFailedShare() Rule {
	return Rule{
		ID: "max-failed-share", Claim: "no client loses a larger share of its requests than allowed",
		Lanes: ServiceLanes, judge: judgeMaxFailedShare,
		Unit: "request", Untested: "no request was sent through the Service once the rollout had begun",
		exposed: sentSinceBegun,
		needs:   underLoad(evidence.AboutFailures),
	}
}

// judgeMaxFailedShare fails by a share, which requests that were missed would make smaller: so it is never certain by what was seen.
func judgeMaxFailedShare(x evidence.Expectation, tl timeline.Timeline, lanes []timeline.Lane) Finding {
	var worst timeline.Lane
	failed := 0
	for _, lane := range lanes {
		failed += lane.Summary.Failed()
		if worst.ID == "" || failedShare(lane) > failedShare(worst) {
			worst = lane
		}
	}
	switch {
	case x.Permille < 1 || x.Permille > 1000:
		return undecided(fmt.Sprintf("the rule takes 1 to 1000 permille, got %d", x.Permille))
	case requests(lanes) == 0:
		return undecided("0 requests were sent through the Service")
	case failed == 0:
		return Finding{Outcome: Pass, Grounds: Unseen, Because: fmt.Sprintf("0 of %d requests on %s failed", requests(lanes),
			phrase.Count(len(lanes), "lane"))}
	}
	of, allowed := describeHits(worst.Failed, tl), float64(x.Permille)/10
	f := Finding{
		Outcome: Pass,
		Headline: fmt.Sprintf("%.2f %% of the requests on %s failed, %.1f %% allowed", 100*failedShare(worst), worst.ID,
			allowed),
		Facts: append([]Detail{{"lane", worst.ID}}, of.facts()...),
		Because: fmt.Sprintf("%d of %d requests on %s failed (%.3f %%), the largest share of %s, %.1f %% allowed", worst.Summary.Failed(),
			worst.Summary.Requests, worst.ID, 100*failedShare(worst), phrase.Count(len(lanes), "lane"), allowed),
	}
	if 1000*worst.Summary.Failed() > x.Permille*worst.Summary.Requests {
		f.Outcome, f.Witnesses = Fail, witnesses(worst.Failed)
		f.Breaches = failures(worst.Failed, tl)
		f.Because += ": " + of.String()
	}
	return f
}

func failedShare(lane timeline.Lane) float64 {
	return float64(lane.Summary.Failed()) / float64(max(1, lane.Summary.Requests))
}
