package verdict

import (
	"fmt"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
)

const noCapacity = "0 pods were seen before the rollout, or a mark is missing, so capacity is unknown"

func judgeMinAvailable(x evidence.Expectation, tl timeline.Timeline) Finding {
	if x.Count < 1 {
		return Finding{Because: fmt.Sprintf("the rule takes at least 1 pod, got %d", x.Count)}
	}
	lowest, ok := tl.MinAvailable()
	if !ok {
		return Finding{Because: noCapacity}
	}
	f := Finding{Outcome: Pass, Because: fmt.Sprintf("never fewer than %s available, reached at %s, at least %d expected",
		count(lowest.Available, "pod"), seconds(lowest.At), x.Count)}
	if lowest.Available < x.Count {
		f.Outcome = Fail
		begun, _ := tl.Mark(evidence.RolloutBegun)
		if short, ok := tl.Shortfall(x.Count, begun, tl.RolloutEnd()); ok {
			f = undeleted(f, short.Because)
		}
	}
	return f
}

func judgeMaxPods(x evidence.Expectation, tl timeline.Timeline) Finding {
	if x.Count < 1 {
		return Finding{Because: fmt.Sprintf("the rule takes at least 1 pod, got %d", x.Count)}
	}
	highest, ok := tl.MaxPods()
	if !ok {
		return Finding{Because: noCapacity}
	}
	outcome := Pass
	if highest.Total > x.Count {
		outcome = Fail
	}
	return Finding{Outcome: outcome, Because: fmt.Sprintf("never more than %s, reached at %s, at most %d expected",
		count(highest.Total, "pod"), seconds(highest.At), x.Count)}
}
