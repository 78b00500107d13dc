package observe

import (
	"strings"
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

// A kubelet reports the URL of a failed probe.
func TestTheTextOfAnEventHasNoSecret(t *testing.T) {
	began := time.Now()
	noticed := newMemorySink()
	newAPIEventTracker(newJournal(began, noticed), nil).see(&corev1.Event{Reason: "Unhealthy", Message: "Readiness probe failed: " +
		`Get "http://me:open-sesame@10.0.0.7:80/a?token=open-sesame&page=2": connect: connection refused`})
	want := `Unhealthy: Readiness probe failed: Get "http://(withheld)@10.0.0.7:80/a?token=(withheld)&page=2": connect: connection refused`
	if got := noticed.eventsFrom(0)[0].Detail; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTheTextOfAnEventIsCut(t *testing.T) {
	const most = 4 << 10
	for _, row := range []struct {
		sentence string
		message  string
		kept     int // bytes of it; the rest is an ellipsis
	}{
		{"one that just fits is whole", strings.Repeat("x", most-len("Failed: ")), most - len("Failed: ")},
		{"one byte more", strings.Repeat("x", most-len("Failed: ")+1), most - len("Failed: …")},
		{"2 MiB", strings.Repeat("x", 2<<20), most - len("Failed: …")},
		{"no character is cut in two", strings.Repeat("é", most), most - len("Failed: …") - 1},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			began := time.Now()
			noticed := newMemorySink()
			tracker := newAPIEventTracker(newJournal(began, noticed), nil)
			long := strings.Repeat("n", 2<<20)
			tracker.see(&corev1.Event{Reason: "Failed", Message: row.message, InvolvedObject: corev1.ObjectReference{Kind: "Job", Name: long}})
			got := noticed.eventsFrom(0)[0]
			want := "Failed: " + row.message[:row.kept]
			if row.kept < len(row.message) {
				want += "…"
			}
			if got.Detail != want || len(got.Detail) > most {
				t.Errorf("%d bytes, want %d: …%q", len(got.Detail), len(want), got.Detail[max(0, len(got.Detail)-20):])
			}
			if !strings.HasPrefix(got.Object, "Job/nnn") || len(got.Object) != most {
				t.Errorf("an object of %d bytes", len(got.Object))
			}
		})
	}
}
