package timeline

import "time"

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
	found  []Outage // in order
	open   bool     // the last of them goes on
	unseen []Outage // see [LaneSummary.Unseen]
	across bool     // the last of unseen goes on
	last   time.Duration
}

// add adds the next hit. An outage ends where the lane's agent went away: nobody knows what a client would have seen.
func (o *outages) add(h sentHit, a away) {
	o.cross(h.sent, h.failed, a)
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
	if o.across && !h.failed {
		o.unseen[len(o.unseen)-1].To, o.across = h.sent, false
	}
	o.last = h.sent
}

// cross passes an absence between the last hit and a moment, if there is one. An outage may have gone on meanwhile if requests failed or
// were in flight just before, or if the next one fails.
func (o *outages) cross(until time.Duration, failed bool, a away) {
	absence, is := a.between(o.last, until)
	if !is {
		return
	}
	since, inFlight := max(o.last, absence.Since), len(a.inFlight(absence)) > 0
	from := since
	switch {
	case o.open:
		from = o.found[len(o.found)-1].From
		o.found[len(o.found)-1].To = since
	case inFlight:
		from = o.last
	}
	if !o.across && (o.open || failed || inFlight) {
		o.unseen, o.across = append(o.unseen, Outage{From: from}), true
	}
	o.open = false
}

// end ends the outages that go on, once all hits were added. ended is when the load ended, on a clock that differs from the lane's by up to
// uncertainty; a lane that sent later than that ends with its last send.
func (o *outages) end(ended, uncertainty time.Duration, a away) {
	ended = max(ended, o.last)
	o.cross(ended, false, a)
	endLast := func(all []Outage) {
		last := &all[len(all)-1]
		last.To, last.Open, last.Uncertainty = ended, true, uncertainty
	}
	if o.open {
		endLast(o.found)
	}
	if o.across {
		endLast(o.unseen)
	}
}
