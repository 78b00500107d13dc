package evidence

import (
	"cmp"
	"net"
	"net/url"
	"time"
)

// A Lane is one client: a vantage, the node it runs on and the kind of connection it uses.
type Lane struct {
	ID      string  `json:"id"` // such as "worker-fresh"; unique within a run
	Vantage Vantage `json:"vantage"`
	// Protocol is how requests are sent and answered; empty: HTTP.
	Protocol Protocol `json:"protocol,omitempty"`
	Node     string   `json:"node"`             // where the client ran; empty outside the cluster
	Client   string   `json:"client,omitempty"` // its address, which tells its connections from those of others; empty: not noted
	Conn     Conn     `json:"conn"`
	Target   string   `json:"target"` // URL
	// Address is the address and port that connections are opened to; empty: those of Target.
	Address string `json:"address,omitempty"`
	// TargetNode is the node that requests go to: that of a control lane's pod, or the node whose address a client outside uses;
	// empty: not noted.
	TargetNode string `json:"target_node,omitempty"`
	Rate       int    `json:"rate"` // requests asked for per second
	// Longest bounds how long a stream may last, nanoseconds: the timeout bounds the time to its first token, and between two. 0: the timeout
	// bounds all of it, as it does any other reply.
	Longest time.Duration `json:"longest,omitempty"`
	// EndMark is the data of the event that ends a whole stream; empty: the end of the reply does.
	EndMark string `json:"end_mark,omitempty"`
	// Steps says that a scenario's steps sent its requests, at no fixed rate: it is not load, and only expectations that name
	// the lane are judged by it.
	Steps bool `json:"steps,omitempty"`
	// Resends says that the client, like most, silently resends a request whose keep-alive connection
	// died: connections that a rollout breaks show as retries of the lane, not as failures.
	Resends bool `json:"resends,omitempty"`
	// Named says that the client resolves the Service's name for every connection.
	Named bool `json:"named,omitempty"`
}

// RequestsControlURL reports whether it is a control lane outside the cluster: its requests go to a URL that nobody rolls out.
func (l Lane) RequestsControlURL() bool { return l.Vantage == FromControl && l.Node == "" }

// OverTLS reports whether its connections use TLS.
func (l Lane) OverTLS() bool {
	target, err := url.Parse(l.Target)
	return err == nil && target.Scheme == "https"
}

// DialAddress returns the address and port that its connections are opened to; empty if Target is not a URL.
func (l Lane) DialAddress() string {
	target, err := url.Parse(l.Target)
	if err != nil || l.Address != "" {
		return l.Address
	}
	port := "80"
	if target.Scheme == "https" {
		port = "443"
	}
	return net.JoinHostPort(target.Hostname(), cmp.Or(target.Port(), port))
}

// RoutingNode returns the node whose rules route its connections; empty if it is not known, or if the lane goes past the rules.
func (l Lane) RoutingNode() string {
	if l.Vantage == FromControl {
		return ""
	}
	return cmp.Or(l.Node, l.TargetNode)
}

// Over says over what its requests are sent: its kind of connection, if its protocol has any, and its protocol if that is not HTTP.
func (l Lane) Over() string {
	switch {
	case l.Protocol == HTTP:
		return string(l.Conn)
	case l.Conn == "":
		return l.Protocol.Name()
	default:
		return l.Protocol.Name() + ", " + string(l.Conn)
	}
}

// Kind returns the lane's kind. Its name is empty if neither LaneKinds nor KindsOf lists the kind.
func (l Lane) Kind() LaneKind {
	k := LaneKind{Vantage: l.Vantage, Conn: l.Conn, Resends: l.Resends, Named: l.Named, Protocol: l.Protocol, Steps: l.Steps}
	for _, known := range laneKinds {
		if known.same(k) {
			return known
		}
	}
	for _, known := range laneKinds { // those of clients outside that ask a user's app
		if known.Vantage == FromPod && known.Protocol != HTTP {
			known.Vantage = FromHost
		}
		if known.same(k) {
			return known
		}
	}
	return k
}

// A Vantage is the place that a lane's requests are sent from.
type Vantage string

// Vantages.
const (
	FromPod     Vantage = "pod"     // a pod on Lane.Node, to the ClusterIP
	FromHost    Vantage = "host"    // outside the cluster, through a NodePort
	FromControl Vantage = "control" // a pod, straight to a pod that is not rolled out, or outside, to a URL that nobody rolls out
)

// A Conn is the kind of connection a lane uses. Fresh and reused connections are two claims:
// kube-proxy chooses a pod per connection, not per request.
type Conn string

// Conns.
const (
	Fresh  Conn = "fresh"  // a new connection per request
	Reused Conn = "reused" // keep-alive connections
)
