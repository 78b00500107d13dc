package observe

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAPIEventTrackerLeavesOutWhatIsOlderThanTheWatch(t *testing.T) {
	began := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	at := func(after time.Duration) metav1.Time { return metav1.NewTime(began.Add(after)) }
	for _, row := range []struct {
		sentence string
		event    corev1.Event
		noted    bool
	}{
		{"reported while it watched", corev1.Event{LastTimestamp: at(time.Second)}, true},
		{"reported before it began", corev1.Event{LastTimestamp: at(-time.Minute)}, false},
		{"reported by a clock that is a little behind", corev1.Event{LastTimestamp: at(-2 * time.Second)}, true},
		{"reported first before and last while it watched", corev1.Event{FirstTimestamp: at(-time.Hour), LastTimestamp: at(time.Second)}, true},
		{"of a series that went on", corev1.Event{
			EventTime: metav1.NewMicroTime(began.Add(-time.Hour)),
			Series:    &corev1.EventSeries{Count: 2, LastObservedTime: metav1.NewMicroTime(began.Add(time.Second))},
		}, true},
		{"of a series that had ended", corev1.Event{
			EventTime: metav1.NewMicroTime(began.Add(-time.Hour)),
			Series:    &corev1.EventSeries{Count: 2, LastObservedTime: metav1.NewMicroTime(began.Add(-time.Minute))},
		}, false},
		{"reported once, by the newer API", corev1.Event{EventTime: metav1.NewMicroTime(began.Add(-time.Minute))}, false},
		{"without any time", corev1.Event{}, true},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			noticed := newMemorySink()
			tracker := newAPIEventTracker(newJournal(began, noticed), nil)
			row.event.Name, row.event.Reason = "e", "ScalingReplicaSet"
			tracker.see(&row.event)
			if noted := len(noticed.eventsFrom(0)) == 1; noted != row.noted {
				t.Errorf("noted: %v", noted)
			}
		})
	}
}
