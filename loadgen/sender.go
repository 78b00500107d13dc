package loadgen

import (
	"net"
	"net/http"
	"time"

	"rollcall/harness/evidence"
)

// A sender carries the requests of one lane.
type sender interface {
	// send sends the n-th request of the plan and reads its reply to the end, by the deadline. What is known of both
	// is told with an error, too.
	send(req *http.Request, n uint64, deadline time.Time) (reply, connInfo, error)
	// close gives up the keep-alive connections.
	close()
}

// A reply is what a hit keeps of an HTTP response.
type reply struct {
	status  int // 0: there was none
	service string
	by      evidence.Server
}

// A connInfo is how a request went.
type connInfo struct {
	attempts  int   // connections it was given
	reused    bool  // the last one had carried a request before
	localPort int   // of the last one, or of one that could not be opened
	connErr   error // what the last one failed with, where the error of the request need not say so

	connected time.Time // when the last one was open, if it was opened for the request
	resent    int       // segments that the kernel sent again over it meanwhile
}

// senderOf makes the sender of a lane. A lane that resends is there to do as net/http does, and a userapp may reply in
// ways that only net/http knows.
func senderOf(lane evidence.Lane, slots int, cfg Config, userapp *replyReader) sender {
	if lane.Resends || userapp != nil {
		return newNetHTTPSender(lane, slots, cfg, userapp)
	}
	return newDirectSender(lane, slots, cfg.Ports)
}

func replyOf(got *http.Response) reply {
	return reply{status: got.StatusCode, service: got.Header.Get(serviceHeader), by: serverOf(got)}
}

func localPort(c net.Conn) int {
	addr, ok := c.LocalAddr().(*net.TCPAddr)
	if !ok {
		return 0
	}
	return addr.Port
}
