package observe

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/secret"
)

// An apiEventTracker notes the Events of the API with which components report, and each further occurrence that an Event counts.
type apiEventTracker struct {
	*journal
	pods   *podTracker
	counts map[string]int32 // last count, by name of the Event
}

func newAPIEventTracker(j *journal, pods *podTracker) *apiEventTracker {
	return &apiEventTracker{j, pods, map[string]int32{}}
}

// clockTolerance is by how much an Event's time may be before the start of the watch: the time is from another clock, in whole
// seconds.
const clockTolerance = 5 * time.Second

// see notes an Event, unless it is older than the watch: it may be of an earlier recording in the same namespace. Kubelets
// report the URLs of failed probes.
func (t *apiEventTracker) see(e *corev1.Event) {
	if last := LastReported(e); !last.IsZero() && last.Before(t.began.Add(-clockTolerance)) {
		return
	}
	t.change(func() {
		count := e.Count
		if e.Series != nil {
			count = e.Series.Count
		}
		if was, seen := t.counts[e.Name]; seen && was == count {
			return
		}
		t.counts[e.Name] = count
		about := evidence.Event{Kind: evidence.Reported, Object: cut(e.InvolvedObject.Kind + "/" + e.InvolvedObject.Name),
			Count: int(count), Reason: cut(e.Reason), Detail: cut(e.Reason + ": " + secret.URLs(e.Message))}
		if e.InvolvedObject.Kind == "Pod" {
			about.By = t.pods.server(e.InvolvedObject.Name)
		}
		t.note(about)
	})
}

// mostText is how many bytes of a text of an Event are kept: core/v1 does not limit them, and whoever may write Events in the namespace
// must not fill the evidence.
const mostText = 4 << 10

// cut shortens a text to at most mostText bytes, between two characters.
func cut(text string) string {
	const more = "…"
	if len(text) <= mostText {
		return text
	}
	return strings.ToValidUTF8(text[:mostText-len(more)], "") + more
}

// LastReported returns the latest of an Event's times, in whole seconds of the clock of whoever reported it.
func LastReported(e *corev1.Event) time.Time {
	last := e.LastTimestamp.Time
	if e.Series != nil && e.Series.LastObservedTime.After(last) {
		last = e.Series.LastObservedTime.Time
	}
	if e.EventTime.After(last) {
		last = e.EventTime.Time
	}
	return last
}
