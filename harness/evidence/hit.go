package evidence

import (
	"slices"
	"time"
)

// A Hit is one request as its client saw it, and the server that answered. Its times are on the clock of the
// lane's node, or on the recorder's for a lane outside the cluster.
type Hit struct {
	Lane     string        `json:"lane"`               // id of the [Lane] that sent it
	Seq      uint64        `json:"seq"`                // number within the lane, from 0; the app logs the same number
	Due      time.Duration `json:"due"`                // when the pacer had it due; Sent-Due is the load generator's own lag
	Sent     time.Duration `json:"sent"`               // when it was sent
	Took     time.Duration `json:"took"`               // from Sent until the whole reply was read, or the fault
	By       Server        `json:"by,omitzero"`        // the server that answered; zero without a reply
	Status   int16         `json:"status,omitempty"`   // HTTP status, or the code of an RPC that is not OK; 0 without a reply
	Attempts int16         `json:"attempts,omitempty"` // connections it was given; above 1 means a hidden retry
	// LocalPort is the client's port, which tells apart even connections that could not be opened; 0: unknown.
	LocalPort uint16 `json:"local_port,omitempty"`
	Reused    bool   `json:"reused,omitempty"` // its connection had carried a request before
	Marked    bool   `json:"marked,omitempty"` // the end mark of the stream came
	// Resent is how many TCP segments, SYNs included, the client's kernel sent again for it. Only requests that took long
	// enough for a retransmission are examined.
	Resent uint32 `json:"resent,omitempty"`
	// HandshakeMicros is how long the TLS handshake of its connection took; 0 in the same cases as Connect.
	HandshakeMicros uint32 `json:"handshake_us,omitempty"`
	// Connection is the number, in its lane, of the kept connection that carried it; 0: none was kept, or earlier builds recorded it.
	Connection uint32 `json:"connection,omitempty"`
	// FirstMicros is how long after Sent the first token of a stream came; 0: none came, or the reply is no stream.
	FirstMicros uint32 `json:"first_us,omitempty"`
	// GapMicros is the longest time between two tokens of a stream, its end mark included.
	GapMicros uint32 `json:"gap_us,omitempty"`
	Tokens    uint32 `json:"tokens,omitempty"` // how many came of a stream, without its end mark
	// Connect is from Sent until its connection was open, in whole microseconds; 0 if it was open before, and in recordings
	// that did not measure it.
	Connect time.Duration `json:"connect,omitempty"`
	Fault   Fault         `json:"fault,omitempty"` // how it failed; empty when the reply was whole, 2xx and from the right service
}

// Failed reports whether the request was lost to its client, or badly answered.
func (h Hit) Failed() bool { return h.Fault != NoFault && h.Fault != Returned }

// Good reports whether the client got a good reply.
func (h Hit) Good() bool { return h.Fault == NoFault }

// End is when the reply or the fault was complete.
func (h Hit) End() time.Duration { return h.Sent + h.Took }

// FirstToken returns how long after the request the first token of a stream came; 0 without one.
func (h Hit) FirstToken() time.Duration { return time.Duration(h.FirstMicros) * time.Microsecond }

// TokenGap returns the longest time between two tokens of a stream.
func (h Hit) TokenGap() time.Duration { return time.Duration(h.GapMicros) * time.Microsecond }

// A Server is an app pod as named in its replies.
type Server struct {
	Version string `json:"version,omitempty"` // of the app, as its replies name it, or a hash of the pod's template
	Pod     string `json:"pod,omitempty"`     // its name
	Node    string `json:"node,omitempty"`    // that it runs on
}

// A Fault says how a request failed, or that it was [Returned]. The set is closed.
type Fault string

// The faults that the client's socket or the reply showed.
const (
	NoFault     Fault = ""
	Refused     Fault = "refused" // ECONNREFUSED
	Reset       Fault = "reset"   // ECONNRESET or EPIPE
	Closed      Fault = "closed"
	Timeout     Fault = "timeout"
	Unreachable Fault = "unreachable"
	BadStatus   Fault = "bad_status"
	WrongServer Fault = "wrong_server"
)

