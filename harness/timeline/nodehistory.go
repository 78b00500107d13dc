package timeline

import (
	"maps"
	"math"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A NodeHistory is what became of a node, as the API showed it. A window that never ended has the largest To there is.
type NodeHistory struct {
	Node     string
	Unready  []Window // not ready, or not there
	Cordoned []Window
	Changes  []Step // it booted, or runs another version
}

// Eventful says that anything happened to it.
func (h NodeHistory) Eventful() bool { return len(h.Unready)+len(h.Cordoned)+len(h.Changes) > 0 }

// NodeHistories lists those of all nodes that were seen, by name.
func (t Timeline) NodeHistories() []NodeHistory {
	all := map[string]*NodeHistory{}
	for _, e := range t.Events {
		h := all[e.Object]
		if h == nil {
			h = &NodeHistory{Node: e.Object}
		}
		switch e.Kind {
		case evidence.NodeReady:
			end(h.Unready, e.At)
		case evidence.NodeUnready:
			begin(&h.Unready, e.At)
			if removed(e) { // one of the same name that joins is another node, and not cordoned
				end(h.Cordoned, e.At)
			}
		case evidence.NodeCordoned:
			begin(&h.Cordoned, e.At)
		case evidence.NodeOpened:
			end(h.Cordoned, e.At)
		case evidence.NodeChanged:
			h.Changes = append(h.Changes, Step{At: e.At, Clock: e.Clock, Kind: e.Kind, Node: e.Object, What: e.Detail})
		default:
			continue
		}
		all[e.Object] = h
	}
	var histories []NodeHistory
	for _, node := range slices.Sorted(maps.Keys(all)) {
		histories = append(histories, *all[node])
	}
	return histories
}

const never = time.Duration(math.MaxInt64)

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
