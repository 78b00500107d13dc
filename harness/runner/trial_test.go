package runner

import (
	"testing"
	"time"

	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/timeline"
)

func TestStretchOf(t *testing.T) {
	for _, row := range []struct {
		sentence          string
		podStart, ruleLag time.Duration
		want              int
	}{
		{"one on 2 cores", 1600 * time.Millisecond, 700 * time.Millisecond, 1},
		{"just as long as usual", harness.UsualPodStart, harness.UsualRuleLag, 1},
		{"rules that take 7.5 s, in a lab", 4 * time.Second, 7500 * time.Millisecond, 5},
		{"pods that take 13 s to start", 13 * time.Second, time.Second, 3},
		{"a cluster that hardly moves", time.Hour, time.Second, 10},
	} {
		if got := stretchOf(row.podStart, row.ruleLag); got != row.want {
			t.Errorf("%s: %d, want %d", row.sentence, got, row.want)
		}
	}
}

func TestPodStarts(t *testing.T) {
	by := func(pod string) evidence.Server { return evidence.Server{Pod: pod} }
	if got := podStarts(timeline.Timeline{Events: []evidence.Event{
		{Kind: evidence.PodCreated, At: 1 * time.Second, By: by("a")},
		{Kind: evidence.PodReady, At: 3 * time.Second, By: by("a")},
		{Kind: evidence.PodReady, At: 9 * time.Second, By: by("a")}, // once more, which is no start
		{Kind: evidence.PodCreated, At: 4 * time.Second, By: by("b")},
		{Kind: evidence.PodReady, At: 5 * time.Second, By: by("b")},
		{Kind: evidence.PodCreated, At: 5 * time.Second, By: by("never ready")},
	}}); got != 2*time.Second {
		t.Errorf("%v, want that of a, 2s", got)
	}
}
