package reports

import (
	"fmt"

	"rollcall/reports/model"
)

// requestTotals are what became of every request of a scenario, from the clients to the pods and back, and how much
// of the scenario's time clients were there; empty where the pods' was not recorded.
func requestTotals(s model.Scenario) string {
	var requests, arrivals, never, lost int
	for _, lane := range s.Lanes {
		if lane.Arrivals == nil {
			return ""
		}
		requests, arrivals = requests+lane.Requests, arrivals+*lane.Arrivals
		never, lost = never+*lane.NeverArrived, lost+*lane.LostReplies
	}
	if requests == 0 {
		return ""
	}
	said := fmt.Sprintf("of %d requests %d arrived and %d never did; %d of those that arrived lost their reply", requests, requests-never,
		never, lost)
	if again := arrivals - (requests - never); again > 0 {
		said += fmt.Sprintf("; pods logged %d arrivals more, of requests sent again", again)
	}
	if s.LoadSeconds != nil {
		said += fmt.Sprintf("; %.0f of its %.0f s were under load", *s.LoadSeconds, s.Seconds)
	}
	return said
}
