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

// followConnections follows each keep-alive connection in the order of sending. It finds, for each request that
// failed, the pod of its connection and how long that had been idle.
func (b *builder) followConnections() {
	if !b.lane.Kind().KeepsAlive() {
		return
	}
	type connection struct {
		by     evidence.Server // that answered last
		number int             // among the lane's, from 1; 0 before the first reply
		asked  time.Duration   // when the last request was sent on it
		idle   time.Duration   // before that request
	}
	open := make(map[uint16]connection)   // by the client's port
	failed := make(map[uint64]connection) // by number of the hit
	for _, h := range b.sent {
		c, known := open[h.port]
		switch {
		case h.port == 0:
			continue
		case !h.reused:
			c, known = connection{}, false
		}
		c.idle = 0
		if known {
			c.idle = h.sent - c.asked
		}
		c.asked = h.sent
		open[h.port] = c
		if h.by == 0 {
			failed[h.seq] = c
			continue
		}
		by := b.byNumber[h.by-1].Server
		if c.number == 0 {
			b.lane.Connections = append(b.lane.Connections, Connection{Server: by, First: h.sent})
			c.number = len(b.lane.Connections)
		}
		of := &b.lane.Connections[c.number-1]
		of.Last, of.Moved = h.sent, of.Moved || of.Pod != by.Pod
		c.by = by
		open[h.port] = c
	}
	for _, hits := range [][]Hit{b.lane.Failed, b.lane.Repeated} {
		for i := range hits {
			c := failed[hits[i].Seq]
			hits[i].Kept, hits[i].Idle = c.by, c.idle
		}
	}
}
