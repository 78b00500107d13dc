package evidence

import "cmp"

// A Protocol is how a lane's requests are sent and answered. A lane of a protocol without connections has no Conn.
type Protocol string

// Protocols.
const (
	HTTP      Protocol = ""    // HTTP/1.1, the default
	SSE       Protocol = "sse" // server-sent events over HTTP/1.1, each of which is a token
	H2C       Protocol = "h2c" // HTTP/2 without TLS, of which the client knows
	H2        Protocol = "h2"  // HTTP/2 over TLS, in whose handshake both agree on it
	WebSocket Protocol = "ws"  // numbered messages over connections of RFC 6455
	GRPC      Protocol = "grpc"
	// GRPCStream is an RPC whose replies the server streams. Each is a token, and the status of the RPC is the end mark.
	GRPCStream Protocol = "grpc-stream"
)

// traits are what a judge has to know of a protocol.
type traits struct {
	name    string
	overTCP bool
	steady  bool
	streams bool
	shares  bool
	rpc     bool
}

// To add a protocol, add a row, and an exchanger in package loadgen. Of a protocol without one, as in a recording of a later build, nothing
// is taken for granted.
var protocols = map[Protocol]traits{
	HTTP:       {name: "http", overTCP: true, steady: true},
	SSE:        {name: "sse", overTCP: true, streams: true},
	H2C:        {name: "h2c", overTCP: true, steady: true, shares: true},
	H2:         {name: "h2", overTCP: true, steady: true, shares: true},
	WebSocket:  {name: "ws", overTCP: true, steady: true},
	GRPC:       {name: "grpc", overTCP: true, steady: true, rpc: true},
	GRPCStream: {name: "grpc-stream", overTCP: true, streams: true, rpc: true},
}

// Name returns the name in reports.
func (p Protocol) Name() string { return cmp.Or(protocols[p].name, string(p)) }

// ProtocolNamed returns the protocol with a name in reports; no name is that of HTTP, in reports of earlier builds.
func ProtocolNamed(name string) Protocol {
	if name == HTTP.Name() {
		return HTTP
	}
	return Protocol(name)
}

// OverTCP reports whether its connections are of TCP, so that a node that tracks connections notes each that it routes.
func (p Protocol) OverTCP() bool { return protocols[p].overTCP }

// Steady reports whether Rollcall's app always takes the same time for a reply. That of a stream is as long as the stream.
func (p Protocol) Steady() bool { return protocols[p].steady }

// Streams reports whether a reply comes token by token, and may say by a mark that it is whole.
func (p Protocol) Streams() bool { return protocols[p].streams }

// Shares reports whether a connection carries several requests at a time, each of which may fail alone.
func (p Protocol) Shares() bool { return protocols[p].shares }

// RPC reports whether its requests are RPCs of gRPC, for which Rollcall's app has a port of its own.
func (p Protocol) RPC() bool { return protocols[p].rpc }
