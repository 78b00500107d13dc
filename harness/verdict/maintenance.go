package verdict

import (
	"fmt"
	"math"
	"time"

	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
	"rollcall/harness/verdict/phrase"
)

// SentInMaintenance expects that every client sends three requests or more in the time of the shortest outage that is to be seen, from
// when something is done to the cluster until it is undone. Agents may be away then, which is no reason for distrust.
func SentInMaintenance(outage time.Duration) evidence.Expectation {
	return evidence.Expectation{Rule: sentInMaintenance.ID, Max: outage}
}

// perOutage is how many requests tell how long an outage was. That is wrong by one period of them either way, see [timeline.Gap]: by a
// third of what is allowed with three.
const perOutage = 3

var sentInMaintenance = Rule{
	ID: "sent-in-maintenance", Claim: "every client sends requests throughout maintenance, often enough to see an outage",
	Lanes: ServiceLanes, Unit: "lane", Untested: "the run has no lane through the Service",
	exposed: func(a asked) int { return len(a.lanes) }, needs: seeing(),
	question: bound{
		rows: func(a asked) (rows []lasting, lack string) {
			window, ok := a.tl.Maintenance()
			switch {
			case !ok:
				return nil, markMissing(evidence.DisruptionUndone)
			case len(a.lanes) == 0:
				return nil, noneAtAll
			}
			for _, w := range timeline.Silences(a.lanes, window) {
				rows = append(rows, lasting{Elapsed: timeline.Elapsed{Length: w.Length()}, from: w.From})
			}
			for _, lane := range a.lanes { // n requests leave n+1 times between them
				n := lane.Summary.InMaintenance
				rows = append(rows, lasting{Elapsed: timeline.Elapsed{Length: window.Length() / time.Duration(n+1)}, lane: lane.ID,
					facts: []Detail{{"sent", fmt.Sprintf("%s in %s", phrase.Count(n, "request"), phrase.Duration(window.Length()))}}})
			}
			return rows, ""
		},
		limits: thrice, measured: "between requests",
		says: func(_ asked, l lasting) []string {
			return []string{fmt.Sprintf("%s sent least, a request each %s of maintenance", l.lane, phrase.Duration(l.Length))}
		},
		cut: func(a asked, rows []lasting) string {
			worst, _ := thrice(a.Expectation).worst(rows)
			sent := "no client sent a request for " + phrase.Duration(worst.Length) + " of maintenance, from " + phrase.Seconds(worst.from) + " on"
			if worst.lane != "" {
				sent = worst.lane + " sent " + worst.facts[0].Value + " of maintenance"
			}
			return fmt.Sprintf("too few: %s; %v requests/s would do, %d in each %s", sent, math.Ceil(perOutage*10/a.Max.Seconds())/10,
				perOutage, phrase.Duration(a.Max))
		},
	},
}

func thrice(x evidence.Expectation) limits { return limits{-unlimited, x.Max / perOutage} }
