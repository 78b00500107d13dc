package timeline

import (
	"time"

	"example.com/rollcall/harness/evidence"
)

// An Outage is a maximal run of failed hits of one lane with no good one in between, in the order
// sent. It lasts from the first failed send to the next good send:
//
//	sent at   10  20  30  40  50
//	outcome   ok  ✗   ✗   ok  ✗      load ended at 60
//	outages       [20 ───── 40)  [50 ── 60) open
type Outage struct {
	From, To time.Duration // [From, To)
	Failed   int
	Open     bool // no good send followed; To is when the load ended
	// Uncertainty of the length: zero unless the outage is open, when its ends are on two clocks.
	Uncertainty time.Duration
}

// Length returns how long the lane went without a good send.
func (o Outage) Length() time.Duration { return o.To - o.From }

// outages lists the outages of one lane, in order, from its hits by time sent. ended is when the
// load ended, on a clock that differs from the lane's by up to uncertainty; a lane that sent later
// than that ends with its last send.
//
// An outage ends where the lane's agent went away: nobody knows what a client would have seen.
func outages(sent []sentHit, ended, uncertainty time.Duration, absences []evidence.Absence) []Outage {
	var found []Outage
	open := false
	for i, h := range sent {
		if open && len(absences) > 0 {
			if since, away := awayBetween(absences, sent[i-1].sent, h.sent); away {
				found[len(found)-1].To, open = since, false
			}
		}
		switch {
		case h.failed && !open:
			found = append(found, Outage{From: h.sent, Failed: 1})
			open = true
		case h.failed:
			found[len(found)-1].Failed++
		case open:
			found[len(found)-1].To = h.sent
			open = false
		}
	}
	if open {
		last := &found[len(found)-1]
		last.To, last.Open, last.Uncertainty = max(ended, sent[len(sent)-1].sent), true, uncertainty
	}
	return found
}
