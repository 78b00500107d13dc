package evidence

import (
	"slices"
	"time"
)

// A Hit is one request as its client saw it, and the server that answered. Its times are on the clock of the
// lane's node, or on the recorder's for a lane outside the cluster.
type Hit struct {
	Lane   string        `json:"lane"`             // id of the [Lane] that sent it
	Seq    uint64        `json:"seq"`              // number within the lane, from 0; the app logs the same number
	Due    time.Duration `json:"due"`              // when the pacer had it due; Sent-Due is the load generator's own lag
	Sent   time.Duration `json:"sent"`             // when it was sent
	Took   time.Duration `json:"took"`             // from Sent until the whole reply was read, or the fault
	Status int           `json:"status,omitempty"` // HTTP status; 0 without a reply
	By     Server        `json:"by,omitzero"`      // the server that answered; zero without a reply
	Reused bool          `json:"reused,omitempty"` // its connection had carried a request before
	// Resent is how many TCP segments, SYNs included, the client's kernel sent again for it. Only requests that took long
	// enough for a retransmission are examined.
	Resent   uint32 `json:"resent,omitempty"`
	Attempts int32  `json:"attempts,omitempty"` // connections it was given; above 1 means a hidden retry
	// HandshakeMicros is how long the TLS handshake of its connection took; 0 in the same cases as Connect.
	HandshakeMicros uint32 `json:"handshake_us,omitempty"`
	// Connect is from Sent until its connection was open, in whole microseconds; 0 if it was open before, and in recordings
	// that did not measure it.
	Connect time.Duration `json:"connect,omitempty"`
	// LocalPort is the client's port, which tells apart even connections that could not be opened; 0: unknown.
	LocalPort int   `json:"local_port,omitempty"`
	Fault     Fault `json:"fault,omitempty"` // how it failed; empty when the reply was whole, 2xx and from the right service
}

// Failed reports whether the client did not get a good reply.
func (h Hit) Failed() bool { return h.Fault != NoFault }

// End is when the reply or the fault was complete.
func (h Hit) End() time.Duration { return h.Sent + h.Took }

// A Server is an app pod as named in its replies.
type Server struct {
	Version string `json:"version,omitempty"` // of the app, as its replies name it, or a hash of the pod's template
	Pod     string `json:"pod,omitempty"`     // its name
	Node    string `json:"node,omitempty"`    // that it runs on
}

// A Fault says how a request failed. The set is closed.
type Fault string

// The faults that the client's socket or the reply showed.
const (
	NoFault     Fault = ""
	Refused     Fault = "refused"      // ECONNREFUSED: nothing listens, or kube-proxy rejects
	Reset       Fault = "reset"        // ECONNRESET or EPIPE
	Closed      Fault = "closed"       // the peer closed before the reply was whole
	Timeout     Fault = "timeout"      // no whole reply in time
	Unreachable Fault = "unreachable"  // no route to host or network
	BadStatus   Fault = "bad_status"   // a whole reply with a status outside 200-299
	WrongServer Fault = "wrong_server" // a whole reply by something other than the app under test
)

// The faults of TLS. A handshake in which the connection ends or no reply comes is Closed, Reset or Timeout.
const (
	HandshakeFailed      Fault = "handshake_failed"       // or an alert ended the connection later; a TLSFailed event has the cause
	CertExpired          Fault = "cert_expired"           // or the certificate is not valid yet
	CertUnknownAuthority Fault = "cert_unknown_authority" // no authority that the client trusts signed it
	CertWrongName        Fault = "cert_wrong_name"        // it is for another host
	PlainHTTP            Fault = "plain_http"             // the handshake was answered with plain HTTP
)

// The faults of the host of a client outside the cluster: they say nothing about the server.
const (
	Unresolved  Fault = "unresolved"    // its resolver has no address for the name, or does not answer
	NoLocalPort Fault = "no_local_port" // all its local ports are taken
	NoRoute     Fault = "no_route"      // it has no route to the address
)

// Faults lists every fault, in the order reports show them.
func Faults() []Fault { return slices.Concat(PlainFaults(), TLSFaults(), HostFaults()) }

// PlainFaults lists the faults that need no TLS.
func PlainFaults() []Fault {
	return []Fault{Refused, Reset, Closed, Timeout, Unreachable, BadStatus, WrongServer}
}

// TLSFaults lists those of lanes over TLS alone.
func TLSFaults() []Fault {
	return []Fault{HandshakeFailed, CertExpired, CertUnknownAuthority, CertWrongName, PlainHTTP}
}

// HostFaults lists those of clients outside the cluster.
func HostFaults() []Fault { return []Fault{Unresolved, NoLocalPort, NoRoute} }

// OfHost reports whether the cause is the host that sent the request.
func (f Fault) OfHost() bool { return slices.Contains(HostFaults(), f) }
