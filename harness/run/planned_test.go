package run

import (
	"os"
	"strings"
	"testing"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/staging"
)

// Every host supports iptables, and no host a mode that does not exist.
func TestScenariosOfAPlan(t *testing.T) {
	var out strings.Builder
	p := Plan{Modes: []string{"iptables", "userspace"}}
	p.Scenarios = p.planned(t.Context(), "control", []harness.Scenario{
		{ID: "loaded", Kind: harness.UnderLoad{}},
		{ID: "fresh", Kind: harness.UnderLoad{FreshCluster: &harness.FreshCluster{Kubernetes: "v1.35"}}},
		{ID: "unloaded", Kind: harness.InSteps{}},
	})
	if err := p.printScenarios(&out); err != nil {
		t.Fatal(err)
	}
	const want = `control/loaded    iptables   load                   runs
control/fresh     iptables   load, cluster-changes  runs
control/unloaded  iptables   no load                runs
control/loaded    userspace  load                   skipped: not a kube-proxy mode
control/fresh     userspace  load, cluster-changes  skipped: not a kube-proxy mode
control/unloaded  userspace  no load                skipped: not a kube-proxy mode
`
	if out.String() != want {
		t.Errorf("%s; want\n%s", out.String(), want)
	}
}

// A dry run of go test opens no cluster, and writes nothing.
func TestDryRunOfGoTest(t *testing.T) {
	s := Suite{Out: t.TempDir(), plan: Plan{Options: Options{Target: staging.Target{DryRun: true}}, Modes: []string{"iptables"}}}
	t.Run("dry", func(t *testing.T) { s.Test(t, "control", harness.Scenario{ID: "loaded", Kind: harness.UnderLoad{}}) })
	if left, err := os.ReadDir(s.Out); err != nil || len(left) > 0 {
		t.Errorf("written: %v, %v", left, err)
	}
}
