package verdict

import "strings"

// onEmulated skips a failure by late rules on an emulated machine, where a sync for which kube-proxy starts some 50
// programs takes seconds (harness/host/lab/README.md). A pass stays one: rules that were in time even there were in time.
func (q ruling) onEmulated(f Finding) Finding {
	if f.Outcome != Fail || !q.rule.BoundsSync || !q.run.Emulated {
		return f
	}
	because := "the host was the cause, since a program emulates it: " + f.Because
	if claims := q.expectation.Claims; len(claims) > 0 {
		because += "; this would decide " + strings.Join(claims, " and ")
	}
	return Finding{Outcome: Skipped, Because: because, Exposure: f.Exposure}
}
