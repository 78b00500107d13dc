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

// outages finds the outages of one lane, from its hits by time sent.
type outages struct {
	found []Outage // in order
	open  bool     // the last of them goes on
	last  time.Duration
}

// add adds the next hit. An outage ends where the lane's agent went away: nobody knows what a client would have seen.
func (o *outages) add(h sentHit, absences []evidence.Absence) {
	if o.open && len(absences) > 0 {
		if since, away := awayBetween(absences, o.last, h.sent); away {
			o.found[len(o.found)-1].To, o.open = since, false
		}
	}
	switch {
	case h.failed && !o.open:
		o.found = append(o.found, Outage{From: h.sent, Failed: 1})
		o.open = true
	case h.failed:
		o.found[len(o.found)-1].Failed++
	case o.open:
		o.found[len(o.found)-1].To = h.sent
		o.open = false
	}
	o.last = h.sent
}

// all returns the outages once all hits were added. ended is when the load ended, on a clock that differs from the lane's by up to
// uncertainty; a lane that sent later than that ends with its last send.
func (o *outages) all(ended, uncertainty time.Duration) []Outage {
	if o.open {
		last := &o.found[len(o.found)-1]
		last.To, last.Open, last.Uncertainty = max(ended, o.last), true, uncertainty
	}
	return o.found
}
