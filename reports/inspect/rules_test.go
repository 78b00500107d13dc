package inspect_test

import (
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/reports/inspect"
)

// The clock of the client's node is wrong by at most 2 ms, and the request was sent at 50 ms to a pod that replied.
func TestUntilWhenTheClientsNodeRoutedToThePod(t *testing.T) {
	const ms = time.Millisecond
	by := evidence.Server{Version: "v1", Pod: "p", Node: "worker2"}
	event := func(at int, kind evidence.EventKind) evidence.Event {
		return evidence.Event{At: time.Duration(at) * ms, Kind: kind, Object: "worker", By: by}
	}
	begun := evidence.Event{Kind: evidence.RulesBegun, Object: "worker"}
	for _, row := range []struct {
		sentence string
		events   []evidence.Event
		lane     evidence.Lane
		want     string
	}{
		{"after the request", []evidence.Event{begun, event(1, evidence.RuleAdded), event(90, evidence.RuleGone)}, fromPod(),
			"the rules of worker, its client's node, routed to it until 0.040 s ± 0.002 s after the request"},
		{"of several times, the one in which the request was sent", []evidence.Event{begun, event(1, evidence.RuleAdded),
			event(20, evidence.RuleGone), event(30, evidence.RuleAdded), event(90, evidence.RuleGone), event(95, evidence.RuleAdded),
			event(99, evidence.RuleGone)}, fromPod(),
			"the rules of worker, its client's node, routed to it until 0.040 s ± 0.002 s after the request"},
		{"before it", []evidence.Event{begun, event(1, evidence.RuleAdded), event(20, evidence.RuleGone)}, fromPod(),
			"the rules of worker, its client's node, had stopped routing to it 0.030 s ± 0.002 s before the request"},
		{"at about the same time", []evidence.Event{begun, event(1, evidence.RuleAdded), event(51, evidence.RuleGone)}, fromPod(),
			"the rules of worker, its client's node, stopped routing to it 0.001 s ± 0.002 s after the request: " +
				"the clocks cannot tell which was first"},
		{"they did not stop", []evidence.Event{begun, event(1, evidence.RuleAdded), event(95, evidence.NodeBusy)}, fromPod(),
			"the rules of worker, its client's node, still routed to it when they were seen last, 0.045 s ± 0.002 s after the request"},
		{"they began later, as of a connection that is kept", []evidence.Event{begun, event(80, evidence.RuleAdded)}, fromPod(),
			"the rules of worker, its client's node, routed to it only from 0.030 s ± 0.002 s after the request on"},
		{"they never did", []evidence.Event{begun, event(1, evidence.PodReady)}, fromPod(),
			"the rules of worker, its client's node, were never seen to route to it"},
		{"nobody looked at them", []evidence.Event{event(1, evidence.PodReady)}, fromPod(),
			"the rules of worker, its client's node, were not observed"},
		{"a client outside, by the node that it asks", []evidence.Event{begun, event(1, evidence.RuleAdded), event(90, evidence.RuleGone)},
			evidence.Lane{ID: "a", Vantage: evidence.FromHost, Conn: evidence.Fresh, TargetNode: "worker"},
			"the rules of worker, its client's node, routed to it until 0.040 s after the request"},
		{"a lane past the rules", []evidence.Event{begun, event(1, evidence.RuleAdded)},
			evidence.Lane{ID: "a", Vantage: evidence.FromControl, Node: "worker", Conn: evidence.Fresh}, ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			hit := evidence.Hit{Lane: "a", Sent: 50 * ms, Status: 200, By: by}
			tl, err := timeline.Join(evidence.Evidence{Hits: evidence.Hits([]evidence.Hit{hit}), Events: row.events, Run: evidence.Run{
				OldVersion: "v1", NewVersion: "v2", Lanes: []evidence.Lane{row.lane},
				Clocks: []evidence.ClockReading{{Node: "worker", Uncertainty: 2 * ms}, {Node: "worker2"}},
			}})
			if err != nil {
				t.Fatal(err)
			}
			if got := inspect.NewRequest(timeline.Hit{Hit: hit}, tl).Rules(tl); got != row.want {
				t.Errorf("it says %q, want %q", got, row.want)
			}
		})
	}
}

func fromPod() evidence.Lane {
	return evidence.Lane{ID: "a", Vantage: evidence.FromPod, Node: "worker", Conn: evidence.Fresh}
}
