package run

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/namespace"
	"example.com/rollcall/harness/record"
	"example.com/rollcall/harness/verdict"
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
		{"one whose rules may not be read", evidence.Trial{PodStart: 8200, RuleLag: 9800, Stretch: 7, ByClients: true},
			"trial: pods start in 8.2 s, clients follow in 9.8 s; durations are 7 times as long"},
	} {
		if got := shownBy(row.trial); got != row.want || len(before+got) > 120 {
			t.Errorf("%s: %d columns: %s", row.sentence, len(before+got), got)
		}
	}
}

// A target is a cluster that somebody else owns.
type target struct {
	cluster.Cluster
	unobserved string
	lacks      string // why it has metrics
}

func (t target) Features() []evidence.Feature {
	return []evidence.Feature{{Name: cluster.OutsideLane}, {Name: cluster.NoMetrics, Because: t.lacks}}
}

func (target) Name() string            { return "arn:aws:eks:eu-central-1:123456789012:cluster/shop" }
func (target) Mode() string            { return "iptables" }
func (target) Kubernetes() string      { return "v1.30.5" }
func (target) Attached() bool          { return true }
func (target) Door() cluster.Door      { return cluster.NoDoor("it is a fake") }
func (t target) CannotObserve() string { return t.unobserved }

// On a cluster of somebody else the trial is what it is on one of ours. Where nodes' rules may not be read, clients show the lag.
func TestTheTrialOfATarget(t *testing.T) {
	for _, row := range []struct {
		sentence   string
		unobserved string
		slower     time.Duration // pods take so much longer to start
		want       string
	}{
		{"its rules are read", "", 0, "trial: pods start in 2.9 s, rules follow in 1.0 s; durations are not scaled\n"},
		{"its pods take 8 s longer to start", "", 8 * time.Second,
			"trial: pods start in 10.9 s, rules follow in 1.0 s; durations are 2 times as long\n"},
		{"its rules are not read", "privileged pods were not allowed", 0,
			"trial: pods start in 2.9 s, clients follow in 0.9 s; durations are not scaled\n"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			r := recordsInto(t, 1, 1)
			r.pool = namespace.NewPool([]string{"shop"}, nil)
			r.recorder = func(_ context.Context, s harness.Scenario, c record.Config) (recording, error) {
				ev, err := store.Read(filepath.Join("..", "..", "reports", "testdata", "recorded", "iptables-drained"))
				if err != nil {
					return nil, err
				}
				steps, unloaded := s.Kind.(harness.InSteps)
				if rate := s.UnderLoad().Rate; steps.Observed != (row.unobserved == "") || (rate > 0) == unloaded {
					t.Errorf("rules observed %v, at a rate of %d", steps.Observed, rate)
				}
				ev.Run.Unloaded = unloaded
				for i, e := range ev.Events {
					if e.Kind == evidence.PodReady || e.Kind == evidence.PodUnready {
						ev.Events[i].At += row.slower
					}
				}
				var log []string
				return fakeRecording{"", nil, &log}, store.Write(c.Folder, ev)
			}
			var out strings.Builder
			if _, err := r.runTrial(t.Context(), &out, target{unobserved: row.unobserved}); err != nil || out.String() != row.want {
				t.Errorf("%q, %v; want %q", &out, err, row.want)
			}
		})
	}
}

// A recording says what its cluster lacks of what expectations need.
func TestAHeaderSaysWhatIsLacking(t *testing.T) {
	r := recordsInto(t, 1, 1)
	c := target{lacks: "metrics are there"}
	s := harness.Scenario{ID: "sized", Expect: []evidence.Expectation{verdict.Fact("size", "1").Needing(cluster.NoMetrics),
		verdict.NoFailures()}}
	run := attempt{mode: r.modeRun("iptables", c), cluster: c, suite: "autoscale"}.header(s)
	if len(run.Lacks) != 1 || run.Lacks[0].Name != cluster.NoMetrics || run.Lacks[0].Because != c.lacks {
		t.Errorf("%+v", run.Lacks)
	}
}

// What only a newer release can do is not asked of an older one.
func TestAScenarioOfANewerReleaseIsSkipped(t *testing.T) {
	newer := harness.Scenario{Expect: []evidence.Expectation{verdict.NoFailures().Since("1.33")}}
	if because := (Plan{}).skipReason(target{}, newer); because != "expected since Kubernetes 1.33, this is v1.30.5" {
		t.Errorf("%q", because)
	}
}
