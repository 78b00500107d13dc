package loadgen

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"

	"rollcall/harness/evidence"
)

// A NoReplyError is why a target gave no good reply.
type NoReplyError struct {
	Fault   evidence.Fault `json:"fault,omitempty"`  // empty: it replied, or that is not known
	Opened  bool           `json:"opened,omitempty"` // the connection was
	Status  int            `json:"status,omitempty"` // of its reply; 0: there was none
	TLS     bool           `json:"tls,omitempty"`    // its port speaks TLS
	Because string         `json:"because"`
}

func (e *NoReplyError) Error() string { return e.Because }

// noReply is about a request that failed.
func noReply(ctx context.Context, req *http.Request, opened bool, err error) *NoReplyError {
	fault, _ := faultOf(err)
	ended := fault == evidence.Reset || fault == evidence.Closed // maybe before net/http could give it to the request
	return &NoReplyError{Fault: fault, Opened: opened || ended, TLS: ended && speaksTLS(ctx, req), Because: err.Error()}
}

// speaksTLS reports whether a server takes part in a handshake, whatever certificate it has or wants: it comes to the end of it, or says
// with an alert why not (RFC 8446, 6.2), which net has as a "remote error".
func speaksTLS(ctx context.Context, req *http.Request) bool {
	ctx, cancel := context.WithTimeout(ctx, DefaultTimeout)
	defer cancel()
	dialer := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // nothing is sent
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(req.URL.Hostname(), cmp.Or(req.URL.Port(), "80")))
	if err == nil {
		conn.Close()
		return true
	}
	var alert *net.OpError
	return errors.As(err, &alert) && alert.Op == "remote error"
}
