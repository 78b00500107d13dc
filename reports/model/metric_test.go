package model_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/golden"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports/model"
)

//go:generate go test . -update

func metricOf(t *testing.T, id string) model.Metric {
	t.Helper()
	for _, n := range model.ComparedMetrics() {
		if n.Key() == id {
			return n
		}
	}
	t.Fatalf("there is no number %q", id)
	return model.Metric{}
}

// Recordings from real clusters have the same numbers as before.
func TestComparedOfWhatWasRecorded(t *testing.T) {
	var got strings.Builder
	folders, err := filepath.Glob("../testdata/recorded/*/golden.json")
	if err != nil || len(folders) == 0 {
		t.Fatalf("%d scenarios: %v", len(folders), err)
	}
	for _, path := range folders {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var s struct {
			model.Scenario
			Outcome string `json:"outcome"`
			Rules   any    `json:"rules"`
		}
		if err := json.Unmarshal(data, &s); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		fmt.Fprintln(&got, filepath.Base(filepath.Dir(path)))
		values := model.ComparedOf(s.Scenario)
		for _, n := range model.ComparedMetrics() {
			if v, ok := values[n.Key()]; ok {
				fmt.Fprintf(&got, "    %s %v (%s), uncertain by %v\n", n.Key(), v.Value, n.Unit.Text(v.Value), v.Uncertainty)
			}
		}
	}
	golden.File(t, "testdata/recorded.txt", got.String())
}

func TestComparedOf(t *testing.T) {
	s := model.Scenario{
		Outcome: verdict.Pass,
		Lanes: []model.Lane{
			{RequestedRate: 100, LongestOutage: 30, Retried: 1, LostReplies: new(2), Failures: map[evidence.Fault]int{evidence.Refused: 3}},
			{RequestedRate: 200, LongestOutage: 50, Retried: 1, LostReplies: new(0), Failures: map[evidence.Fault]int{evidence.Reset: 4}},
		},
		Numbers: model.Numbers{
			StatusGap: new(-7.5), StatusGapError: new(0.5), MixedWindow: new(0.0), MinAvailable: new(0), MaxPods: new(6),
			DrainLag: &model.Lags{P50: 10, Max: 40, Error: 2}, NodeBusy: &model.Percent{P50: 60, Max: 90},
			Whole: new(300.0),
		},
	}
	want := map[string]model.Value{
		"failed": {Value: 7}, "lost_replies": {Value: 2}, "retried": {Value: 2}, "longest_outage_ms": {Value: 50, Uncertainty: 20},
		"status_gap_ms": {Uncertainty: 0.5}, "mixed_window_ms": {}, "min_available": {}, "max_pods": {Value: 6},
		"drain_lag_p50_ms": {Value: 10, Uncertainty: 2}, "drain_lag_max_ms": {Value: 40, Uncertainty: 2},
		"node_busy_p50_percent": {Value: 60}, "whole_ms": {Value: 300},
	}
	got := model.ComparedOf(s)
	for id, w := range want {
		if g, ok := got[id]; !ok || g != w {
			t.Errorf("%s: %+v (measured: %t), want %+v", id, g, ok, w)
		}
		delete(got, id)
	}
	for id, g := range got {
		t.Errorf("%s, which was not measured: %+v", id, g)
	}
	s.Lanes[1].LostReplies = nil
	if lost, ok := model.ComparedOf(s)["lost_replies"]; ok {
		t.Errorf("a lane does not know its lost replies, all together have %+v", lost)
	}
}

func TestDirections(t *testing.T) {
	for _, row := range []struct {
		sentence, id string
		want         model.Direction
	}{
		{"more that fail are worse", "failed", model.LowerIsBetter},
		{"a longer outage is worse", "longest_outage_ms", model.LowerIsBetter},
		{"an old version that replies longer is worse", "status_gap_ms", model.LowerIsBetter},
		{"fewer pods available are worse", "min_available", model.HigherIsBetter},
		{"a cluster that takes longer to be whole is worse", "whole_ms", model.LowerIsBetter},
		{"more pods need more room", "max_pods", model.LowerIsBetter},
		{"a busy node is the machine's doing", "node_busy_p50_percent", model.Neutral},
	} {
		if got := metricOf(t, row.id).Direction; got != row.want {
			t.Errorf("%s: direction %d, want %d", row.sentence, got, row.want)
		}
	}
}

