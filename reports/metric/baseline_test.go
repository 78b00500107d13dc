package metric_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"rollcall/harness/evidence"
	"rollcall/harness/verdict"
	"rollcall/reports/metric"
	"rollcall/reports/model"
	"rollcall/reports/trend"
)

func metricOf(t *testing.T, id string) metric.Metric {
	t.Helper()
	for _, n := range metric.Compared() {
		if n.Key() == id {
			return n
		}
	}
	t.Fatalf("there is no number %q", id)
	return metric.Metric{}
}

func TestMetricCompare(t *testing.T) {
	steady := metric.BaselineOf([]float64{100, 90, 110, 95, 105, 100, 90, 110, 95, 105, 100, 90, 110, 95, 105})
	wild := metric.BaselineOf([]float64{100, 2000, 4000, 6000, 8000, 3000, 5000, 1000, 7000, 9000})
	few := metric.BaselineOf([]float64{100, 100, 100, 100})
	none := metric.BaselineOf([]float64{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	twice := metric.BaselineOf([]float64{0, 0, 9240, 0, 9310, 0, 0})
	once := metric.BaselineOf([]float64{0, 0, 9240, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	five := metric.BaselineOf([]float64{5, 5, 5, 5, 5, 5, 5, 5, 5, 5})
	is := func(x float64) metric.Value { return metric.Value{Value: x} }
	for _, row := range []struct {
		sentence string
		id       string
		a, b     metric.Value
		ofA, ofB metric.Baseline
		differ   bool
	}{
		{"the same", "status_gap_ms", is(5000), is(5000), metric.Baseline{}, metric.Baseline{}, false},
		{"less than two runs differ anyway", "status_gap_ms", is(0), is(900), metric.Baseline{}, metric.Baseline{}, false},
		{"more than that", "status_gap_ms", is(0), is(1200), metric.Baseline{}, metric.Baseline{}, true},
		{"a small share of much", "status_gap_ms", is(30000), is(33000), metric.Baseline{}, metric.Baseline{}, false},
		{"more, but the clocks cannot tell", "rule_lag_max_ms", metric.Value{Value: 100, Uncertainty: 900},
			metric.Value{Value: 1800, Uncertainty: 900}, metric.Baseline{}, metric.Baseline{}, false},
		{"more, but pods and nodes differ by as much in both runs", "drain_lag_max_ms", metric.Value{Value: 2000, Within: 3000},
			metric.Value{Value: 4500, Within: 2900}, metric.Baseline{}, metric.Baseline{}, false},
		{"one pod of the second run alone", "drain_lag_max_ms", metric.Value{Value: 600, Within: 100}, metric.Value{Value: 4500, Within: 4000},
			metric.Baseline{}, metric.Baseline{}, true},
		{"a pod less", "min_available", is(3), is(2), metric.Baseline{}, metric.Baseline{}, true},
		{"a terminating pod more or less", "max_pods", is(5), is(6), metric.Baseline{}, metric.Baseline{}, false},
		{"little, where it was always steadier", "longest_outage_ms", is(100), is(230), steady, steady, true},
		{"as little, of a past too short", "longest_outage_ms", is(100), is(230), few, few, false},
		{"much, where it was always so", "longest_outage_ms", is(500), is(9000), wild, wild, false},
		{"from one end of the usual to the other", "longest_outage_ms", is(40), is(160), steady, steady, false},
		{"two that are unusual alike", "longest_outage_ms", is(900), is(920), steady, steady, false},
		{"back from an unusual one", "longest_outage_ms", is(900), is(100), steady, steady, true},
		{"a past of the first alone", "longest_outage_ms", is(100), is(230), steady, metric.Baseline{}, true},
		{"a past of the second alone", "longest_outage_ms", is(230), is(100), metric.Baseline{}, steady, true},
		{"what came twice in the past comes again", "mixed_window_ms", is(0), is(9240), twice, twice, false},
		{"what came once comes again", "mixed_window_ms", is(0), is(9240), once, once, true},
		{"two pods more, where there were always as many", "max_pods", is(5), is(7), five, five, false},
		{"three pods more", "max_pods", is(5), is(8), five, five, true},
		{"a pod less than always", "min_available", is(5), is(4), five, five, true},
		{"a first request that fails", "failed", is(0), is(1), metric.Baseline{}, metric.Baseline{}, true},
		{"some more, where some do anyway", "failed", is(20), is(56), metric.Baseline{}, metric.Baseline{}, false},
		{"a first request that fails, in 49 runs", "failed", is(0), is(1), none, none, true},
		{"unusual, but the clocks cannot tell", "longest_outage_ms", metric.Value{Value: 100, Uncertainty: 70},
			metric.Value{Value: 230, Uncertainty: 70}, steady, steady, false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			n := metricOf(t, row.id)
			m := n.Compare(row.a, row.b, row.ofA, row.ofB)
			if m.Significant != row.differ {
				t.Errorf("%+v", m)
			}
			if back := n.Compare(row.b, row.a, row.ofB, row.ofA); back != m {
				t.Errorf("%+v, but the other way round %+v", m, back)
			}
		})
	}
}

// Six runs of one build on one machine, three in each mode, are no better or worse than each other, whichever came first.
func TestEqualRunsDoNotDiffer(t *testing.T) {
	runs, err := trend.Read("testdata/equal-runs.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	valuesOf := func(l trend.Line) map[string]metric.Value {
		values := make(map[string]metric.Value)
		for id, x := range l.Numbers {
			values[id] = metric.Value{Value: max(0, x)}
		}
		return values
	}
	for _, a := range runs.Lines {
		slowRules := strings.HasPrefix(a.Scenario, "termination/slow-rules-")
		for _, b := range runs.Lines {
			if a.Run == b.Run || a.Conditions() != b.Conditions() {
				continue
			}
			was, is := valuesOf(a), valuesOf(b)
			for _, n := range metric.Compared() {
				if !n.ToleranceKnown(was, slowRules) || !n.ToleranceKnown(is, slowRules) {
					continue
				}
				if m := n.Compare(was[n.Key()], is[n.Key()], metric.Baseline{}, metric.Baseline{}); m.Significant {
					t.Errorf("%s in %s, %s: %v in %s and %v in %s: %+v", a.Scenario, a.Mode, n.Key(), was[n.Key()].Value, a.Run, is[n.Key()].Value,
						b.Run, m)
				}
				compared++
			}
		}
	}
	if compared < 2000 {
		t.Errorf("%d were compared", compared)
	}
}

// Whatever the past, a number does not differ from itself, and a difference is one both ways.
func TestMetricCompareIsConsistent(t *testing.T) {
	value := rapid.Custom(func(t *rapid.T) metric.Value {
		return metric.Value{
			Value:       rapid.Float64Range(-1e5, 1e5).Draw(t, "value"),
			Uncertainty: rapid.Float64Range(0, 1e3).Draw(t, "uncertainty"),
			Within:      rapid.Float64Range(0, 1e4).Draw(t, "within"),
		}
	})
	past := rapid.SliceOfN(rapid.Float64Range(-1e5, 1e5), 0, 12)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom(metric.Compared()).Draw(t, "number")
		a, b := value.Draw(t, "a"), value.Draw(t, "b")
		ofA, ofB := metric.BaselineOf(past.Draw(t, "past of a")), metric.BaselineOf(past.Draw(t, "past of b"))
		if m := n.Compare(a, a, ofA, ofB); m.Significant {
			t.Fatalf("it differs from itself: %+v", m)
		}
		m := n.Compare(a, b, ofA, ofB)
		if back := n.Compare(b, a, ofB, ofA); back != m {
			t.Fatalf("%+v, but the other way round %+v", m, back)
		}
		if m.Tolerance < a.Uncertainty+b.Uncertainty {
			t.Fatalf("the tolerance %v is less than the measurement, %v and %v", m.Tolerance, a, b)
		}
		if m.Significant && math.Abs(a.Value-b.Value) <= m.Tolerance {
			t.Fatalf("it differs within its tolerance: %+v", m)
		}
	})
}

var update = flag.Bool("update", false, "rewrite the golden files")

// What was recorded on real clusters is as many numbers as before.
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
		values := metric.ComparedOf(s.Scenario)
		for _, n := range metric.Compared() {
			if v, ok := values[n.Key()]; ok {
				fmt.Fprintf(&got, "    %s %v (%s), uncertain by %v, within %.3f\n", n.Key(), v.Value, n.Unit.Text(v.Value), v.Uncertainty, v.Within)
			}
		}
	}
	golden := filepath.Join("testdata", "recorded.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatalf("%v: -update writes it", err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (-want +got), -update rewrites it:\n%s", golden, diff)
	}
}

