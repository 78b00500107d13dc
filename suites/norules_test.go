package suites_test

// What remains of the claims on a cluster whose owner does not allow reading the nodes' rules.

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
)

// judgedWithoutRules judges a recorded folder by a current scenario, as if it had been recorded where the nodes' rules could not be
// read.
func judgedWithoutRules(t *testing.T, folder string, s harness.Scenario) verdict.Verdict {
	t.Helper()
	ev, err := store.Read(filepath.Join(root, "reports/testdata/recorded", folder))
	if err != nil {
		t.Fatal(err)
	}
	ev.Run.Covers, ev.Run.Expect = s.Covers(), s.Expect
	ev.Run.Lacks = []evidence.Feature{{Name: evidence.NodeRules, Because: "privileged pods were not allowed: -allow=node-rules"}}
	ev.Events = slices.DeleteFunc(ev.Events, func(e evidence.Event) bool {
		return slices.Contains([]evidence.EventKind{evidence.RulesBegun, evidence.RuleAdded, evidence.RuleGone, evidence.RulesSynced}, e.Kind)
	})
	tl, err := timeline.Join(ev)
	if err != nil {
		t.Fatal(err)
	}
	return verdict.Judge(ev.Run, tl)
}

func named(t *testing.T, suite, id string) harness.Scenario {
	t.Helper()
	scenarios := all()[suite]
	i := slices.IndexFunc(scenarios, func(s harness.Scenario) bool { return s.ID == id })
	if i < 0 {
		t.Fatalf("there is no %s/%s", suite, id)
	}
	return scenarios[i]
}

// parts returns the claims, and parts of claims, that a scenario decides.
func parts(s harness.Scenario) map[string]bool {
	all := map[string]bool{}
	for _, x := range s.Expect {
		for _, part := range x.Claims {
			all[part] = true
		}
	}
	return all
}

func TestClientsDecideWhereNoRulesAreRead(t *testing.T) {
	for _, row := range []struct{ folder, suite, scenario string }{
		{"drained", "rollout", "drained-rolling-update"},
		{"drained", "statusgap", "status-trap"},
		{"undrained", "control", "undrained-rolling-update"},
	} {
		for _, mode := range []string{"iptables", "nftables"} {
			t.Run(mode+"/"+row.suite+"/"+row.scenario, func(t *testing.T) {
				s := named(t, row.suite, row.scenario)
				v := judgedWithoutRules(t, mode+"-"+row.folder, s)
				if v.Outcome != verdict.Pass || len(v.Claims) != len(parts(s)) {
					t.Errorf("%s: %s; claims %+v", v.Outcome, v.Because, v.Claims)
				}
				for _, c := range v.Claims {
					if c.Outcome != verdict.Pass || c.Evidence == verdict.NodeRules {
						t.Errorf("%s is %s by %q: %s", c.ID, c.Outcome, c.Evidence, c.Because)
					}
				}
				for _, f := range v.Findings {
					if f.Evidence == verdict.NodeRules {
						t.Errorf("%s rests on rules that nobody read: %s", f.Rule, f.Because)
					}
				}
			})
		}
	}
}

// A scenario passes there only if every claim is decided.
func TestNoScenarioPassesWithAnOpenClaim(t *testing.T) {
	for suite, scenarios := range all() {
		for _, s := range scenarios {
			for _, folder := range []string{"iptables-drained", "nftables-undrained", "nftables-recreate"} {
				v := judgedWithoutRules(t, folder, s)
				for _, c := range v.Claims {
					if v.Outcome == verdict.Pass && c.Outcome != verdict.Pass {
						t.Errorf("%s/%s passes by %s, and %s is %s", suite, s.ID, folder, c.ID, c.Outcome)
					}
				}
			}
		}
	}
}

// The scenarios that are skipped on a cluster without readable rules, in the order of their names: their steps wait for rules, or
// change the cluster. No other scenario under load leaves a claim to the rules alone.
func TestScenariosSkippedWhereNoRulesAreRead(t *testing.T) {
	var skipped []string
	for suite, scenarios := range all() {
		for _, s := range scenarios {
			if s.UnderLoad().Disruption != nil {
				continue // only on a cluster of our own
			}
			required := s.Requires()
			if slices.Contains(required, evidence.NodeRules) || slices.Contains(required, cluster.ClusterChanges) {
				skipped = append(skipped, suite+"/"+s.ID)
				continue
			}
			if _, is := s.Kind.(harness.InSteps); is {
				continue
			}
			for _, c := range judgedWithoutRules(t, "iptables-drained", s).Claims {
				if c.Outcome == verdict.Skipped {
					skipped = append(skipped, fmt.Sprintf("%s/%s for %s", suite, s.ID, c.ID))
				}
			}
		}
	}
	slices.Sort(skipped)
	want := []string{
		"autoscale/reapply-below-the-minimum-by-metric",
		"autoscale/shrink-stabilized",
		"autoscale/under-load",
		"dataplane/first-connection",
		"dataplane/kept-stream",
		"dataplane/several-slices-drained", "dataplane/several-slices-undrained", "dataplane/turns",
		"regressions/kubelet-restart",
		"regressions/long-service-name",
		"regressions/sidecar",
		"regressions/stored-revision",
		"rollout/drained-as-measured",
		"statusgap/daemon-set",
		"statusgap/daemon-set-surged",
		"statusgap/daemon-set-undrained",
		"termination/dataplane-absent",
		"termination/order-left-open",
		"termination/order-sigterm-first",
		"termination/rule-of-last-pod",
		"termination/rule-of-replaced-pod",
		"termination/slow-rules-awaited",
		"termination/slow-rules-outlast",
	}
	if diff := cmp.Diff(want, skipped); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
}

// What the owner of an existing cluster may allow is to drain nodes, and nothing else that disrupts it.
func TestScenariosThatDrainNodes(t *testing.T) {
	var drained []string
	for suite, scenarios := range all() {
		for _, s := range scenarios {
			if s.UnderLoad().Disruption == nil {
				continue
			}
			switch required := s.Requires(); {
			case !slices.Contains(required, cluster.Drains) && !slices.Contains(required, cluster.ClusterChanges):
				t.Errorf("%s/%s disrupts any cluster", suite, s.ID)
			case slices.Contains(required, cluster.Drains):
				drained = append(drained, s.ID)
			}
		}
	}
	slices.Sort(drained)
	want := []string{"drain-blocked", "drain-budgeted", "drain-disabled-eviction", "drain-in-rollout-budgeted", "drain-in-rollout-unbudgeted",
		"drain-other-node", "drain-unbudgeted", "drain-unready", "drain-unready-allowed"}
	if diff := cmp.Diff(want, drained); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
