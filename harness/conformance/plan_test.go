package conformance

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/progress"
	"example.com/rollcall/harness/runner"
)

func TestAPlanSaysHowLongARunTakes(t *testing.T) {
	t.Chdir("../..")
	t.Setenv("ARTIFACTS", t.TempDir()) // where there is no run before this one
	in := func(mode, id string, steps func(context.Context, *harness.Steps), seconds float64, beside int) runner.Listed {
		return runner.Listed{Scenario: harness.Scenario{ID: id, Steps: steps}, Name: progress.Name{Mode: mode, Suite: "rollout", Scenario: id},
			Seconds: seconds, Beside: beside}
	}
	steps := func(context.Context, *harness.Steps) {}
	unloaded := in("iptables", "defaults", steps, 40, 4)
	load := in("iptables", "drained", nil, 60, 2)
	alone := in("iptables", "under-load", nil, 80, 1)
	alone.Exclusive = true
	same, asked := load, load
	same.Serves, asked.Serves = "5eed", "5eed"
	own := alone
	own.Own, own.Apart = &harness.OwnCluster{Kubernetes: "v1.35"}, true
	left, skipped, other := unloaded, unloaded, in("nftables", "defaults", steps, 40, 4)
	left.LeftOut, skipped.Skipped = true, "no IP_VS"
	for _, row := range []struct {
		sentence string
		listed   []runner.Listed
		seconds  float64 // beside that of the clusters
		clusters float64
		says     string
	}{
		{"nothing to do takes no time", nil, 0, 0, "profile core takes 0s"},
		{"four without load go side by side", []runner.Listed{unloaded, unloaded, unloaded, unloaded}, 40, 1,
			"iptables takes 1m45s for 4 scenarios"},
		{"two under load do, and then two without load", []runner.Listed{load, load, unloaded, unloaded}, 60 + 20, 1, "4 scenarios"},
		{"a recording that two judge is made once", []runner.Listed{same, asked, load}, 60.5, 1, "3 scenarios"},
		{"what wants the whole cluster goes after them", []runner.Listed{unloaded, alone}, 10 + 80, 1, "2 scenarios"},
		{"one with a cluster of its own needs no other", []runner.Listed{own}, 80, 0, "1 scenarios"},
		{"what the profile leaves out takes none and is counted", []runner.Listed{unloaded, left}, 10, 1,
			"profile core leaves out 1 scenarios of each mode, which --profile=full records"},
		{"nor does what is skipped", []runner.Listed{unloaded, skipped}, 10, 1, "1 scenarios"},
		{"a second mode takes its own", []runner.Listed{unloaded, other}, 20, 2, "nftables takes"},
		{"over an hour it says what would be shorter", []runner.Listed{in("iptables", "long", steps, 20000, 4)}, 5000, 1,
			"over an hour: --profile=core"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			prepared, err := Options{Options: runner.Options{Jobs: "4", Profile: "core", Modes: "iptables"}}.prepare()
			if err != nil {
				t.Fatal(err)
			}
			r := &run{runner: prepared, clusters: fakeClusters{}, scenarios: row.listed}
			p := r.plan()
			p.atOnce = 1
			if want := row.seconds + row.clusters*harness.ClusterLasts.Seconds(); p.seconds() != want {
				t.Errorf("%.0f s, want %.0f", p.seconds(), want)
			}
			var said bytes.Buffer
			p.print(&said)
			if !strings.Contains(said.String(), row.says) {
				t.Errorf("%q is not in\n%s", row.says, &said)
			}
			for line := range strings.Lines(said.String()) {
				if len(line) > 121 {
					t.Errorf("%d columns: %s", len(line), line)
				}
			}
		})
	}
}
