package verdict

import (
	"fmt"
	"strings"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// agentsAway tells of load agents that were away and came back.
func agentsAway(tl timeline.Timeline) (reasons []Reason) {
	for _, away := range tl.AgentsAway() {
		if !tl.Expected(evidence.AgentLost, away.Node, away.From) {
			reasons = append(reasons, agentAway(away))
		}
	}
	return reasons
}

// agentAway is that requests are missing: of what clients on a node would have seen in a time nobody knows. What they saw before
// and after is as recorded.
func agentAway(a timeline.AgentAway) Reason {
	r := Reason{ID: evidence.AgentLost, Scope: evidence.Scope{Missed: evidence.Requests(), Lanes: a.Lanes}}
	r.Brief = fmt.Sprintf("the load agent of %s was away for %s from %s on", a.Node, phrase.Seconds(a.Length()), phrase.Seconds(a.From))
	r.Because = fmt.Sprintf("%s: %s, and %s of %s were left out", r.Brief, a.Why, phrase.Count(a.LeftOut, "request"),
		strings.Join(a.Lanes, " and "))
	if a.Unknown > 0 {
		r.Because += fmt.Sprintf("; the outcome of %s in flight is unknown", phrase.Count(a.Unknown, "request"))
	}
	return r
}
