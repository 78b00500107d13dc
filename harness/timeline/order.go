package timeline

import (
	"cmp"
	"slices"
	"time"
)

// A sentHit is what a builder keeps of a hit until it is its turn in the order of sending. It has 32 bytes.
type sentHit struct {
	sent   time.Duration
	took   time.Duration
	seq    uint64
	by     int32 // number of the server that replied, from 1; 0 without a reply
	port   uint16
	failed bool
	reused bool
}

// lookahead is how many hits of a lane wait for their turn. Numbers are in the order in which requests are due. One whose number is lower
// than those sent before it was held up by a worker of its client; at 1,000 requests a second there are 3,010 (workersFor in loadgen).
const lookahead = 16 << 10

// An order goes through the hits of a lane by time sent, and keeps what it takes to go on, not the hits.
type order struct {
	passed  int           // how many hits
	last    time.Duration // when the last of them was sent
	moments []moment      // ascending
	reached int           // how many of the moments

	outages     outages
	gaps        gaps
	connections connections

	switched bool // the reply before was by the new version
	back     int
}

// A moment is one at which a lane counts how many hits had been sent.
type moment struct {
	at     time.Duration
	before int // known once a later hit was sent
}

func newOrder(l Lane, in windows) order {
	o := order{connections: connections{open: map[uint16]connection{}, failed: map[uint64]connection{}}}
	for _, w := range in.all() {
		from, to := w.surely(l)
		o.moments = append(o.moments, moment{at: from}, moment{at: to})
	}
	slices.SortFunc(o.moments, func(x, y moment) int { return cmp.Compare(x.at, y.at) })
	o.moments = slices.Compact(o.moments)
	return o
}

// wait adds a hit to those that wait for their turn.
func (b *builder) wait(h sentHit) {
	if b.waiting = append(b.waiting, h); len(b.waiting) == 2*lookahead {
		b.passOn(lookahead)
	}
}

// passOn passes the first of the waiting hits, by time sent.
func (b *builder) passOn(n int) {
	bySent := func(x, y sentHit) int { return cmp.Compare(x.sent, y.sent) }
	if !slices.IsSortedFunc(b.waiting, bySent) {
		slices.SortStableFunc(b.waiting, bySent)
	}
	for _, h := range b.waiting[:n] {
		b.pass(h)
	}
	b.waiting = append(b.waiting[:0], b.waiting[n:]...)
}

func (b *builder) pass(h sentHit) {
	o := &b.order
	if o.passed > 0 && h.sent < o.last {
		b.note(disordered, h.seq)
	}
	for o.reached < len(o.moments) && o.moments[o.reached].at <= h.sent {
		o.moments[o.reached].before = o.passed
		o.reached++
	}
	if !b.lane.Steps { // steps of a scenario ask when they like: the time between two requests is no outage
		o.outages.add(h, b.lane.Absences)
		o.gaps.add(h, b.lane.Absences)
	}
	if h.by > 0 {
		isNew := b.byNumber[h.by-1].Version == b.t.New
		if o.switched && !isNew {
			o.back++
		}
		o.switched = isNew
	}
	if b.lane.Kind().KeepsAlive() {
		b.followConnection(h)
	}
	o.passed, o.last = o.passed+1, h.sent
}

// sentBefore counts the hits that were sent before one of the moments, once all have passed.
func (o *order) sentBefore(at time.Duration) int {
	i, _ := slices.BinarySearchFunc(o.moments, at, func(m moment, at time.Duration) int { return cmp.Compare(m.at, at) })
	if i >= o.reached {
		return o.passed
	}
	return o.moments[i].before
}

// sentIn counts the hits that were certainly sent in one of the windows.
func (b *builder) sentIn(windows []Window) (n int) {
	for _, w := range windows {
		from, to := w.surely(b.lane)
		n += max(0, b.order.sentBefore(to)-b.order.sentBefore(from))
	}
	return n
}
