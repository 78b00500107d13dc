package timeline

import (
	"cmp"
	"slices"
	"time"
)

// A sentHit is what a builder keeps of a hit until it is its turn in the order of sending. It has 48 bytes.
type sentHit struct {
	sent       time.Duration
	took       time.Duration
	answered   time.Duration // took, or of a stream until its first token came
	seq        uint64
	connection uint64 // see identity
	by         int32  // number of the server that replied, from 1; 0 without a reply
	numbered   bool   // its connection has a number
	failed     bool   // there was no good reply
	reused     bool
}

// lookahead is how many hits of a lane wait for their turn. Numbers are in the order in which requests are due. One whose number is lower
// than those sent before it was held up by a worker of its client; at 1,000 requests a second there are 3,010 (workersFor in loadgen).
const lookahead = 16 << 10

// An order goes through the hits of a lane by time sent, and keeps what it takes to go on, not the hits.
type order struct {
	last time.Duration // when the last hit was sent
	sent counter

	outages     outages
	gaps        gaps
	connections connections

	switched bool // the reply before was by the new version
	back     int
}

func newOrder(l Lane, in windows) order {
	return order{sent: newCounter(l, in), gaps: gaps{period: l.period(), streams: !l.Protocol.Steady()}, connections: newConnections()}
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
	if o.sent.all > 0 && h.sent < o.last {
		b.note(disordered, h.seq)
	}
	o.sent.add(h.sent)
	if !b.lane.Steps { // steps of a scenario ask when they like: the time between two requests is not an outage
		o.outages.add(h, b.away)
		o.gaps.add(h, b.away)
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
	o.last = h.sent
}
