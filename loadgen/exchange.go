package loadgen

import (
	"time"

	"rollcall/harness/evidence"
)

// A protocol is how the requests of a lane are sent and answered. A further one is a row of protocols and a file.
type protocol struct {
	check func(evidence.Lane) error             // whether it can load such a lane
	open  func(evidence.Lane, Config) exchanger // of a lane that was checked
}

var protocols = map[evidence.Protocol]protocol{evidence.HTTP: {checkHTTP, openHTTP}}

// An exchanger carries the requests of one lane. Several may be under way at a time.
type exchanger interface {
	// exchange sends a request and waits for its whole answer, until the deadline. What is known of both is told with an
	// error, too.
	exchange(request) (answer, error)
	// close gives up the connections that are kept between requests.
	close()
}

// A request is one of a lane's.
type request struct {
	turn     uint64 // from 0, of those that this process sends: connections that are kept carry them in turn
	seq      uint64 // number in the lane, which the app logs
	deadline time.Time
}

// An answer is what a hit keeps of one, and of the way it took.
type answer struct {
	status int // 0: there was none
	by     evidence.Server
	fault  evidence.Fault // of an answer that came whole, and is not good
	connInfo
}

// A connInfo is how a request went.
type connInfo struct {
	attempts  int   // connections it was given
	reused    bool  // the last one had carried a request before
	localPort int   // of the last one, or of one that could not be opened
	connErr   error // what the last one failed with, where the error of the request need not say so

	connected time.Time // when the last one was open, if it was opened for the request
	secured   time.Time // when its TLS handshake was over, likewise
	resent    int       // segments that the kernel sent again over it meanwhile
}
