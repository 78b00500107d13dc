package verdict

import (
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// hostFaults returns a reason for each fault of a client's own host. Such requests never left the host, so that it is not known how they
// would have been answered.
func hostFaults(tl timeline.Timeline) (reasons []Reason) {
	for _, lane := range tl.LanesWhere(laneKinds[AllLanes]) {
		for _, fault := range evidence.HostFaults() {
			n := lane.Summary.Failures[fault]
			if n == 0 {
				continue
			}
			scope := evidence.Scope{Missed: evidence.Requests(), Doubted: failuresAndLatencies, Lanes: []string{lane.ID}}
			reasons = append(reasons, reason(reasonHostFault, scope, "the host of %s %s: %s failed (%s)", lane.ID, fault.Meaning(),
				phrase.Count(n, "request"), fault))
		}
	}
	return reasons
}
