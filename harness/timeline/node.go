package timeline

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A node holds what was recorded about one node.
type node struct {
	load    NodeLoad
	history NodeHistory // without a name: the API showed nothing of it

	observed bool             // its rules were observed
	seen     time.Duration    // when its rules were seen last
	unseen   lapses           // when its rules were not seen
	rules    []evidence.Event // changes of its rules
	routed   []podCount       // to how many pods its rules routed, by time
	heard    *time.Duration   // since when its conntrack was listened to
	unheard  lapses           // when its conntrack was not listened to
	lost     bool             // its observer did not reach the end
}

type podCount struct {
	at   time.Duration
	pods int
}

// A NodeLoad is how much of a node was in use while it was under load, each second, in permille.
type NodeLoad struct {
	Node      string
	Busy      []int  // of its processors, ascending
	Stolen    int    // the most of its processors that other machines of its host had, which is in Busy too
	Conntrack int    // the most of its connection table
	Entries   string // connections in the table then, and how many it can hold; empty when it was not seen
}

// A NodeHistory is what the API showed of a node over time. A window that never ended has the largest To there is.
type NodeHistory struct {
	Node     string
	Unready  []Window // not ready, or not there
	Cordoned []Window
	Changes  []Step // when it booted, or got another version
}

// Eventful reports whether the history has anything.
func (h NodeHistory) Eventful() bool { return len(h.Unready)+len(h.Cordoned)+len(h.Changes) > 0 }

func (n *node) note(e evidence.Event, at Time, underLoad bool) {
	switch e.Kind {
	case evidence.RulesBegun:
		n.observed, n.seen = true, e.At
	case evidence.RuleAdded, evidence.RuleGone:
		n.rules, n.seen = append(n.rules, e), e.At
	case evidence.RulesUnseen:
		n.unseen.add(e)
	case evidence.FlowsBegun:
		n.heard = &e.At
	case evidence.FlowsUnseen:
		n.unheard.add(e)
	case evidence.RecorderLost:
		n.lost = true
	case evidence.NodeBusy:
		n.seen = e.At
		if underLoad {
			n.load.Busy = append(n.load.Busy, e.Count)
		}
	case evidence.NodeStolen:
		if underLoad {
			n.load.Stolen = max(n.load.Stolen, e.Count)
		}
	case evidence.NodeConntrack:
		if underLoad && (n.load.Entries == "" || e.Count > n.load.Conntrack) {
			n.load.Conntrack, n.load.Entries = e.Count, e.Detail
		}
	default:
		n.history.note(e, at)
	}
}

func (h *NodeHistory) note(e evidence.Event, at Time) {
	switch e.Kind {
	case evidence.NodeReady:
		end(h.Unready, e.At)
	case evidence.NodeUnready:
		begin(&h.Unready, e.At)
		if removed(e) { // a node of the same name that joins is another one, and not cordoned
			end(h.Cordoned, e.At)
		}
	case evidence.NodeCordoned:
		begin(&h.Cordoned, e.At)
	case evidence.NodeOpened:
		end(h.Cordoned, e.At)
	case evidence.NodeChanged:
		h.Changes = append(h.Changes, Step{Time: at, Kind: e.Kind, Node: e.Object, What: e.Detail})
	default:
		return
	}
	h.Node = e.Object
}

func begin(windows *[]Window, at time.Duration) {
	if n := len(*windows); n == 0 || (*windows)[n-1].To != never {
		*windows = append(*windows, Window{From: at, To: never})
	}
}

func end(windows []Window, at time.Duration) {
	if n := len(windows); n > 0 && windows[n-1].To == never {
		windows[n-1].To = at
	}
}

// finish completes what needs all events. A rule that is seen to be gone may have been so since the look before.
func (n *node) finish() {
	slices.Sort(n.load.Busy)
	for _, w := range n.unseen.all { // the end of the stream is noted last
		if w.To >= n.seen {
			n.seen = min(n.seen, w.From)
		}
	}
	routed := map[evidence.Server]bool{}
	for _, e := range n.rules {
		pod := evidence.Server{Pod: e.By.Pod, Version: e.By.Version}
		switch added := e.Kind == evidence.RuleAdded; {
		case added == routed[pod]: // an observer that started again reports all rules again
			continue
		case added:
			n.routed = append(n.routed, podCount{e.At, 1})
		default:
			n.routed = append(n.routed, podCount{e.At - max(evidence.SparingLookGap, n.blind(e.At)), -1})
		}
		routed[pod] = !routed[pod]
	}
	slices.SortStableFunc(n.routed, func(a, b podCount) int { return cmp.Compare(a.at, b.at) })
	for i := range n.routed[min(1, len(n.routed)):] {
		n.routed[i+1].pods += n.routed[i].pods
	}
}

// leastRouted returns the fewest pods that the node's rules routed to in a window; 0 if they were not seen.
func (n *node) leastRouted(in Window) (least int) {
	i, _ := slices.BinarySearchFunc(n.routed, in.From, func(l podCount, at time.Duration) int { return cmp.Compare(l.at, at) })
	if i > 0 {
		least = n.routed[i-1].pods
	}
	for ; i < len(n.routed) && n.routed[i].at <= in.To; i++ {
		least = min(least, n.routed[i].pods)
	}
	return least
}

// node returns what was recorded about a node; for an unknown name, an empty one.
func (t Timeline) node(name string) *node {
	if n := t.nodes[name]; n != nil {
		return n
	}
	return &node{}
}

// Observed lists the nodes whose rules were observed, by name.
func (t Timeline) Observed() (names []string) {
	for _, load := range t.NodeLoads() {
		names = append(names, load.Node)
	}
	return names
}

// NodeLoads lists, by name, the loads of the nodes whose rules were observed, between load-begun and load-ended.
func (t Timeline) NodeLoads() (loads []NodeLoad) {
	for _, name := range slices.Sorted(maps.Keys(t.nodes)) {
		if n := t.nodes[name]; n.observed {
			loads = append(loads, n.load)
		}
	}
	return loads
}

// NodeHistories lists, by name, the histories of all nodes that the API showed.
func (t Timeline) NodeHistories() (all []NodeHistory) {
	for _, name := range slices.Sorted(maps.Keys(t.nodes)) {
		if h := t.nodes[name].history; h.Node != "" {
			all = append(all, h)
		}
	}
	return all
}
