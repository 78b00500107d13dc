package timeline

import (
	"cmp"
	"slices"
	"time"

	"rollcall/harness/evidence"
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
}

// Length is how long the lane went without a good send.
func (o Outage) Length() time.Duration { return o.To - o.From }

// outages finds the outages of one lane, in order. ended is when the load ended; a lane that sent
// later than that ends with its last send.
func outages(hits []evidence.Hit, ended time.Duration) []Outage {
	sent := slices.SortedFunc(slices.Values(hits), func(a, b evidence.Hit) int {
		return cmp.Or(cmp.Compare(a.Sent, b.Sent), compareHits(a, b))
	})
	var found []Outage
	open := false
	for _, h := range sent {
		switch {
		case h.Failed() && !open:
			found = append(found, Outage{From: h.Sent, Failed: 1})
			open = true
		case h.Failed():
			found[len(found)-1].Failed++
		case open:
			found[len(found)-1].To = h.Sent
			open = false
		}
	}
	if open {
		last := &found[len(found)-1]
		last.To, last.Open = max(ended, sent[len(sent)-1].Sent), true
	}
	return found
}
