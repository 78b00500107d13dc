package reports

import (
	"fmt"

	"rollcall/harness/verdict/phrase"
	"rollcall/reports/model"
)

// requestTotals are what became of every request of a scenario, from the clients to the pods and back, and how much
// of the scenario's time clients were there; empty where the pods' was not recorded.
func requestTotals(s model.Scenario) string {
	var requests, arrivals, never, lost, retried int
	for _, lane := range s.LoadLanes() {
		if lane.Arrivals == nil {
			return ""
		}
		requests, arrivals = requests+lane.Requests, arrivals+*lane.Arrivals
		never, lost, retried = never+*lane.NeverArrived, lost+*lane.LostReplies, retried+lane.Retried
	}
	if requests == 0 {
		return ""
	}
	all := phrase.Count(requests, "request")
	said := fmt.Sprintf("all %s reached a pod", all)
	if never > 0 {
		said = fmt.Sprintf("%s of %s reached a pod, %s did not", phrase.Number(requests-never), all, phrase.Number(never))
	}
	if lost == 0 {
		said += "; no reply lost"
	} else {
		said += fmt.Sprintf("; %s lost", phrase.Count(lost, "reply"))
	}
	if more := arrivals - (requests - never); more > 0 && retried > 0 {
		said += fmt.Sprintf("; pods logged %s more, of requests sent again", phrase.Count(more, "arrival"))
	} else if more > 0 {
		said += fmt.Sprintf("; pods logged %s more, of requests whose end was not recorded", phrase.Count(more, "arrival"))
	}
	if s.LoadSeconds != nil {
		said += fmt.Sprintf("; load ran %.0f of %.0f s", *s.LoadSeconds, s.Seconds)
	}
	return said
}
