package runner

import (
	"testing"
	"time"

	"example.com/rollcall/harness"
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
