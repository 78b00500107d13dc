package timeline_test

import (
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
)

// Ten requests, sent every 10 ms from 10 ms on.
func TestWhileTerminating(t *testing.T) {
	old := func(at int, kind evidence.EventKind) evidence.Event { return pod(at, kind, "v1", "old") }
	other := func(at int, kind evidence.EventKind) evidence.Event { return pod(at, kind, "v2", "new") }
	for _, row := range []struct {
		sentence  string
		uncertain time.Duration
		events    []evidence.Event
		want      int
	}{
		{"from the deletion until the process ended", 0, []evidence.Event{old(0, evidence.PodReady), other(0, evidence.PodReady),
			old(30, evidence.PodDeleting), old(60, evidence.PodExited), old(90, evidence.PodGone)}, 3},
		{"or until it was gone, if its end was not seen", 0, []evidence.Event{old(0, evidence.PodReady), other(0, evidence.PodReady),
			old(30, evidence.PodDeleting), old(90, evidence.PodGone)}, 6},
		{"not before another pod is ready", 0, []evidence.Event{old(0, evidence.PodReady), old(30, evidence.PodDeleting),
			other(60, evidence.PodReady), old(90, evidence.PodGone)}, 3},
		{"not when the other one is ready no more", 0, []evidence.Event{old(0, evidence.PodReady), other(0, evidence.PodReady),
			old(30, evidence.PodDeleting), other(50, evidence.PodUnready), old(90, evidence.PodGone)}, 2},
		{"the pod itself is no other", 0, []evidence.Event{old(0, evidence.PodReady), old(30, evidence.PodDeleting), old(40, evidence.PodUnready),
			old(50, evidence.PodReady), old(90, evidence.PodGone)}, 0},
		{"the end of a new pod does not count", 0, []evidence.Event{old(0, evidence.PodReady), other(0, evidence.PodReady),
			other(30, evidence.PodDeleting), other(90, evidence.PodGone)}, 0},
		{"nor do pods of other apps", 0, []evidence.Event{pod(0, evidence.PodReady, "v7", "x"), old(30, evidence.PodDeleting),
			old(90, evidence.PodGone)}, 0},
		{"two that overlap count once", 0, []evidence.Event{old(0, evidence.PodReady), other(0, evidence.PodReady),
			pod(0, evidence.PodReady, "v1", "older"), pod(30, evidence.PodDeleting, "v1", "older"), old(40, evidence.PodDeleting),
			pod(50, evidence.PodGone, "v1", "older"), old(70, evidence.PodGone)}, 4},
		{"a pod that is made anew under its name", 0, []evidence.Event{old(0, evidence.PodReady), other(0, evidence.PodReady),
			old(30, evidence.PodDeleting), old(40, evidence.PodGone), pod(45, evidence.PodCreated, "v2", "old"),
			pod(50, evidence.PodReady, "v2", "old")}, 1},
		{"a pod that never ends", 0, []evidence.Event{other(0, evidence.PodReady), old(80, evidence.PodDeleting)}, 3},
		{"as surely as the clocks tell", 10 * ms, []evidence.Event{old(0, evidence.PodReady), other(0, evidence.PodReady),
			old(30, evidence.PodDeleting), old(80, evidence.PodGone)}, 3},
		{"clocks too uncertain for any", 30 * ms, []evidence.Event{old(0, evidence.PodReady), other(0, evidence.PodReady),
			old(30, evidence.PodDeleting), old(80, evidence.PodGone)}, 0},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			r := recording(paced("a", "1111122222"), append(marks(0, 20, 100, 200), row.events...), fresh("a", "n1"))
			r.Run.Clocks = []evidence.ClockReading{{Node: "n1", Uncertainty: row.uncertain}}
			if got := join(t, r).Lanes[0].Summary.WhileTerminating; got != row.want {
				t.Errorf("%d requests, want %d", got, row.want)
			}
		})
	}
}

// Requests sent and arrived since the rollout began, without those that the clocks cannot place.
func TestSinceBegun(t *testing.T) {
	for _, row := range []struct {
		sentence       string
		begun          int
		uncertain      time.Duration
		sent, arrivals int
	}{
		{"from the first request on", 0, 0, 5, 4},
		{"the one at the mark counts", 30, 0, 3, 2},
		{"not one that may have come before", 30, ms, 2, 1},
		{"none was sent since", 60, 0, 0, 0},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			r := recording(paced("a", "112x2"), marks(0, row.begun, 100, 200), fresh("a", "n1"))
			r.Run.Clocks = []evidence.ClockReading{{Node: "n1", Uncertainty: row.uncertain}}
			for _, h := range r.Hits {
				if !h.Failed() {
					r.Arrivals = append(r.Arrivals, evidence.Arrival{Lane: h.Lane, Seq: h.Seq, At: h.Sent, By: h.By})
				}
			}
			s := join(t, r).Lanes[0].Summary
			if s.SinceBegun != row.sent || s.ArrivedSinceBegun != row.arrivals {
				t.Errorf("%d sent, %d arrived; want %d, %d", s.SinceBegun, s.ArrivedSinceBegun, row.sent, row.arrivals)
			}
		})
	}
}
