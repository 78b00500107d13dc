package timeline

import (
	"maps"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A Connection is one that a lane kept, on the recorder's clock. Recordings of earlier builds have no rows of them: then it is told apart
// by the client's port, and only By is known of the row.
type Connection struct {
	evidence.Connection
	First, Last time.Duration // when the first and the last request that was answered were sent
	Replied     time.Duration // when the first reply was whole
	Moved       bool          // another pod answered later
	Routed      Routed        // where it was routed to

	hits, answers int // of the lane
	first         bool
}

// connections follows the connections that a lane keeps.
type connections struct {
	rows   map[uint32]int        // by number, from 1, the place in [Lane.Connections]
	open   map[uint64]connection // by identity
	failed map[uint64]connection // of requests without a reply, by number
}

func newConnections() connections {
	return connections{rows: map[uint32]int{}, open: map[uint64]connection{}, failed: map[uint64]connection{}}
}

type connection struct {
	by   evidence.Server // that answered last
	at   int             // from 1, the place in [Lane.Connections]; 0 without a row, before the first reply
	free time.Duration   // when the last of its requests so far was over
	idle time.Duration   // before the last request
}

// identity tells the connections of a lane apart: by number, or where there is none by the client's port; 0: neither is known.
func identity(h *evidence.Hit) uint64 {
	if h.Connection > 0 {
		return uint64(h.Connection)
	}
	const ports = 1 << 32 // above all numbers
	if h.LocalPort > 0 {
		return ports + uint64(h.LocalPort)
	}
	return 0
}

// readConnections reads the rows of connections, by lane. The problem is why not all could be read.
func readConnections(stream evidence.Stream[evidence.Connection]) (rows map[string][]evidence.Connection, damaged []Problem) {
	rows = map[string][]evidence.Connection{}
	if stream == nil {
		return rows, nil
	}
	for c, err := range stream {
		if err != nil {
			return rows, []Problem{damage(evidence.Damage{File: evidence.ConnectionsFile, Text: err.Error()})}
		}
		rows[c.Lane] = append(rows[c.Lane], c)
	}
	return rows, nil
}

// strayConnections returns a problem for each lane that has connections, but is none of the run's.
func strayConnections(rows map[string][]evidence.Connection, builders map[string]*builder) (strays []Problem) {
	for _, lane := range slices.Sorted(maps.Keys(rows)) {
		if builders[lane] == nil {
			strays = append(strays, strayRecords(evidence.ConnectionsFile, len(rows[lane]), lane))
		}
	}
	return strays
}

// addConnections adds the rows of the lane's connections, before its hits.
func (b *builder) addConnections(rows []evidence.Connection) {
	onRecorder := func(at time.Duration, known bool) time.Duration {
		if !known {
			return 0
		}
		return b.t.clocks.onRecorder(b.lane.Node, at)
	}
	for _, c := range rows {
		c.Opened, c.Told, c.Ended = onRecorder(c.Opened, true), onRecorder(c.Told, c.ToldBy != ""), onRecorder(c.Ended, c.End != "")
		b.lane.Connections = append(b.lane.Connections, Connection{Connection: c})
		b.order.connections.rows[c.Number] = len(b.lane.Connections)
	}
}

// row returns the row of a hit's connection; nil without one.
func (b *builder) row(h *evidence.Hit) *Connection {
	if at := b.order.connections.rows[h.Connection]; at > 0 {
		return &b.lane.Connections[at-1]
	}
	return nil
}

// onConnection returns a hit as one by the pod of its connection, if no reply names another.
func (b *builder) onConnection(h evidence.Hit) evidence.Hit {
	if c := b.row(&h); c != nil && h.By.Pod == "" {
		h.By = c.By
	}
	return h
}

// countOn counts a hit on the row of its connection.
func (b *builder) countOn(h *evidence.Hit) {
	c := b.row(h)
	if c == nil {
		if h.Connection > 0 {
			b.note(unnoted, h.Seq)
		}
		return
	}
	c.hits++
	if h.Good() || h.Fault == evidence.BadStatus || h.Fault == evidence.WrongServer {
		c.answers++
	}
}

// followConnection adds the next hit by time sent.
func (b *builder) followConnection(h sentHit) {
	if h.connection == 0 {
		return
	}
	follows := &b.order.connections
	c, known := follows.open[h.connection]
	if !known || !h.numbered && !h.reused {
		c, known = connection{}, false
		if h.numbered {
			c.at = follows.rows[uint32(h.connection)]
		}
	}
	c.idle = 0
	if known {
		c.idle = max(0, h.sent-c.free)
	}
	c.free = max(c.free, h.sent+h.took)
	if h.by == 0 {
		follows.open[h.connection] = c
		follows.failed[h.seq] = c
		return
	}
	c.by = b.byNumber[h.by-1].Server
	if c.at == 0 {
		b.lane.Connections = append(b.lane.Connections, Connection{})
		c.at = len(b.lane.Connections)
	}
	b.reply(&b.lane.Connections[c.at-1], c.by, h)
	follows.open[h.connection] = c
}

// reply adds the next reply on a connection, by time sent.
func (b *builder) reply(on *Connection, by evidence.Server, h sentHit) {
	if !on.first {
		on.first, on.First, on.Replied = true, h.sent, h.sent+h.took
		if on.By.Pod != "" && on.By.Pod != by.Pod {
			b.note(otherFirst, h.seq)
		}
		on.By = by
	}
	on.Last, on.Moved = h.sent, on.Moved || on.By.Pod != by.Pod
}

// finishConnections sets what the hits that are kept need to know of their connections, and compares the rows of connections with the hits.
func (b *builder) finishConnections() {
	for _, hits := range [][]Hit{b.lane.Failed, b.lane.Repeated} {
		for i := range hits {
			c := b.order.connections.failed[hits[i].Seq]
			hits[i].Kept, hits[i].Idle = c.by, c.idle
		}
	}
	for _, c := range b.lane.Connections {
		// The agent that noted the end of a killed one's connections, and nobody, did not count; a client that resends counts each time.
		counted := c.End != "" && c.End != evidence.EndAgent && !b.lane.Resends
		if counted && (c.hits != c.Sent || c.answers != c.Answered) {
			b.note(miscounted, uint64(c.Number))
		}
	}
}
