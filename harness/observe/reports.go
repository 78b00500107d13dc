package observe

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"rollcall/harness/evidence"
)

// reportedEarly is how much earlier than the watch began an Event of its time may say it is: another clock wrote that, in
// whole seconds.
const reportedEarly = 5 * time.Second

func reportedAt(e *corev1.Event) time.Time {
	last := e.LastTimestamp.Time
	if e.Series != nil && e.Series.LastObservedTime.After(last) {
		last = e.Series.LastObservedTime.Time
	}
	if e.EventTime.After(last) {
		last = e.EventTime.Time
	}
	return last
}

// seeReport notes what a component reports in an Event of the API, again each time it counts one more.
// What was reported before the watch is of a recording before, in a namespace that was given.
func (w *Watch) seeReport(e *corev1.Event) {
	if last := reportedAt(e); !last.IsZero() && last.Before(w.began.Add(-reportedEarly)) {
		return
	}
	w.locked(func() {
		count := e.Count
		if e.Series != nil {
			count = e.Series.Count
		}
		if was, seen := w.reports[e.Name]; seen && was == count {
			return
		}
		w.reports[e.Name] = count
		about := evidence.Event{Kind: evidence.Reported, Object: e.InvolvedObject.Kind + "/" + e.InvolvedObject.Name, Count: int(count), Detail: e.Reason + ": " + e.Message}
		if e.InvolvedObject.Kind == "Pod" {
			about.By = w.serverOf(e.InvolvedObject.Name)
		}
		w.note(about)
	})
}