func TestComparedOf(t *testing.T) {
	s := model.Scenario{
		Outcome: verdict.Pass,
		Lanes: []model.Lane{
			{AskedRate: 100, LongestOutage: 30, Retried: 1, LostReplies: new(2), Failures: map[evidence.Fault]int{evidence.Refused: 3}},
			{AskedRate: 200, LongestOutage: 50, Retried: 1, LostReplies: new(0), Failures: map[evidence.Fault]int{evidence.Reset: 4}},
		},
		Numbers: model.Numbers{
			StatusGap: new(-7.5), StatusGapError: new(0.5), MixedWindow: new(0.0), MinAvailable: new(0), MaxPods: new(6),
			DrainLag: &model.Lags{P50: 10, Max: 40, Error: 2}, NodeBusy: &model.Percent{P50: 60, Max: 90},
		},
	}
	want := map[string]metric.Value{
		"failed": {Value: 7}, "lost_replies": {Value: 2}, "retried": {Value: 2}, "longest_outage_ms": {Value: 50, Uncertainty: 20},
		"status_gap_ms": {Uncertainty: 0.5}, "mixed_window_ms": {}, "min_available": {}, "max_pods": {Value: 6},
		"drain_lag_p50_ms": {Value: 10, Uncertainty: 2, Within: 30}, "drain_lag_max_ms": {Value: 40, Uncertainty: 2, Within: 30},
		"node_busy_p50_percent": {Value: 60},
	}
	got := metric.ComparedOf(s)
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
	if lost, ok := metric.ComparedOf(s)["lost_replies"]; ok {
		t.Errorf("a lane does not know its lost replies, all together have %+v", lost)
	}
}

func TestDirectionWorse(t *testing.T) {
	for _, row := range []struct {
		sentence, id string
		up, down     bool // whether it is worse that way
	}{
		{"more that fail are worse", "failed", true, false},
		{"a longer outage is worse", "longest_outage_ms", true, false},
		{"an old version that replies longer is worse", "status_gap_ms", true, false},
		{"fewer pods available are worse", "min_available", false, true},
		{"more pods need more room", "max_pods", true, false},
		{"a busy node is the machine's doing", "node_busy_p50_percent", false, false},
	} {
		direction := metricOf(t, row.id).Direction
		if up, down := direction.Worse(1, 2), direction.Worse(2, 1); up != row.up || down != row.down || direction.Worse(1, 1) {
			t.Errorf("%s: worse upwards %t, downwards %t", row.sentence, up, down)
		}
	}
}
