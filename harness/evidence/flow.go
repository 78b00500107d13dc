package evidence

import (
	"cmp"
	"fmt"
	"math"
	"time"
)

// A Flow is a connection that a node routed, by its connection tracking: the kernel tells of each when its first packet has passed
// every filter (NEW events of conntrack, net/netfilter/nf_conntrack_ecache.c). One that was rejected or dropped before has none.
type Flow struct {
	Node    string        `json:"node"` // that routed it
	Seq     uint64        `json:"seq"`  // number on that node, from 0
	At      time.Duration `json:"at"`   // when the observer heard of it, on the clock of Node
	Client  string        `json:"client"`
	Port    int           `json:"port"`    // of the client
	To      string        `json:"to"`      // address and port that the client asked
	Address string        `json:"address"` // and port, that it was routed to
	By      Server        `json:"by"`      // the pod that had that address then; without a name if none is known
}

// Flows is a stream of flows given in any order, which are not copied.
func Flows(flows []Flow) Stream[Flow] {
	return Sorted(flows, func(f Flow) string { return f.Node }, (*Flow).Compare)
}

// Compare is a total order within a node.
func (a *Flow) Compare(b *Flow) int {
	return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.At, b.At), cmp.Compare(a.Client, b.Client), cmp.Compare(a.Port, b.Port))
}

// Check returns an error for a flow nobody can have heard of.
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
