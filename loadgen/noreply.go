package loadgen

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A NoReplyError is why a target gave no good reply.
type NoReplyError struct {
	Fault  evidence.Fault `json:"fault,omitempty"`  // empty: it replied, or the fault is not known
	Opened bool           `json:"opened,omitempty"` // the connection was opened
	Status int            `json:"status,omitempty"` // of its reply; 0: it did not reply
	TLS    bool           `json:"tls,omitempty"`    // its port speaks TLS
	// Unspoken says in a clause why it does not speak the protocol that it is asked by; empty: nothing shows that.
	Unspoken string `json:"unspoken,omitempty"`
	Begun    bool   `json:"begun,omitempty"`   // a reply that is no stream had begun, and did not end in time
	Tokens   int    `json:"tokens,omitempty"`  // that came of a stream before it failed
	Endless  bool   `json:"endless,omitempty"` // the stream went on for longer than any may last
	Because  string `json:"because"`
}

func (e *NoReplyError) Error() string { return e.Because }

// An UnspokenError is what a target answered that does not speak the protocol of its lane, as a clause. As a fault it is
// [evidence.WrongServer].
type UnspokenError string

func (e UnspokenError) Error() string { return string(e) }

// noReply returns why a request of a lane has no good reply; nil if it has one.
func noReply(lane evidence.Lane, hit evidence.Hit, failures []error) *NoReplyError {
	none := &NoReplyError{Opened: hit.Attempts > 0, Tokens: int(hit.Tokens), Because: "loadgen: request " + lane.Target + ": "}
	switch {
	case len(failures) > 0:
		none.Fault, _ = faultFrom(lane.Vantage, failures...)
		none.Because += failures[0].Error()
		ended := none.Fault == evidence.Reset || none.Fault == evidence.Closed // maybe before the request was written
		none.Opened, none.TLS = none.Opened || ended, ended && hit.Tokens == 0 && !lane.OverTLS() && speaksTLS(lane)
		none.Begun = none.Fault == evidence.Timeout && lane.Protocol == evidence.HTTP && hit.Status > 0
		none.Endless = none.Fault == evidence.Timeout && lane.Longest > 0 && hit.Tokens > 0 && hit.Took >= lane.Longest
		var other UnspokenError
		switch plain := !none.TLS && !lane.OverTLS() && (lane.Protocol == evidence.HTTP || lane.Protocol.Streams()); {
		case errors.As(errors.Join(failures...), &other):
			none.Unspoken = other.Error()
		case ended && hit.Tokens == 0 && plain && speaksHTTP2(lane):
			none.Unspoken = "its port speaks HTTP/2 alone, as gRPC does"
		}
	case hit.Fault == evidence.BadStatus:
		status := int(hit.Status)
		none.Opened, none.Status, none.TLS = false, status, status == http.StatusBadRequest && !lane.OverTLS() && speaksTLS(lane)
		none.Because += strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
		if lane.Protocol == evidence.WebSocket && !none.TLS {
			none.Unspoken = fmt.Sprintf("it answers with status %d, where a WebSocket begins with 101", status)
		}
	case hit.Fault == evidence.Truncated:
		none.Fault = hit.Fault
		none.Because += fmt.Sprintf("the stream ended without the end mark %q", lane.EndMark)
	case hit.Fault != evidence.NoFault:
		none.Fault = hit.Fault
		none.Because += "the reply names no version where it should"
	default:
		return nil
	}
	return none
}

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

// http2Greeting is what a client of HTTP/2 sends first: the preface, and settings that are empty (RFC 9113, 3.4).
const http2Greeting = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + "\x00\x00\x00\x04\x00\x00\x00\x00\x00"

// speaksHTTP2 reports whether a lane's target speaks HTTP/2 without TLS: its first frame has its settings.
func speaksHTTP2(lane evidence.Lane) bool {
	conn, err := net.DialTimeout("tcp", lane.DialAddress(), DefaultTimeout)
	if err != nil {
		return false
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(DefaultTimeout)); err != nil {
		return false
	}
	if _, err := io.WriteString(conn, http2Greeting); err != nil {
		return false
	}
	const typeAt, settings = 3, 4
	head := make([]byte, 9)
	_, err = io.ReadFull(conn, head)
	return err == nil && head[typeAt] == settings
}
