package timeline

import (
	"time"

	"example.com/rollcall/harness/evidence"
)

// A Connection is one keep-alive connection of a lane.
type Connection struct {
	evidence.Server               // that answered first
	First, Last     time.Duration // when the first and the last request that was answered were sent
	Moved           bool          // another pod answered later
}

// connections follows the keep-alive connections of a lane.
type connections struct {
	open   map[uint16]connection // by the client's port
	failed map[uint64]connection // of requests without a reply, by number
}

type connection struct {
	by     evidence.Server // that answered last
	number int             // among the lane's, from 1; 0 before the first reply
	asked  time.Duration   // when the last request was sent on it
	idle   time.Duration   // before that request
}

// followConnection adds the next hit by time sent.
func (b *builder) followConnection(h sentHit) {
	if h.port == 0 {
		return
	}
	open := b.order.connections.open
	c, known := open[h.port]
	if !h.reused {
		c, known = connection{}, false
	}
	c.idle = 0
	if known {
		c.idle = h.sent - c.asked
	}
	c.asked = h.sent
	if h.by == 0 {
		open[h.port] = c
		b.order.connections.failed[h.seq] = c
		return
	}
	c.by = b.byNumber[h.by-1].Server
	if c.number == 0 {
		b.lane.Connections = append(b.lane.Connections, Connection{Server: c.by, First: h.sent})
		c.number = len(b.lane.Connections)
	}
	of := &b.lane.Connections[c.number-1]
	of.Last, of.Moved = h.sent, of.Moved || of.Pod != c.by.Pod
	open[h.port] = c
}

// finishConnections sets what the hits that are kept need to know of their connections.
func (b *builder) finishConnections() {
	for _, hits := range [][]Hit{b.lane.Failed, b.lane.Repeated} {
		for i := range hits {
			c := b.order.connections.failed[hits[i].Seq]
			hits[i].Kept, hits[i].Idle = c.by, c.idle
		}
	}
}
