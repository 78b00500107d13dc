package reports

import (
	"fmt"

	"rollcall/reports/model"
)

// requestTotals are what became of every request of a scenario, from the clients to the pods and back, and how much
// of the scenario's time clients were there; empty where the pods' was not recorded.
func requestTotals(s model.Scenario) string {
	var requests, arrivals, never, lost, retried int
	for _, lane := range s.Lanes {
		if lane.Arrivals == nil {
			return ""
		}
		requests, arrivals = requests+lane.Requests, arrivals+*lane.Arrivals
		never, lost, retried = never+*lane.NeverArrived, lost+*lane.LostReplies, retried+lane.Retried
	}
	if requests == 0 {
		return ""
	}
	said := fmt.Sprintf("of %d requests %d arrived and %d never did; %d of those that arrived lost their reply", requests, requests-never,
		never, lost)
	if more := arrivals - (requests - never); more > 0 && retried > 0 {
		said += fmt.Sprintf("; pods logged %d arrivals more, of requests sent again", more)
	} else if more > 0 {
		said += fmt.Sprintf("; pods logged %d arrivals more, of requests whose end was not recorded", more)
	}
	if s.LoadSeconds != nil {
		said += fmt.Sprintf("; %.0f of its %.0f s were under load", *s.LoadSeconds, s.Seconds)
	}
	return said
}
