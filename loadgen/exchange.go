package loadgen

import (
	"time"

	"example.com/rollcall/harness/evidence"
)

// A protocol is how the requests of a lane are sent and answered. To add one, write a file and a row of protocols.
type protocol struct {
	check func(evidence.Lane, Config) error // returns why it cannot load a lane, or nil
	// open opens what carries the requests of a lane that was checked. The error is why the lane cannot begin.
	open func(evidence.Lane, Config, *connections) (exchanger, error)
	// ask sends one request, as before a load; nil: what open opens does.
	ask func(evidence.Lane, Config, request, *evidence.Hit) (failures []error)
	// batched says that its requests are many and cheap, so that the spool takes the frames of several with one write.
	batched bool
}

var protocols = map[evidence.Protocol]protocol{
	evidence.HTTP:      {check: checkHTTP, open: openHTTP},
	evidence.SSE:       {check: checkSSE, open: openSSE},
	evidence.H2C:       {check: checkHTTP2, open: openHTTP2, batched: true},
	evidence.H2:        {check: checkHTTP2, open: openHTTP2, batched: true},
	evidence.WebSocket: {check: checkWebSocket, open: openWebSockets, ask: askWebSocket, batched: true},
}

// An exchanger carries the requests of one lane. It is safe for concurrent use.
type exchanger interface {
	// exchange sends a request, waits for the whole reply until the deadline, of a stream for its next token, and writes into the hit what it
	// knows of both. If the request failed it returns the error and the error of its connection, since the first may not name the cause.
	exchange(request, *evidence.Hit) (failures []error)
	// close closes the connections that are kept between requests. Nothing is noted of one after it.
	close()
}

// A request is one request of a lane.
type request struct {
	turn     uint64 // number among those that this process sends, from 0: kept connections are used in turn
	seq      uint64 // number in the lane, which the app logs
	sent     time.Time
	deadline time.Time
}
