package timeline_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
)

func TestCapacities(t *testing.T) {
	surge := []evidence.Event{
		pod(1, evidence.PodReady, "v1", "a"), pod(1, evidence.PodReady, "v1", "b"), pod(1, evidence.PodReady, "v9", "control"),
		pod(12, evidence.PodCreated, "v2", "c"), pod(14, evidence.PodReady, "v2", "c"), pod(14, evidence.PodDeleting, "v1", "a"),
		pod(15, evidence.PodCreated, "v2", "d"), pod(16, evidence.PodUnready, "v1", "a"), pod(17, evidence.PodDeleting, "v1", "b"),
		pod(18, evidence.PodGone, "v1", "a"), pod(19, evidence.PodReady, "v2", "d"), pod(20, evidence.PodGone, "v1", "b"),
		pod(30, evidence.PodDeleting, "v2", "c"), pod(30, evidence.PodDeleting, "v2", "d"),
	}
	tl := join(t, recording(nil, append(surge, marks(0, 10, 20, 40)...), fresh("a", "n1")))
	want := []timeline.Capacity{
		{At: 1 * ms, Available: 2, Total: 2}, {At: 12 * ms, Available: 2, Total: 3}, {At: 14 * ms, Available: 2, Total: 3},
		{At: 15 * ms, Available: 2, Total: 4}, {At: 16 * ms, Available: 2, Total: 4}, {At: 17 * ms, Available: 1, Total: 4},
		{At: 18 * ms, Available: 1, Total: 3}, {At: 19 * ms, Available: 2, Total: 3}, {At: 20 * ms, Available: 2, Total: 2},
		{At: 30 * ms, Available: 0, Total: 2},
	}
	if diff := cmp.Diff(want, tl.Capacities(ms, 40*ms)); diff != "" {
		t.Errorf("capacities (-want +got):\n%s", diff)
	}
	if got, ok := tl.MinAvailable(); !ok || got != (timeline.Capacity{At: 17 * ms, Available: 1, Total: 4}) {
		t.Errorf("min available %v %t", got, ok)
	}
	if got, ok := tl.MaxPods(); !ok || got != (timeline.Capacity{At: 15 * ms, Available: 2, Total: 4}) {
		t.Errorf("max pods %v %t", got, ok)
	}
}

func TestMinAvailableAndMaxPods(t *testing.T) {
	for _, row := range []struct {
		sentence string
		changes  []evidence.Event
		fewest   int
		most     int
	}{
		{"nothing changed", nil, 2, 2},
		{"a dip that was over when the rollout began",
			[]evidence.Event{pod(8, evidence.PodUnready, "v1", "a"), pod(10, evidence.PodReady, "v1", "a")}, 2, 2},
		{"a dip from before that lasted into it",
			[]evidence.Event{pod(8, evidence.PodUnready, "v1", "a"), pod(11, evidence.PodReady, "v1", "a")}, 1, 2},
		{"a dip at the very end", []evidence.Event{pod(20, evidence.PodUnready, "v1", "a")}, 1, 2},
		{"a pod more at the very end", []evidence.Event{pod(20, evidence.PodCreated, "v2", "c")}, 2, 3},
		{"what came later", []evidence.Event{pod(21, evidence.PodUnready, "v1", "a"), pod(21, evidence.PodCreated, "v2", "c")}, 2, 2},
		{"a name that comes back, without its creation", []evidence.Event{pod(11, evidence.PodDeleting, "v1", "a"),
			pod(12, evidence.PodGone, "v1", "a"), pod(14, evidence.PodReady, "v2", "a"), pod(15, evidence.PodDeleting, "v1", "b")}, 1, 2},
		{"one of which no end was seen either", []evidence.Event{pod(11, evidence.PodDeleting, "v1", "a"),
			pod(14, evidence.PodReady, "v2", "a"), pod(15, evidence.PodDeleting, "v1", "b")}, 1, 2},
		{"a creation that is told after the pod was ready", []evidence.Event{pod(11, evidence.PodReady, "v2", "c"),
			pod(12, evidence.PodCreated, "v2", "c"), pod(13, evidence.PodDeleting, "v1", "a")}, 2, 3},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			events := append(marks(0, 10, 20, 40), pod(1, evidence.PodReady, "v1", "a"), pod(1, evidence.PodReady, "v1", "b"))
			tl := join(t, recording(nil, append(events, row.changes...), fresh("a", "n1")))
			lowest, _ := tl.MinAvailable()
			highest, _ := tl.MaxPods()
			if lowest.Available != row.fewest || highest.Total != row.most {
				t.Errorf("between %d available and %d in all, want %d and %d", lowest.Available, highest.Total, row.fewest, row.most)
			}
		})
	}
}

func TestMinAvailableAbsent(t *testing.T) {
	for _, row := range []struct {
		sentence string
		events   []evidence.Event
	}{
		{"no pod was seen", marks(0, 10, 20, 40)},
		{"no pod was seen before the rollout", append(marks(0, 10, 20, 40), pod(12, evidence.PodReady, "v2", "c"))},
		{"nobody marked the end", append(marks(0, 10, 20, 40)[:2], pod(1, evidence.PodReady, "v1", "a"))},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			tl := join(t, recording(nil, row.events, fresh("a", "n1")))
			if got, ok := tl.MinAvailable(); ok {
				t.Errorf("min available %v", got)
			}
			if got, ok := tl.MaxPods(); ok {
				t.Errorf("max pods %v", got)
			}
		})
	}
}
