package reports

import (
	"fmt"
	"slices"

	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

// routedTotals says where nodes routed the connections of a scenario; empty if nothing of it is known.
func routedTotals(s model.Scenario) string {
	var of model.Routed
	for _, lane := range s.LoadLanes() {
		if r := lane.Routed; r != nil {
			of.Pod, of.Nowhere = of.Pod+r.Pod, of.Nowhere+r.Nowhere
			of.Unknown, of.Contradicted, of.Unexplained = of.Unknown+r.Unknown, of.Contradicted+r.Contradicted, of.Unexplained+r.Unexplained
		}
	}
	if of == (model.Routed{}) {
		return ""
	}
	said := fmt.Sprintf("nodes routed the connections of %s: %s to a pod", phrase.Count(of.Pod+of.Nowhere+of.Unknown, "request"),
		phrase.Number(of.Pod))
	for _, other := range []struct {
		n    int
		what string
	}{
		{of.Nowhere - of.Unexplained, "to no pod"}, {of.Unexplained, "to no pod though rules routed to some"},
		{of.Unknown, "unknown"}, {of.Contradicted, "answered by another"},
	} {
		if other.n > 0 {
			said += fmt.Sprintf(", %s %s", phrase.Number(other.n), other.what)
		}
	}
	return said
}

// disruptedTotals says how many requests of clients on disrupted nodes failed, which a scenario that passes says nowhere else; empty
// without such a client.
func disruptedTotals(s model.Scenario) string {
	if s.Disruption == nil {
		return ""
	}
	requests, failed := 0, 0
	for _, lane := range s.LoadLanes() {
		if slices.Contains(s.Disruption.Nodes, lane.Node) && !lane.Kind().IsControl() {
			requests, failed = requests+lane.Requests, failed+lane.Failed()
		}
	}
	if requests == 0 {
		return ""
	}
	return fmt.Sprintf("%s of %s from disrupted nodes failed", phrase.Number(failed), phrase.Count(requests, "request"))
}

// requestTotals says what became of every request of a scenario, from the clients to the pods and back, and for how much of its time the
// load ran. If the pods' arrivals were not recorded it returns routedTotals.
func requestTotals(s model.Scenario) string {
	var requests, arrivals, never, lost, retried int
	for _, lane := range s.LoadLanes() {
		if lane.Arrivals == nil {
			return routedTotals(s)
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
