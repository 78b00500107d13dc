package timeline_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

func reading(node string, offset, uncertainty time.Duration) evidence.ClockReading {
	return evidence.ClockReading{Node: node, Offset: offset, Uncertainty: uncertainty}
}

func TestElapsedUncertainty(t *testing.T) {
	hits := append(paced("a", "1112"), paced("b", "1122")...)
	for i := range hits {
		hits[i].Due += 3 * time.Second
		hits[i].Sent += 3 * time.Second
	}
	events := append(marks(0, 15, 40, 50), pod(25, evidence.EndpointGone, "v1", "pod-v1"),
		evidence.Event{At: 22 * ms, Kind: evidence.StatusDone})
	r := recording(hits, append(events, evidence.Event{At: 3*time.Second + 31*ms, Clock: "n1", Kind: evidence.RuleGone,
		By: evidence.Server{Pod: "pod-v1"}, Object: "n1"}),
		fresh("a", "n1"), fresh("b", "n2"))
	// Two readings of n1: 2.999 s ± 1 ms and 3.001 s ± 1 ms are 3 s ± 2 ms together.
	r.Run.Clocks = []evidence.ClockReading{reading("n1", 2999*ms, ms), reading("n1", 3001*ms, ms), reading("n2", 3*time.Second, 3*ms)}
	tl := join(t, r)
	if len(tl.Problems) > 0 {
		t.Errorf("problems: %v", tl.Problems)
	}
	gap, _ := tl.StatusGap(tl.ServiceLanes()...)
	mixed, _ := tl.MixedWindow(tl.ServiceLanes())
	got := map[string]any{"gap": gap, "mixed": mixed, "drain": tl.DrainLags(), "rules": tl.RuleLags(), "worst": tl.ClockUncertainty()}
	want := map[string]any{
		"gap":   timeline.Elapsed{Length: 10 * ms, Uncertainty: 2 * ms},
		"mixed": timeline.Window{From: 32 * ms, To: 32 * ms, Uncertainty: 5 * ms},
		"drain": []timeline.PodLag{{Pod: "pod-v1", Node: "n1", Lag: timeline.Elapsed{Length: 5 * ms, Uncertainty: 2 * ms}}},
		"rules": []timeline.PodLag{{Pod: "pod-v1", Node: "n1", Lag: timeline.Elapsed{Length: 6 * ms, Uncertainty: 2 * ms}}},
		"worst": 3 * ms,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("durations (-want +got):\n%s", diff)
	}
}

func TestRepliesSinceUnclear(t *testing.T) {
	r := recording(paced("a", "1112"), marks(5, 20, 28, 50), fresh("a", "n1"))
	r.Run.Clocks = []evidence.ClockReading{reading("n1", 0, 3*ms)}
	// Sent at 10, 20, 30 (v1) and 40 ms (v2), each ± 3 ms.
	for _, row := range []struct {
		mark           evidence.EventKind
		count, unclear int // of v1
	}{
		{evidence.LoadBegun, 3, 0},
		{evidence.RolloutBegun, 1, 1}, // 20 ± 3 ms
		{evidence.OldGone, 0, 1},      // 30 ± 3 ms against 28
		{evidence.LoadEnded, 0, 0},
	} {
		var count, unclear int
		tl := join(t, r)
		for _, replies := range tl.RepliesSince(row.mark, tl.ServiceLanes()) {
			if replies.Version == "v1" {
				count, unclear = replies.Count, replies.Unclear
			}
		}
		if count != row.count || unclear != row.unclear {
			t.Errorf("since %s: %d replies and %d unclear ones by v1, want %d and %d", row.mark, count, unclear, row.count, row.unclear)
		}
	}
}

func TestOutageOpen(t *testing.T) {
	r := recording(paced("a", "1x1x"), marks(5, 20, 28, 50), fresh("a", "n1"))
	r.Run.Clocks = []evidence.ClockReading{reading("n1", 0, 3*ms)}
	want := []timeline.Outage{{From: 20 * ms, To: 30 * ms, Failed: 1},
		{From: 40 * ms, To: 50 * ms, Failed: 1, Open: true, Uncertainty: 3 * ms}}
	if diff := cmp.Diff(want, join(t, r).Lanes[0].Summary.Outages); diff != "" {
		t.Errorf("outages (-want +got):\n%s", diff)
	}
}

func TestProblemsOfClocks(t *testing.T) {
	r := recording(paced("a", "12"), append(marks(0, 10, 20, 40), evidence.Event{At: 1, Clock: "n3", Kind: evidence.PodSigterm}),
		fresh("a", "n1"), fresh("b", "n2"))
	r.Arrivals = []evidence.Arrival{{Lane: "a", Seq: 0, By: evidence.Server{Pod: "pod-v1", Node: "n4"}},
		{Lane: "a", Seq: 1, By: evidence.Server{Pod: "pod-v2", Node: "n1"}}}
	r.Run.Clocks = []evidence.ClockReading{reading("n1", 0, 0)}
	want := []string{`run.json: the clock of node "n2" was never read`, `run.json: the clock of node "n3" was never read`,
		`run.json: the clock of node "n4" was never read`}
	if diff := cmp.Diff(want, textsOf(join(t, r).Problems)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestProblemsOfClockUncertainty(t *testing.T) {
	r := recording(paced("a", "12"), marks(0, 10, 20, 40), fresh("a", "n1"))
	r.Run.Clocks = []evidence.ClockReading{reading("n1", 0, -ms)}
	want := []string{`run.json: the clock of node "n1" was read with the uncertainty -1ms`}
	if diff := cmp.Diff(want, textsOf(join(t, r).Problems)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// By its time the last hit was sent before the endpoint left, but the clocks are so uncertain that it may have been after.
func TestDrainLagsUncertain(t *testing.T) {
	r := recording(paced("a", "1112"), append(marks(0, 15, 40, 50), pod(31, evidence.EndpointGone, "v1", "pod-v1")), fresh("a", "n1"))
	r.Run.Clocks = []evidence.ClockReading{reading("n1", 0, 3*ms)}
	want := []timeline.PodLag{{Pod: "pod-v1", Node: "n1", Lag: timeline.Elapsed{Length: -ms, Uncertainty: 3 * ms}}}
	if diff := cmp.Diff(want, join(t, r).DrainLags()); diff != "" {
		t.Errorf("drain lags (-want +got):\n%s", diff)
	}
}

// Lane b's last old reply seems earlier than lane a's, but b's clock is so uncertain that it may be the last.
func TestMixedWindowUncertainty(t *testing.T) {
	r := recording(append(paced("a", "1112"), paced("b", "1122")...),
		append(marks(0, 15, 40, 50), evidence.Event{At: 22 * ms, Kind: evidence.StatusDone}), fresh("a", "n1"), fresh("b", "n2"))
	r.Run.Clocks = []evidence.ClockReading{reading("n1", 0, ms), reading("n2", 0, 15*ms)}
	tl := join(t, r)
	gap, _ := tl.StatusGap(tl.ServiceLanes()...)
	if want := (timeline.Elapsed{Length: 10 * ms, Uncertainty: 5 * ms}); gap != want {
		t.Errorf("status gap %v, want %v", gap, want)
	}
}
