package verdict

import (
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// answeredElsewhere returns a reason for each lane on which something else than a pod of the app gave good replies: nobody knows what the
// app would have replied. Requests that failed did so all the same.
func answeredElsewhere(tl timeline.Timeline) (reasons []Reason) {
	for _, lane := range tl.Lanes {
		if s := lane.ForeignReplies; s.Count > 0 {
			scope := evidence.Scope{Missed: evidence.Requests(), Lanes: []string{lane.ID}}
			reasons = append(reasons, reason(reasonAnsweredElsewhere, scope, "%s of %s answered by something else, from %s on: %s",
				phrase.Count(s.Count, "request"), lane.ID, phrase.Seconds(s.First), s.Why))
		}
	}
	return reasons
}
