package compare_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports/compare"
	"example.com/rollcall/reports/model"
)

func sides(id string) *rapid.Generator[compare.Side] {
	return rapid.Custom(func(t *rapid.T) compare.Side {
		s := compare.Side{Report: model.Report{Run: model.Run{ID: id}}}
		for _, mode := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"iptables", "nftables", "ipvs"}), rapid.ID).Draw(t, "modes") {
			s.Report.Clusters = append(s.Report.Clusters,
				evidence.Cluster{Mode: mode, Kubernetes: rapid.SampledFrom([]string{"v1.36.3", "v1.37.0"}).Draw(t, "kubernetes")})
			for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), rapid.ID).Draw(t, "scenarios") {
				s.Report.Scenarios = append(s.Report.Scenarios, scenarios(mode, name).Draw(t, name))
			}
		}
		return s
	})
}

func scenarios(mode, id string) *rapid.Generator[model.Scenario] {
	return rapid.Custom(func(t *rapid.T) model.Scenario {
		millis := rapid.Float64Range(-1e4, 1e4)
		s := model.Scenario{ID: id, Suite: "suite", Mode: mode, Outcome: verdict.Outcome(rapid.IntRange(0, 3).Draw(t, "outcome"))}
		for n := range rapid.IntRange(0, 2).Draw(t, "lanes") {
			s.Lanes = append(s.Lanes, model.Lane{
				ID: fmt.Sprint(n), RequestedRate: 100, LongestOutage: max(0, millis.Draw(t, "outage")),
				Failures: map[evidence.Fault]int{evidence.Refused: rapid.IntRange(0, 100).Draw(t, "refused")},
			})
		}
		if rapid.Bool().Draw(t, "measured") {
			s.Numbers = model.Numbers{
				StatusGap: new(millis.Draw(t, "gap")), MinAvailable: new(rapid.IntRange(0, 4).Draw(t, "available")),
				RuleLag: &model.Lags{P50: millis.Draw(t, "p50"), Max: millis.Draw(t, "max"), Error: max(0, millis.Draw(t, "uncertainty"))},
			}
		}
		return s
	})
}

// No run has changed from itself, and a comparison names the same scenarios both ways round.
func TestComparisonsAreConsistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		as := compare.Runs(rapid.SliceOfN(sides("a"), 1, 4).Draw(t, "a"))
		bs := compare.Runs(rapid.SliceOfN(sides("b"), 1, 4).Draw(t, "b"))
		a := as[0]
		if itself, err := compare.Compare(compare.Runs{a}, compare.Runs{a}, compare.Scope{}); err == nil && (changed(itself) || itself.Worse()) {
			t.Fatalf("it changed from itself: %+v", itself)
		}
		there, err := compare.Compare(as, bs, compare.Scope{})
		back, errBack := compare.Compare(bs, as, compare.Scope{})
		if (err == nil) != (errBack == nil) {
			t.Fatalf("one way: %v, the other: %v", err, errBack)
		}
		if diff := cmp.Diff(named(there), named(back)); diff != "" {
			t.Fatalf("(-there +back):\n%s", diff)
		}
	})
}
