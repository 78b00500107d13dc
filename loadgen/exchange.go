package loadgen

import (
	"time"

	"example.com/rollcall/harness/evidence"
)

// A protocol is how the requests of a lane are sent and answered. A further one is a row of protocols and a file.
type protocol struct {
	check func(evidence.Lane) error             // whether it can load such a lane
	open  func(evidence.Lane, Config) exchanger // of a lane that was checked
}

var protocols = map[evidence.Protocol]protocol{evidence.HTTP: {checkHTTP, openHTTP}}

// An exchanger carries the requests of one lane. Several may be under way at a time.
type exchanger interface {
	// exchange sends a request, waits for its whole answer, until the deadline, and notes in its hit what is known of both, also of one
	// that failed: then it returns the error and, where that need not say so, what the connection failed with.
	exchange(request, *evidence.Hit) (failures []error)
	// close gives up the connections that are kept between requests.
	close()
}

// A request is one of a lane's.
type request struct {
	turn     uint64 // from 0, of those that this process sends: connections that are kept carry them in turn
	seq      uint64 // number in the lane, which the app logs
	sent     time.Time
	deadline time.Time
}
