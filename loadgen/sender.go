package loadgen

import (
	"net"
	"net/http"
	"time"

	"rollcall/harness/evidence"
)

// A sender carries the requests of one lane.
type sender interface {
	// send sends the n-th request of the share and reads its reply to the end, by the deadline. What is known of both
	// is told with an error, too.
	send(req *http.Request, n uint64, deadline time.Time) (answer, via, error)
	// close gives up the kept connections.
	close()
}

// An answer is what a hit keeps of a reply.
type answer struct {
	status  int // 0: there was none
	service string
	by      evidence.Server
}

// A via is how a request went.
type via struct {
	attempts  int   // connections it was given
	reused    bool  // the last one had carried a request before
	localPort int   // of the last one, or of one that could not be opened
	died      error // what the last one died of, where the error of the request need not say so
}

// senderOf makes the sender of a lane. A lane that resends is there to do as net/http does, and an app that is not
// Rollcall's own may reply in ways that only net/http knows.
func senderOf(lane evidence.Lane, slots int, timeout time.Duration, foreign *reader) sender {
	if lane.Resends || foreign != nil {
		return newStandard(lane, slots, timeout, foreign)
	}
	return newPlain(lane, slots)
}

func answerOf(got *http.Response) answer {
	return answer{status: got.StatusCode, service: got.Header.Get(serviceHeader), by: serverOf(got)}
}

func localPort(c net.Conn) int {
	addr, ok := c.LocalAddr().(*net.TCPAddr)
	if !ok {
		return 0
	}
	return addr.Port
}
