package timeline_test

import (
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

func noted(at int, kind evidence.EventKind, object, detail string) evidence.Event {
	return evidence.Event{At: time.Duration(at) * ms, Kind: kind, Object: object, Detail: detail}
}

func TestMaintenance(t *testing.T) {
	begun, undone := noted(20, evidence.DisruptionBegun, "", "drain"), noted(50, evidence.DisruptionUndone, "", "")
	step := func(at int) evidence.Event { return noted(at, evidence.Step, "", "cordon") }
	for _, row := range []struct {
		sentence string
		events   []evidence.Event
		want     timeline.Window
		ok       bool
	}{
		{"without an event there is none", nil, timeline.Window{}, false},
		{"it lasts until it is undone", []evidence.Event{undone, begun}, timeline.Window{From: 20 * ms, To: 50 * ms}, true},
		{"it begins with its first marked step", []evidence.Event{begun, step(30), step(40), undone},
			timeline.Window{From: 30 * ms, To: 50 * ms}, true},
		{"a step before or after it does not count", []evidence.Event{step(10), begun, undone, step(60)},
			timeline.Window{From: 20 * ms, To: 50 * ms}, true},
		{"one whose recording was cut off has no end", []evidence.Event{begun}, timeline.Window{}, false},
		{"an end without a begin is none", []evidence.Event{undone}, timeline.Window{}, false},
		{"nor is one before the begin", []evidence.Event{noted(10, evidence.DisruptionUndone, "", ""), begun}, timeline.Window{}, false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if got, ok := join(t, recording(nil, row.events)).Maintenance(); got != row.want || ok != row.ok {
				t.Errorf("%+v %t, want %+v", got, ok, row.want)
			}
		})
	}
}

// An agent may be away while its node is down, and for as long after that as its kubelet takes to start it.
func TestExpectedAway(t *testing.T) {
	const second, node = 1000, "n1"
	down := func(from, to int) []evidence.Event {
		return []evidence.Event{noted(from, evidence.NodeUnready, node, ""), noted(to, evidence.NodeReady, node, "")}
	}
	for _, row := range []struct {
		sentence string
		events   []evidence.Event
		from     int // in seconds
		until    int // it is expected to be back then, and not a second later; 0: it may stay away
	}{
		{"its container starts again", nil, 10, 25},
		{"its node was not ready", down(50*second, 180*second), 10, 195},
		{"its node booted before the API showed it as not ready",
			[]evidence.Event{noted(40*second, evidence.NodeChanged, node, evidence.Booted)}, 10, 55},
		{"its node runs another kubelet", []evidence.Event{noted(40*second, evidence.NodeChanged, node, "kubelet v1.37.2")}, 10, 25},
		{"its node is not ready at the end either", []evidence.Event{noted(50*second, evidence.NodeUnready, node, "")}, 60, 0},
		{"its node was not ready before", down(3*second, 5*second), 10, 25},
		{"another node was not ready", []evidence.Event{noted(50*second, evidence.NodeUnready, "n2", "")}, 10, 25},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			r := recording(nil, append(row.events, noted(second, evidence.DisruptionBegun, "", "")))
			r.Run.Disruption = &evidence.Disruption{Expects: []string{evidence.AgentLost}}
			away := timeline.AgentAway{Node: node, Window: timeline.Window{From: time.Duration(row.from) * time.Second, To: 1000 * time.Second}}
			tl := join(t, r)
			if got := tl.ExpectedAway(away); got != (row.until == 0) {
				t.Errorf("expected to stay away: %t", got)
			}
			away.To = time.Duration(row.until) * time.Second
			if row.until > 0 && !tl.ExpectedAway(away) {
				t.Errorf("not expected until %v", away.To)
			}
			if away.To += time.Second; row.until > 0 && tl.ExpectedAway(away) {
				t.Errorf("expected until %v", away.To)
			}
			if away.From = 0; tl.ExpectedAway(away) {
				t.Error("expected before the disruption began")
			}
		})
	}
}
