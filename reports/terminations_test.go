package reports

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/reports/model"
)

func TestNewTerminations(t *testing.T) {
	if newTerminations(timeline.Ends{}) != nil || newNeededDrains(nil) != nil {
		t.Error("of no termination something is said")
	}
	all := []timeline.Termination{
		{Pod: "a", Node: "n1", Observed: true, Needed: 800 * time.Millisecond, Margin: &timeline.Elapsed{Length: 2 * time.Second}},
		{Pod: "a", Node: "n2", Observed: true, Needed: -time.Millisecond,
			Margin: &timeline.Elapsed{Length: time.Second, Uncertainty: 10 * time.Millisecond}},
		{Pod: "b", Node: "n1", Lost: 2},
	}
	for _, row := range []struct {
		sentence string
		byNode   bool
		upper    float64
		samples  int
	}{
		{"three ends, as nodes see them, of which one lost a request", true, 86.465, 3},
		{"two pods, of which one lost a request", false, 97.468, 2},
	} {
		got := newTerminations(timeline.Ends{Pods: 2, PodsLost: 1, Pairs: 3, PairsLost: 1, ByNode: row.byNode})
		want := &model.Terminations{Count: 3, Lost: 1, ByNode: row.byNode, Pods: 2, PodsLost: 1, Upper: row.upper}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.sentence, diff)
		}
		if n, lost := got.Samples(); n != row.samples || lost != 1 {
			t.Errorf("%s: %d of %d", row.sentence, lost, n)
		}
	}
	want := &model.NeededDrains{Terminations: 2, P50: 0, Max: 800, MaxCovers: 22.361, Margin: new(990.0)}
	if diff := cmp.Diff(want, newNeededDrains(all)); diff != "" {
		t.Errorf("needed drains (-want +got):\n%s", diff)
	}
}

// The drain that covers 95 % is one of those that were needed, and is known from 59 terminations on.
func TestNeededDrainsOverTerminations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []timeline.Termination
		for _, ms := range rapid.SliceOfN(rapid.IntRange(0, 5000), 1, 150).Draw(t, "needed") {
			all = append(all, timeline.Termination{Observed: true, Needed: time.Duration(ms) * time.Millisecond})
		}
		n := newNeededDrains(all)
		if said := n.P95 != nil; said != (len(all) >= 59) {
			t.Fatalf("of %d terminations 95 %% is said: %v", len(all), said)
		}
		if n.P95 != nil && (*n.P95 < n.P50 || *n.P95 > n.Max) || n.P50 > n.Max {
			t.Fatalf("%+v", n)
		}
	})
}

// The sleep that was enough is the longest that any rollout needed in which nothing was done to the cluster.
func TestNeededLine(t *testing.T) {
	rollout := func(mode string, terminations int, needed float64) model.Scenario {
		return model.Scenario{Mode: mode, Numbers: model.Numbers{NeededDrains: &model.NeededDrains{Terminations: terminations, Max: needed}}}
	}
	disrupted, changed, shared := rollout("nftables", 3, 9000), rollout("nftables", 3, 9000), rollout("iptables", 6, 9000)
	disrupted.Disruption, changed.ClusterChanges, shared.RecordedFor = &model.Disruption{}, []string{"a slow kube-proxy"}, "rollout/drained"
	for _, row := range []struct {
		sentence  string
		scenarios []model.Scenario
		want      string
	}{
		{"no rules were observed", []model.Scenario{{Mode: "iptables"}}, ""},
		{"two rollouts in one mode, one in another",
			[]model.Scenario{rollout("nftables", 6, 900), rollout("iptables", 6, 1049), rollout("iptables", 9, 300)},
			"needed preStop sleep: 1.0 s in iptables (15 pod terminations), 0.9 s in nftables (6 pod terminations); " +
				"for so long nodes kept sending requests to terminating pods"},
		{"what was done to the cluster, or recorded for another scenario, does not count", []model.Scenario{disrupted, changed, shared}, ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if got := neededLine(model.Report{Scenarios: row.scenarios}); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}
