package runner

import (
	"testing"
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
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

func TestATrialIsToldInOneLine(t *testing.T) {
	const before = "cluster rollcall-iptables-own: "
	for _, row := range []struct {
		sentence string
		trial    evidence.Trial
		want     string
	}{
		{"a cluster that is as fast as usual", evidence.Trial{PodStart: 1600, RuleLag: 700, Stretch: 1},
			"trial: pods start in 1.6 s, rules follow in 0.7 s; durations are not scaled"},
		{"the slowest", evidence.Trial{PodStart: 59900, RuleLag: 59900, Stretch: mostStretch},
			"trial: pods start in 59.9 s, rules follow in 59.9 s; durations are 10 times as long"},
	} {
		if got := shownBy(row.trial); got != row.want || len(before+got) > 120 {
			t.Errorf("%s: %d columns: %s", row.sentence, len(before+got), got)
		}
	}
}
