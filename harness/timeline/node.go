package timeline

import (
	"maps"
	"slices"

	"example.com/rollcall/harness/evidence"
)

// A NodeLoad is how much of a node was in use while it was under load, each second, in permille.
type NodeLoad struct {
	Node      string
	Busy      []int  // of its processors, ascending
	Stolen    int    // the most of them that other machines of its host had, which is in Busy too
	Conntrack int    // the most of its connection table
	Entries   string // connections in it then, and how many it can hold; empty when it was not seen
}

// Observed lists the nodes whose rules were observed, by name.
func (t Timeline) Observed() []string {
	nodes := map[string]bool{}
	for _, e := range t.Events {
		if e.Kind == evidence.RulesBegun {
			nodes[e.Object] = true
		}
	}
	return slices.Sorted(maps.Keys(nodes))
}

// NodeLoads lists how much of each observed node was in use between load-begun and load-ended.
func (t Timeline) NodeLoads() []NodeLoad {
	var loads []NodeLoad
	for _, node := range t.Observed() {
		load := NodeLoad{Node: node}
		for _, e := range t.Events {
			switch {
			case e.Object != node || !t.UnderLoad(e.At):
			case e.Kind == evidence.NodeBusy:
				load.Busy = append(load.Busy, e.Count)
			case e.Kind == evidence.NodeStolen:
				load.Stolen = max(load.Stolen, e.Count)
			case e.Kind == evidence.NodeConntrack && (load.Entries == "" || e.Count > load.Conntrack):
				load.Conntrack, load.Entries = e.Count, e.Detail
			}
		}
		slices.Sort(load.Busy)
		loads = append(loads, load)
	}
	return loads
}