// Returned is what is no failure: the server vouches that it did not process the request, which its client may send again.
const Returned Fault = "returned"

// Truncated is the fault of streams alone. One that was cut with an error is Closed or Reset, and one without a token for too long Timeout.
const Truncated Fault = "truncated"

// StreamReset is the fault of HTTP/2 alone: RST_STREAM. With the code REFUSED_STREAM it is Returned.
const StreamReset Fault = "stream_reset"

// The faults of TLS. A handshake in which the connection ends or no reply comes is Closed, Reset or Timeout.
const (
	HandshakeFailed      Fault = "handshake_failed" // a TLSFailed event has the cause
	CertExpired          Fault = "cert_expired"
	CertUnknownAuthority Fault = "cert_unknown_authority"
	CertWrongName        Fault = "cert_wrong_name"
	PlainHTTP            Fault = "plain_http"
)

// The faults of the host of a client outside the cluster: they say nothing about the server.
const (
	Unresolved  Fault = "unresolved"
	NoLocalPort Fault = "no_local_port"
	NoRoute     Fault = "no_route"
)

// A meaning says in a report what a fault is.
type meaning struct {
	fault Fault
	text  string
}

// All faults, in the order reports show them. The schema of reports and the guide to a run folder are made of these tables.
var (
	plainFaults = []meaning{
		{Refused, "nothing listened, or kube-proxy rejected it"},
		{Reset, "the connection was reset"},
		{Closed, "the peer closed before the reply was whole"},
		{Timeout, "no whole reply in time"},
		{Unreachable, "no route to host or network"},
		{BadStatus, "a whole reply with a status outside 200 to 299"},
		{WrongServer, "a whole reply by something that is not the app asked"},
	}
	tlsFaults = []meaning{
		{HandshakeFailed, "the handshake failed, or an alert ended the connection later"},
		{CertExpired, "the certificate has expired or is not valid yet"},
		{CertUnknownAuthority, "no authority that the client trusts signed the certificate"},
		{CertWrongName, "the certificate is for another host"},
		{PlainHTTP, "the port answered in plain HTTP"},
	}
	hostFaults = []meaning{ // their subject is the host
		{Unresolved, "could not resolve the name"},
		{NoLocalPort, "had no local port left"},
		{NoRoute, "had no route to the address"},
	}
	streamFaults = []meaning{
		{Truncated, "the stream ended without its end mark, and no error"},
	}
	http2Faults = []meaning{
		{StreamReset, "its stream was reset, and the connection was not"},
	}
	returned = meaning{Returned, "the server vouches that it did not process it: no failure"}
)

// Faults lists every fault of a request that failed, in the order reports show them.
func Faults() []Fault {
	return slices.Concat(PlainFaults(), StreamFaults(), HTTP2Faults(), TLSFaults(), HostFaults())
}

// PlainFaults lists the faults that need no TLS.
func PlainFaults() []Fault { return faultsOf(plainFaults) }

// StreamFaults lists those of lanes whose replies are streams alone.
func StreamFaults() []Fault { return faultsOf(streamFaults) }

// HTTP2Faults lists those of lanes over HTTP/2 alone.
func HTTP2Faults() []Fault { return faultsOf(http2Faults) }

// TLSFaults lists those of lanes over TLS alone.
func TLSFaults() []Fault { return faultsOf(tlsFaults) }

// HostFaults lists those of clients outside the cluster.
func HostFaults() []Fault { return faultsOf(hostFaults) }

func faultsOf(meanings []meaning) (faults []Fault) {
	for _, m := range meanings {
		faults = append(faults, m.fault)
	}
	return faults
}

// Meaning says what happened to a request that failed so. The subject of what it says of a fault of a host is the host.
func (f Fault) Meaning() string {
	for _, m := range slices.Concat(plainFaults, streamFaults, http2Faults, tlsFaults, hostFaults, []meaning{returned}) {
		if m.fault == f {
			return m.text
		}
	}
	return ""
}

// OfHost reports whether the cause is the host that sent the request.
func (f Fault) OfHost() bool {
	return slices.ContainsFunc(hostFaults, func(m meaning) bool { return m.fault == f })
}
