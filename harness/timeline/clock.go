package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

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

// events puts all events on the recorder's clock, in order, the marks first of those of one moment, which they begin or end.
func (cs clocks) events(noted []evidence.Event) []evidence.Event {
	events := slices.Clone(noted)
	for i := range events {
		events[i].At = cs.onRecorder(events[i].Clock, events[i].At)
	}
	slices.SortStableFunc(events, func(a, b evidence.Event) int {
		if a.At == b.At && IsMark(a.Kind) != IsMark(b.Kind) {
			return map[bool]int{true: -1, false: 1}[IsMark(a.Kind)]
		}
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.By.Pod, b.By.Pod), cmp.Compare(a.Object, b.Object))
	})
	return events
}

// clockProblems says which readings cannot be, and of which nodes something was recorded whose clock
// was never read.
func clockProblems(ev evidence.Evidence, cs clocks, nodes []string) []string {
	var found []string
	for _, r := range ev.Run.Clocks {
		if r.Uncertainty < 0 {
			found = append(found, fmt.Sprintf("%s: the clock of node %q was read with the uncertainty %s", evidence.RunFile, r.Node, r.Uncertainty))
		}
	}
	if len(cs) == 0 {
		return found
	}
	for _, e := range ev.Events {
		nodes = append(nodes, e.Clock)
	}
	slices.Sort(nodes)
	for _, node := range slices.Compact(nodes) {
		if _, read := cs[node]; !read && node != "" {
			found = append(found, fmt.Sprintf("%s: the clock of node %q was never read", evidence.RunFile, node))
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

// Since is how long after a mark a hit was sent; negative before it. It is absent without the mark.
func (t Timeline) Since(mark evidence.EventKind, h Hit) (Elapsed, bool) {
	at, ok := t.Mark(mark)
	return t.sent(h).Since(Time{At: at}), ok
}

// PhaseOf is the phase a pod was in when a hit was sent, and for how long.
func (t Timeline) PhaseOf(p Pod, h Hit) (PodPhase, Elapsed) {
	step := p.at(h.Sent)
	return step.Phase, t.sent(h).Since(step.Time)
}

// sent is when a hit was, by the clock of its client.
func (t Timeline) sent(h Hit) Time { return t.lane(h.Lane).Time(h.Sent) }

// lane is the one with an id; zero without one.
func (t Timeline) lane(id string) (l Lane) {
	if i := slices.IndexFunc(t.Lanes, func(l Lane) bool { return l.ID == id }); i >= 0 {
		l = t.Lanes[i]
	}
	return l
}
