package verdict

import (
	"slices"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict/phrase"
)

// Ledger expects that each request through the Service has one outcome: it is answered once, fails, or is returned by a server that did not
// get it; and that it arrives once.
func Ledger() Expectation { return Expectation{Rule: ledger.ID} }

var ledger = Rule{
	ID: "ledger", Claim: "each request is answered once, lost, or returned by a server that did not get it",
	Lanes: RetryLanes, Unit: "request", Untested: noneSent, exposed: sentSinceBegun,
	needs: underLoad(evidence.AboutReplies, evidence.AboutArrivals),
	question: none{of: requests, did: "had more than one outcome", rows: func(a args) found {
		f := foundHits(slices.Concat(timeline.Repeated(a.lanes), timeline.Refuted(a.lanes)))
		slices.SortStableFunc(f.hits, timeline.BySent)
		again, late := 0, 0
		for _, lane := range a.lanes {
			for _, c := range lane.Connections {
				again, late = again+c.Again, late+c.Late
			}
		}
		f.count += again
		f.unclear = arrivalsUnknown(a)
		sent, lost, returned := requests(a), a.sum(timeline.LaneSummary.Failed), a.sum(func(s timeline.LaneSummary) int { return s.Returned })
		f.facts = []Detail{{"answered", phrase.Number(sent - lost - returned)}, {"lost", phrase.Number(lost)},
			{"returned", phrase.Number(returned)}}
		for _, more := range []struct {
			name string
			n    int
		}{{"answered again", again}, {"answered too late", late}} {
			if more.n > 0 {
				f.facts = append(f.facts, Detail{more.name, phrase.Number(more.n)})
			}
		}
		return f
	}},
}
