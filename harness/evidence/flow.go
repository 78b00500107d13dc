package evidence

import (
	"cmp"
	"fmt"
	"math"
	"time"
)

// A Flow is a connection that a node routed, from its connection tracking: the kernel reports a connection when its first packet has
// passed every filter (NEW events of conntrack, net/netfilter/nf_conntrack_ecache.c). A rejected or dropped connection has no Flow.
type Flow struct {
	Node    string        `json:"node"`    // the node that routed it
	Seq     uint64        `json:"seq"`     // number on that node, from 0
	At      time.Duration `json:"at"`      // when the observer got the event, on the clock of Node
	Client  string        `json:"client"`  // its address
	Port    int           `json:"port"`    // of the client
	To      string        `json:"to"`      // address and port that the client connected to
	Address string        `json:"address"` // address and port that it was routed to
	By      Server        `json:"by"`      // the pod that had Address then; without a name if unknown
}

// Flows returns a stream of flows given in any order. It does not copy them.
func Flows(flows []Flow) Stream[Flow] {
	return Sorted(flows, func(f Flow) string { return f.Node }, (*Flow).Compare)
}

// Compare is the total order of the flows of a node.
func (a *Flow) Compare(b *Flow) int {
	return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.At, b.At), cmp.Compare(a.Client, b.Client), cmp.Compare(a.Port, b.Port))
}

// Check returns an error for a flow that is impossible.
func (a Flow) Check() error {
	switch {
	case a.Seq > math.MaxInt64:
		return fmt.Errorf("seq %d is out of range", a.Seq)
	case a.Port < 0 || a.Port > math.MaxUint16:
		return fmt.Errorf("port %d is out of range", a.Port)
	default:
		return nil
	}
}
