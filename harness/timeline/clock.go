package timeline

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe/message"
)

// A clock says how a node's clock differs from the recorder's.
type clock struct{ offset, uncertainty time.Duration }

// clocks holds the clocks of the nodes, by name. The recorder's own, "", has neither offset nor
// uncertainty, and neither has any other clock in a recording without readings.
type clocks map[string]clock

// readClocks returns, for each node, the middle of the range that holds every reading of its clock. A clock
// that drifted during the run is therefore uncertain by half its drift.
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

// onRecorder converts a moment on a node's clock to the recorder's.
func (cs clocks) onRecorder(node string, at time.Duration) time.Duration { return at - cs[node].offset }

// events converts events to the recorder's clock, reads what Events of the API report, and sorts them by time. At one
// moment marks come first, since they bound phases.
func (cs clocks) events(noted []evidence.Event) []evidence.Event {
	events := slices.Clone(noted)
	for i := range events {
		e := &events[i]
		e.At = cs.onRecorder(e.Clock, e.At)
		if e.Kind == evidence.Reported {
			about, _, _ := strings.Cut(e.Object, "/")
			e.Report = message.Of(about, e.Reason, e.Message)
		}
	}
	slices.SortStableFunc(events, func(a, b evidence.Event) int {
		if a.At == b.At && IsMark(a.Kind) != IsMark(b.Kind) {
			return map[bool]int{true: -1, false: 1}[IsMark(a.Kind)]
		}
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.By.Pod, b.By.Pod), cmp.Compare(a.Object, b.Object))
	})
	return events
}

// clockProblems returns a problem for each reading with a negative uncertainty, and for each node with records whose clock
// was never read.
func clockProblems(ev evidence.Evidence, cs clocks, nodes []string) (found []Problem) {
	for _, r := range ev.Run.Clocks {
		if r.Uncertainty < 0 {
			found = append(found, problem(evidence.RunFile, "the clock of node %q was read with the uncertainty %s", r.Node, r.Uncertainty))
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
			found = append(found, problem(evidence.RunFile, "the clock of node %q was never read", node))
		}
	}
	return found
}

// ClockUncertainty returns the most by which a node's clock may be wrong.
func (t Timeline) ClockUncertainty() time.Duration {
	var worst time.Duration
	for _, c := range t.clocks {
		worst = max(worst, c.uncertainty)
	}
	return worst
}

// Since returns how long after a mark a hit was sent; negative before it. It is absent without the mark.
func (t Timeline) Since(mark evidence.EventKind, h Hit) (Elapsed, bool) {
	at, ok := t.Mark(mark)
	return t.sent(h).Since(Time{At: at}), ok
}

// PhaseOf returns the phase a pod was in when a hit was sent, and for how long it had been.
func (t Timeline) PhaseOf(p Pod, h Hit) (PodPhase, Elapsed) {
	step := p.at(h.Sent)
	return step.Phase, t.sent(h).Since(step.Time)
}

// sent returns when a hit was sent, by the clock of its client.
func (t Timeline) sent(h Hit) Time { return t.lane(h.Lane).Time(h.Sent) }

func (t Timeline) lane(id string) (l Lane) {
	if i := slices.IndexFunc(t.Lanes, func(l Lane) bool { return l.ID == id }); i >= 0 {
		l = t.Lanes[i]
	}
	return l
}
