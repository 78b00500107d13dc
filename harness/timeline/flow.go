package timeline

import (
	"cmp"
	"net"
	"net/netip"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A Routing says whether a node routed a connection, by its connection tracking.
type Routing int

// Routings. That is never guessed: where an event may have been lost it is unknown.
const (
	RoutingUnknown Routing = iota
	RoutedToPod
	RoutedNowhere // it was rejected or dropped before it had a pod
)

// A Routed is where the connection of a request was routed to.
type Routed struct {
	Routing
	evidence.Server        // if its address was known to be a pod's
	Address         string // and port, of where it was routed to
	InRules         int    // pods that the node's rules routed to, at least, while it was routed nowhere; what kept it from them is not known
}

// Routings counts the connections of a lane's requests by where they were routed to.
type Routings struct {
	Pod, Nowhere, Unknown int
	Contradicted          int // replies by another pod than their connection was routed to
	Unexplained           int // of Nowhere, though the node's rules routed to some pod
}

// heardLate is how long an event of conntrack may take from the node's kernel to the observer, which waits for a processor like any
// other process: as long as the first timer of a SYN, by which the client tries again.
const heardLate = time.Second

// A tuple is the client's end of a connection.
type tuple struct {
	client string
	port   int
}

// flows are the connections that nodes routed, by node and client's end, by time.
type flows map[string]map[tuple][]evidence.Flow

// readFlows puts flows on the recorder's clock, if what nodes tell of them can be relied on. The damage is why not all could be read.
func (t *Timeline) readFlows(stream evidence.Stream[evidence.Flow], lacks []evidence.Feature) (f flows, damage []string) {
	f = flows{}
	if stream == nil || slices.ContainsFunc(lacks, func(f evidence.Feature) bool { return f.Name == evidence.FlowEvents }) {
		return f, nil
	}
	for flow, err := range stream {
		if err != nil {
			return f, []string{err.Error()}
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

// laneFlows are the connections that a lane's node routed, and by what to tell the lane's own among them.
type laneFlows struct {
	*node
	flows     map[tuple][]evidence.Flow
	client    string
	to        string        // empty: any, since the target is a name
	heard     Window        // of the node: before and after it nobody listened
	uncertain time.Duration // how the clocks of client and node differ
}

// of is nil for a lane whose connections nobody could have heard of, or told from those of others.
func (f flows) of(lane evidence.Lane, absent []evidence.Absence, t *Timeline) *laneFlows {
	name := cmp.Or(lane.Node, lane.TargetNode)
	node := t.node(name)
	host, _, err := net.SplitHostPort(lane.DialAddress())
	if node.heard == nil || err != nil || lane.Client == "" || !lane.Kind().AsksApp() || !f.tells(name, lane.Client) {
		return nil
	}
	of := &laneFlows{node: node, flows: f[name], client: lane.Client, heard: Window{From: *node.heard, To: never},
		uncertain: t.clocks.told(lane.Node, 0).Since(t.clocks.told(name, 0)).Uncertainty}
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

// tells reports whether any connection of a client was heard of that was routed. On a data plane that routes without connection tracking,
// and where another address than the client's own is seen, none is.
func (f flows) tells(node, client string) bool {
	for at, flows := range f[node] {
		if at.client == client && slices.ContainsFunc(flows, func(f evidence.Flow) bool { return f.Address != f.To }) {
			return true
		}
	}
	return false
}

// portKept is for how long connection tracking may know a connection that was closed, and take the next one from its port for it without
// telling (nf_conntrack_tcp_timeout_time_wait).
const portKept = 120 * time.Second

// connection is where the connection of a hit was routed: a new one by the event that its opening made, one that was kept by the last that
// its port had.
func (f *laneFlows) connection(h *evidence.Hit) Routed {
	if h.LocalPort == 0 || h.Sent < f.heard.From {
		return Routed{}
	}
	from, to := h.Sent-f.uncertain, h.End()+heardLate+f.uncertain
	if h.Reused {
		from = f.heard.From
	}
	var found Routed
	before := false // the port had a connection that may be known still
	for _, flow := range f.flows[tuple{f.client, h.LocalPort}] {
		switch {
		case f.to != "" && f.to != flow.To:
		case from <= flow.At && flow.At <= to && flow.Address != flow.To: // else it was tracked, and not routed
			found = Routed{Routing: RoutedToPod, Server: flow.By, Address: flow.Address}
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
		return Routed{} // it was open, or may have been
	default:
		return Routed{Routing: RoutedNowhere, InRules: f.leastRouted(Window{From: h.Sent - f.uncertain, To: h.End() + f.uncertain})}
	}
}
