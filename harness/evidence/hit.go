package evidence

import (
	"slices"
	"time"
)

// A Hit is one request as its client saw it, and who answered. Its times are on the clock of the
// lane's node, or on the recorder's for a lane outside the cluster.
type Hit struct {
	Lane   string        `json:"lane"`             // id of the [Lane] that sent it
	Seq    uint64        `json:"seq"`              // number within the lane, from 0; the echo app logs the same number
	Due    time.Duration `json:"due"`              // when the pacer owed it; Sent-Due is the generator's own lag
	Sent   time.Duration `json:"sent"`             // when it was sent
	Took   time.Duration `json:"took"`             // from Sent until the whole reply was read, or the fault
	Status int           `json:"status,omitempty"` // HTTP status; 0 without a reply
	By     Server        `json:"by,omitzero"`      // who answered; zero without a reply
	Reused bool          `json:"reused,omitempty"` // went over a connection that had carried a request before
	// Resent is how many TCP segments its client's kernel sent again for it, SYNs included. Only a request that took as long as
	// that takes at least is looked at.
	Resent   uint32 `json:"resent,omitempty"`
	Attempts int32  `json:"attempts,omitempty"` // connections it was given; above 1 betrays a hidden retry
	// HandshakeMicros is how long the TLS handshake of its connection took, once that was open; 0 as of Connect.
	HandshakeMicros uint32 `json:"handshake_us,omitempty"`
	// Connect is from Sent until its connection was open, in whole microseconds; 0 over one that was open before, and in
	// recordings that did not look.
	Connect time.Duration `json:"connect,omitempty"`
	// client's port, tells connections apart, also that of one that could not be opened; 0 when unknown
	LocalPort int   `json:"local_port,omitempty"`
	Fault     Fault `json:"fault,omitempty"` // NoFault when the reply was whole, 2xx and from the right service
}

// Failed reports whether the client did not get a good reply.
func (h Hit) Failed() bool { return h.Fault != NoFault }

// End is when the reply or the fault was complete.
func (h Hit) End() time.Duration { return h.Sent + h.Took }

// A Server is an app pod as it names itself in a reply.
type Server struct {
	Version string `json:"version,omitempty"`
	Pod     string `json:"pod,omitempty"`
	Node    string `json:"node,omitempty"`
}

// A Fault says how a request failed. The set is closed.
type Fault string

// The faults, by what the client's socket or the reply said.
const (
	NoFault     Fault = ""
	Refused     Fault = "refused"      // ECONNREFUSED: nothing listens, or kube-proxy rejects
	Reset       Fault = "reset"        // ECONNRESET or EPIPE
	Closed      Fault = "closed"       // the peer closed before the reply was whole
	Timeout     Fault = "timeout"      // no whole reply in time
	Unreachable Fault = "unreachable"  // no route to host or network
	BadStatus   Fault = "bad_status"   // a whole reply with a status outside 200-299
	WrongServer Fault = "wrong_server" // a whole reply by something that is not the app asked
)

// The faults of TLS. A handshake in which the connection ends or nothing comes is Closed, Reset or Timeout.
const (
	HandshakeFailed      Fault = "handshake_failed"       // or an alert ended the connection later; a TLSFailed event names it
	CertExpired          Fault = "cert_expired"           // or it is not valid yet
	CertUnknownAuthority Fault = "cert_unknown_authority" // nobody signed it whom the client trusts
	CertWrongName        Fault = "cert_wrong_name"        // it is of another host
	PlainHTTP            Fault = "plain_http"             // the answer to the handshake was one of HTTP
)

// The faults of the host that a lane outside the cluster is sent from: they say nothing of what it asks.
const (
	Unresolved  Fault = "unresolved"    // its resolver has no address of the name, or does not answer
	NoLocalPort Fault = "no_local_port" // all its ports are taken
	NoRoute     Fault = "no_route"      // it has no route to the address
)

// Faults lists every fault, in the order reports show them.
func Faults() []Fault { return slices.Concat(PlainFaults(), TLSFaults(), HostFaults()) }

// PlainFaults are those that need no TLS.
func PlainFaults() []Fault {
	return []Fault{Refused, Reset, Closed, Timeout, Unreachable, BadStatus, WrongServer}
}

// TLSFaults are those that only lanes over TLS meet.
func TLSFaults() []Fault {
	return []Fault{HandshakeFailed, CertExpired, CertUnknownAuthority, CertWrongName, PlainHTTP}
}

// HostFaults are those that only lanes outside the cluster meet.
func HostFaults() []Fault { return []Fault{Unresolved, NoLocalPort, NoRoute} }

// OfHost reports whether a request failed in the host that sent it.
func (f Fault) OfHost() bool { return slices.Contains(HostFaults(), f) }
