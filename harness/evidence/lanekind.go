package evidence

// A LaneKind distinguishes the lanes of one node. Vantage, Conn, Resends and Named are recorded with each lane, so that
// the kind can be told from a recording; they decide which rules count the lane's requests.
type LaneKind struct {
	Name     string // last part of the ids of its lanes
	Vantage  Vantage
	Conn     Conn
	Resends  bool
	Named    bool // resolves the Service's name for every connection
	Protocol Protocol
	Optional bool // only in scenarios that name it in their Load
	Steps    bool // requests are sent by steps, not as load
}

// Plain is the optional kind that does as most clients do: it resends requests that a dead connection lost.
const Plain = "plain"

// Named is the optional kind that resolves the Service's name for every connection. The others connect to its address.
const Named = "named"

// Kept is the optional kind outside the cluster with keep-alive connections. The same kind in pods is not optional.
const Kept = "reused"

// Streaming is the optional kind whose replies are streams of tokens.
const Streaming = "stream"

// Sharing and SharingTLS are the optional kinds whose requests share connections of HTTP/2, without TLS and over it.
const (
	Sharing    = "h2c"
	SharingTLS = "h2"
)

// WebSockets is the optional kind that sends messages over WebSockets, which it opens ahead.
const WebSockets = "websocket"

// RPCs and StreamedRPCs are the optional kinds of RPCs with one reply, and with a stream of them, over connections that are kept.
const (
	RPCs         = "grpc"
	StreamedRPCs = "grpc-stream"
)

// DoneMark is the end mark of the streams of Rollcall's app, as it is of those of many language models.
const DoneMark = "[DONE]"

// LaneKinds lists every kind, in the order of a node's lanes. To add a kind, add a row, and for a new protocol an
// exchanger in package loadgen.
func LaneKinds() []LaneKind {
	return []LaneKind{
		{Name: "fresh", Vantage: FromPod, Conn: Fresh},
		{Name: "reused", Vantage: FromPod, Conn: Reused},
		{Name: "control", Vantage: FromControl, Conn: Fresh},
		{Name: Plain, Vantage: FromPod, Conn: Reused, Resends: true, Optional: true},
		{Name: Named, Vantage: FromPod, Conn: Fresh, Named: true, Optional: true},
		{Name: Streaming, Vantage: FromPod, Conn: Fresh, Protocol: SSE, Optional: true},
		{Name: Sharing, Vantage: FromPod, Conn: Reused, Protocol: H2C, Optional: true},
		{Name: SharingTLS, Vantage: FromPod, Conn: Reused, Protocol: H2, Optional: true},
		{Name: WebSockets, Vantage: FromPod, Conn: Reused, Protocol: WebSocket, Optional: true},
		{Name: RPCs, Vantage: FromPod, Conn: Reused, Protocol: GRPC, Optional: true},
		{Name: StreamedRPCs, Vantage: FromPod, Conn: Reused, Protocol: GRPCStream, Optional: true},
		{Name: "fresh", Vantage: FromHost, Conn: Fresh},
		{Name: Kept, Vantage: FromHost, Conn: Reused, Optional: true},
	}
}

// laneKinds is what LaneKinds returns, which is too long to be made for each hit.
var laneKinds = LaneKinds()

// Lane returns the kind's lane in a place, such as "worker" or "outside".
func (k LaneKind) Lane(place string) Lane {
	return Lane{ID: place + "-" + k.Name, Vantage: k.Vantage, Conn: k.Conn, Resends: k.Resends, Named: k.Named, Protocol: k.Protocol}
}

// Method returns the method of its HTTP requests. Over keep-alive connections it is POST: any client, such as net/http,
// may silently resend a GET whose connection died. For a kind that resends this is intended.
func (k LaneKind) Method() string {
	if k.KeepsAlive() && !k.Resends {
		return "POST"
	}
	return "GET"
}

// KeepsAlive reports whether a connection carries several requests, all answered by one pod.
func (k LaneKind) KeepsAlive() bool { return k.Conn == Reused }

// IsControl reports whether the requests go to a pod that is not rolled out: failures there make the recording doubtful.
func (k LaneKind) IsControl() bool { return k.Vantage == FromControl }

// RequestsApp reports whether the lane loads the app through the Service, so that its failures are the app's.
func (k LaneKind) RequestsApp() bool { return !k.IsControl() && !k.Steps }

// ShowsRetries reports whether a request that was sent twice means a retry by something other than the client.
func (k LaneKind) ShowsRetries() bool { return k.RequestsApp() && !k.Resends }

// ShowsDamage reports whether failures must show on the lane if the app drops requests.
func (k LaneKind) ShowsDamage() bool { return k.Vantage == FromPod && !k.Resends }

// FollowsRules reports whether each request goes where the rules of the lane's node route at that instant.
func (k LaneKind) FollowsRules() bool { return k.Vantage == FromPod && k.Conn == Fresh }

func (k LaneKind) same(other LaneKind) bool {
	k.Name, k.Optional = other.Name, other.Optional // which lanes do not have
	return k == other
}
