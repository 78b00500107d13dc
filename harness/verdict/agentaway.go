package verdict

import (
	"fmt"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// agentsAway returns a reason for each load agent that was away and came back. What its node's clients would have seen meanwhile is not
// known; what they saw before and after is as recorded.
func agentsAway(tl timeline.Timeline) (reasons []Reason) {
	for _, a := range tl.AgentsAway() {
		if tl.ExpectedAway(a) {
			continue
		}
		r := reason(evidence.AgentLost, evidence.Scope{Missed: evidence.Requests(), Lanes: a.Lanes},
			"the load agent of %s was away for %s from %s on", a.Node, phrase.Seconds(a.Length()), phrase.Seconds(a.From))
		r.Because += fmt.Sprintf(": %s, and %s of %s were left out", a.Why, phrase.Count(a.LeftOut, "request"), strings.Join(a.Lanes, " and "))
		if a.Unknown > 0 {
			r.Because += fmt.Sprintf("; the outcome of %s in flight is unknown", phrase.Count(a.Unknown, "request"))
		}
		if back := tl.Back(a); back > a.From {
			r.Because += "; its node was back at " + phrase.Seconds(back)
		}
		reasons = append(reasons, r)
	}
	return reasons
}
