package timeline

import (
	"net"
	"net/netip"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A Routing says whether a node routed a connection, by its connection tracking.
type Routing int

// The routings. None is guessed: where an event may have been lost, the routing is unknown.
const (
	RoutingUnknown Routing = iota
	RoutedToPod
	RoutedNowhere // rejected or dropped before it was routed to a pod
)

// A Routed is where the connection of a request was routed to.
type Routed struct {
	Routing
	evidence.Server        // the pod, if the address is known to be one's
	Address         string // address and port that it was routed to
	At              Time   // when the node reported that, at the latest
	InRules         int    // if routed nowhere: to how many pods the node's rules routed meanwhile, at least
}

// Routings counts the connections of a lane's requests by routing.
type Routings struct {
	Pod, Nowhere, Unknown int
	Contradicted          int // replies by another pod than the connection was routed to
	Unexplained           int // of Nowhere, the ones while the node's rules routed to some pod
}

// maxFlowDelay is the longest that an event of conntrack takes from the node's kernel to the observer, which waits for a processor like
// any other process. It is the first timer of a SYN, after which the client sends another.
const maxFlowDelay = time.Second

// A tuple is the client's end of a connection.
type tuple struct {
	client string
	port   int
}

// flows holds the connections that nodes routed, by node and client's end. Those of one end are in order of time.
type flows map[string]map[tuple][]evidence.Flow

// readFlows reads flows and converts them to the recorder's clock. It returns none of a cluster that lacks [evidence.FlowEvents]. The
// problem is why not all could be read.
func (t *Timeline) readFlows(stream evidence.Stream[evidence.Flow], lacks []evidence.Feature) (f flows, damaged []Problem) {
	f = flows{}
	if stream == nil || slices.ContainsFunc(lacks, func(f evidence.Feature) bool { return f.Name == evidence.FlowEvents }) {
		return f, nil
	}
	for flow, err := range stream {
		if err != nil {
			return f, []Problem{damage(evidence.Damage{File: evidence.FlowsFile, Text: err.Error()})}
		}
		of := f[flow.Node]
		if of == nil {
			of = map[tuple][]evidence.Flow{}
			f[flow.Node] = of
		}
		flow.At = t.clocks.onRecorder(flow.Node, flow.At)
		at := tuple{flow.Client, flow.Port}
		of[at] = append(of[at], flow)
	}
	return f, nil
}

// laneFlows holds the connections that a lane's node routed, and what tells the lane's own from the rest.
type laneFlows struct {
	*node
	flows     map[tuple][]evidence.Flow
	client    string
	to        string        // address and port asked for; empty: any, since the target is a name
	heard     Window        // while the node's conntrack was listened to
	uncertain time.Duration // of the difference between the clocks of client and node
	err       time.Duration // of the node's clock
}

// at returns when the node reported a flow.
func (f *laneFlows) at(flow evidence.Flow) Time {
	return Time{At: flow.At, Clock: flow.Node, Err: f.err}
}

// of returns the flows of a lane's node; nil if they do not show the lane's connections.
func (f flows) of(lane evidence.Lane, absent []evidence.Absence, t *Timeline) *laneFlows {
	name := lane.RoutingNode()
	node := t.node(name)
	host, _, err := net.SplitHostPort(lane.DialAddress())
	tells := node.heard != nil && err == nil && lane.Client != "" && f.includes(name, lane.Client)
	if !tells || !lane.Protocol.OverTCP() || !lane.Kind().RequestsApp() {
		return nil
	}
	of := &laneFlows{node: node, flows: f[name], client: lane.Client, heard: Window{From: *node.heard, To: never},
		uncertain: t.clocks.timeOn(lane.Node, 0).Since(t.clocks.timeOn(name, 0)).Uncertainty, err: t.clocks[name].uncertainty}
	if node.lost {
		of.heard.To = node.seen
	}
	for _, away := range absent { // an agent whose node booted has another address
		of.heard.To = min(of.heard.To, away.Since)
	}
	if _, err := netip.ParseAddr(host); err == nil {
		of.to = lane.DialAddress()
	}
	return of
}

// includes reports whether a node's flows include any routed connection of a client. They include none on a data plane that routes without
// connection tracking, and where the node sees another address than the client's own.
func (f flows) includes(node, client string) bool {
	for at, flows := range f[node] {
		if at.client == client && slices.ContainsFunc(flows, func(f evidence.Flow) bool { return f.Address != f.To }) {
			return true
		}
	}
	return false
}

// portKept is how long connection tracking may keep a closed connection, and take the next one from its port for it, without an event
// (nf_conntrack_tcp_timeout_time_wait).
const portKept = 120 * time.Second

// ahead returns where a connection was routed that its client had opened by a time, before the first request over it.
func (f *laneFlows) ahead(opened time.Duration, port uint16) Routed {
	from := max(f.heard.From, opened-maxFlowDelay)
	return f.connection(&evidence.Hit{LocalPort: port, Sent: from, Took: max(0, opened-from), Connect: maxFlowDelay})
}

// connection returns where the connection of a hit was routed: a new one by the event of its opening, a reused one by the last event of
// its port.
func (f *laneFlows) connection(h *evidence.Hit) Routed {
	if h.LocalPort == 0 || h.Sent < f.heard.From {
		return Routed{}
	}
	from, to := h.Sent-f.uncertain, h.End()+maxFlowDelay+f.uncertain
	if h.Reused {
		from = f.heard.From
	}
	var found Routed
	before := false // connection tracking may still keep an earlier connection of the port
	for _, flow := range f.flows[tuple{f.client, int(h.LocalPort)}] {
		switch {
		case f.to != "" && f.to != flow.To:
		case from <= flow.At && flow.At <= to && flow.Address != flow.To: // otherwise it was tracked, but not routed
			found = Routed{Routing: RoutedToPod, Server: flow.By, Address: flow.Address, At: f.at(flow)}
			if h.Reused {
				from = flow.At
			}
		case flow.At < from:
			before = before || from-flow.At < portKept
		}
	}
	lost := to > f.heard.To
	for range f.unheard.touching(from, to) {
		lost = true
	}
	switch {
	case found.Routing == RoutedToPod && (!lost || !h.Reused):
		return found
	case lost, before, h.Reused, !h.Failed(), h.Connect > 0:
		return Routed{} // it was opened, or may have been
	default:
		return Routed{Routing: RoutedNowhere, InRules: f.leastRouted(Window{From: h.Sent - f.uncertain, To: h.End() + f.uncertain})}
	}
}