// Nodes are told of a change at once, and write the changes of one period together: that is one independent value.
func TestAMomentIsOneValue(t *testing.T) {
	lag := func(pod, node string, left, rules float64) model.PodLag {
		return model.PodLag{Pod: pod, Node: node, Left: left, RuleLag: &rules, NeededDrain: &rules}
	}
	rolling := []model.PodLag{lag("a", "n1", 1000, 800), lag("a", "n2", 1000, 900), lag("b", "n1", 3000, 50), lag("b", "n2", 3000, 70)}
	together := []model.PodLag{lag("a", "n1", 1000, 800), lag("b", "n1", 1999, 100), lag("c", "n1", 2000, 50)}
	for _, row := range []struct {
		sentence string
		s        model.Scenario
		key      string
		want     []float64
	}{
		{"the median over the nodes of a pod", model.Scenario{Lags: rolling}, "rule_lag_p50_ms", []float64{850, 60}},
		{"the longest of them", model.Scenario{Lags: rolling}, "rule_lag_max_ms", []float64{900, 70}},
		{"pods that leave within a period are one moment", model.Scenario{Lags: together}, "rule_lag_max_ms", []float64{800, 50}},
		{"what nobody saw is not a value", model.Scenario{Lags: rolling}, "drain_lag_max_ms", nil},
		{"rules routed on purpose while no pod was available", model.Scenario{Lags: rolling, Numbers: model.Numbers{MinAvailable: new(0)}},
			"rule_lag_max_ms", nil},
		{"the drain needed leaves that time out", model.Scenario{Lags: rolling, Numbers: model.Numbers{MinAvailable: new(0)}}, "needed_drain_ms",
			[]float64{900, 70}},
		{"the cluster was changed for it", model.Scenario{Lags: rolling, ClusterChanges: []string{"a slow kube-proxy"}}, "needed_drain_ms", nil},
		{"a number that a run has once", model.Scenario{Numbers: model.Numbers{StatusGap: new(-5.0)}}, "status_gap_ms", []float64{0}},
		{"a number that was not measured", model.Scenario{}, "status_gap_ms", nil},
	} {
		if got := metricOf(t, row.key).Values(row.s); !cmp.Equal(got, row.want) {
			t.Errorf("%s: %v, want %v", row.sentence, got, row.want)
		}
	}
}

// Lost terminations are counted only where none may lose a request.
func TestTerminationsAreCountedWhereNoneMayLose(t *testing.T) {
	lost := metricOf(t, "terminations_lost")
	s := model.Scenario{Terminations: &model.Terminations{Count: 6, Lost: 1}}
	if n := lost.Sample.Count(s); n != nil {
		t.Errorf("%v, of a scenario that has to lose some", n)
	}
	s.Rules = []model.Rule{{ID: "no-failures"}}
	if n := lost.Sample.Count(s); n == nil || *n != *s.Terminations {
		t.Errorf("%v", n)
	}
}

// Every number with a better direction has a margin, but for counts of requests, which come in bursts, and percentiles of latencies, which
// apps set.
func TestNumbersHaveAMargin(t *testing.T) {
	for _, m := range model.ComparedMetrics() {
		margin := m.Sample.Margin
		if m.Direction != model.Neutral && m.Unit != model.InRequests && m.Name != "latency" && margin == 0 {
			t.Errorf("%s has no margin", m.Key())
		}
		if margin < 0 {
			t.Errorf("%s: %v", m.Key(), margin)
		}
	}
}

func TestText(t *testing.T) {
	for _, row := range []struct {
		sentence string
		unit     model.Unit
		value    float64
		want     string
	}{
		{"a few milliseconds have two digits", model.InMilliseconds, 9.14, "9.1 ms"},
		{"milliseconds under a second", model.InMilliseconds, 194.2, "194 ms"},
		{"nearly a second is one", model.InMilliseconds, 999.7, "1.00 s"},
		{"seconds from milliseconds", model.InMilliseconds, 5820, "5.82 s"},
		{"nothing", model.InMilliseconds, 0, "0 ms"},
		{"a count", model.InRequests, 75, "75"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if got := row.unit.Text(row.value); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}
