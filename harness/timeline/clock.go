package timeline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"rollcall/harness/evidence"
)

// An Elapsed is a duration, and by how much it may be wrong because its ends were read on two clocks.
type Elapsed struct{ Length, Uncertainty time.Duration }

// A clock is how a node's clock differs from the recorder's.
type clock struct{ offset, uncertainty time.Duration }

// Clocks are those of the nodes, by name. The recorder's own, "", has neither offset nor
// uncertainty; so has every other one of a recording from before clocks were read.
type clocks map[string]clock

// readClocks takes, for each node, the middle of the range that holds every reading of it. A clock
// that drifted during the run is thereby uncertain by half its drift.
func readClocks(readings []evidence.ClockReading) clocks {
	low, high := make(map[string]time.Duration), make(map[string]time.Duration)
	for _, r := range readings {
		if _, seen := low[r.Node]; !seen {
			low[r.Node], high[r.Node] = r.Offset-r.Uncertainty, r.Offset+r.Uncertainty
		}
		low[r.Node], high[r.Node] = min(low[r.Node], r.Offset-r.Uncertainty), max(high[r.Node], r.Offset+r.Uncertainty)
	}
	cs := make(clocks, len(low))
	for node := range low {
		half := (high[node] - low[node] + 1) / 2
		cs[node] = clock{offset: low[node] + half, uncertainty: half}
	}
	return cs
}

// onRecorder is when the recorder's clock showed what the node's shows as at.
func (cs clocks) onRecorder(node string, at time.Duration) time.Duration { return at - cs[node].offset }

// between is the uncertainty of a duration that begins on one node's clock and ends on another's.
func (cs clocks) between(a, b string) time.Duration {
	if a == b {
		return 0
	}
	return cs[a].uncertainty + cs[b].uncertainty
}

// events puts all events on the recorder's clock, in order.
func (cs clocks) events(noted []evidence.Event) []evidence.Event {
	events := slices.Clone(noted)
	for i := range events {
		events[i].At = cs.onRecorder(events[i].Clock, events[i].At)
	}
	slices.SortStableFunc(events, func(a, b evidence.Event) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.By.Pod, b.By.Pod), cmp.Compare(a.Object, b.Object))
	})
	return events
}

// unread says of which nodes something was recorded whose clock was never read.
func (cs clocks) unread(ev evidence.Evidence) []string {
	if len(cs) == 0 {
		return nil
	}
	missing := make(map[string]bool)
	for _, lane := range ev.Run.Lanes {
		missing[lane.Node] = true
	}
	for _, e := range ev.Events {
		missing[e.Clock] = true
	}
	delete(missing, "")
	var found []string
	for _, node := range slices.Sorted(maps.Keys(missing)) {
		if _, read := cs[node]; !read {
			found = append(found, fmt.Sprintf("the clock of node %q was never read", node))
		}
	}
	return found
}

// ClockUncertainty is the largest by which any time of the timeline may be wrong.
func (t Timeline) ClockUncertainty() time.Duration {
	var worst time.Duration
	for _, c := range t.clocks {
		worst = max(worst, c.uncertainty)
	}
	return worst
}
