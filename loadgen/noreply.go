package loadgen

import (
	"crypto/tls"
	"errors"
	"net"

	"example.com/rollcall/harness/evidence"
)

// A NoReplyError is why a target gave no good reply.
type NoReplyError struct {
	Fault   evidence.Fault `json:"fault,omitempty"`  // empty: it replied, or the fault is not known
	Opened  bool           `json:"opened,omitempty"` // the connection was opened
	Status  int            `json:"status,omitempty"` // of its reply; 0: it did not reply
	TLS     bool           `json:"tls,omitempty"`    // its port speaks TLS
	Because string         `json:"because"`
}

func (e *NoReplyError) Error() string { return e.Because }

// An UnspokenError is what a target answered that does not speak the protocol of its lane, as a clause. As a fault it is
// [evidence.WrongServer].
type UnspokenError string

func (e UnspokenError) Error() string { return string(e) }

// speaksTLS reports whether a lane's target speaks TLS, whatever certificate it has or wants: the handshake succeeds, or the target
// says why not in an alert (RFC 8446, 6.2), which is a [net.OpError] "remote error".
func speaksTLS(lane evidence.Lane) bool {
	anyCertificate := &tls.Config{InsecureSkipVerify: true} //nolint:gosec // nothing is sent
	conn, err := tls.DialWithDialer(&net.Dialer{Timeout: DefaultTimeout}, "tcp", lane.DialAddress(), anyCertificate)
	if err == nil {
		conn.Close()
		return true
	}
	var alert *net.OpError
	return errors.As(err, &alert) && alert.Op == "remote error"
}
