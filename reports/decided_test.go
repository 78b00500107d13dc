package reports_test

import (
	"slices"
	"strings"
	"testing"

	"rollcall/harness/evidence"
	"rollcall/harness/verdict"
	"rollcall/reports"
)

func TestClaimsAreDecidedByRules(t *testing.T) {
	of := func(scenario string, expect ...evidence.Expectation) recording {
		return rollout("iptables", "rollout", scenario, 1, expect)
	}
	decided := func(x evidence.Expectation) evidence.Expectation { return x.Decides("C31") }
	failing, unread := of("failing", decided(verdict.NoFailures())), of("unread", decided(verdict.MaxRuleLag(ms)))
	fail(&failing, "worker-fresh", evidence.Refused, 60)
	unread.run.Lacks = []evidence.Feature{{Name: evidence.NodeRules, Because: "nobody may look"}}
	unread.run.Lanes[0].Conn = evidence.Reused // no request shows what the rules do
	unrun := recording{run: evidence.Run{Suite: "rollout", Scenario: "unrun", Mode: "iptables", Attempt: 1, Covers: []string{"C31"},
		Skipped: "no metrics-server"}}
	clients, api, blind := of("clients", decided(verdict.NoFailures())), of("api", decided(verdict.MaxPods(9))),
		of("blind", decided(verdict.DamageSeen()))
	for _, row := range []struct {
		sentence string
		recorded []recording
		outcome  verdict.Outcome
		by       []string // scenarios and rules
		evidence verdict.EvidenceKind
		because  string // among other things
	}{
		{"a rule that holds decides", []recording{clients}, verdict.Pass, []string{"rollout/clients: no-failures"}, verdict.Clients, ""},
		{"of two the weaker evidence counts", []recording{clients, api}, verdict.Pass,
			[]string{"rollout/api: max-pods", "rollout/clients: no-failures"}, verdict.API, ""},
		{"one that fails decides against all that hold", []recording{clients, failing}, verdict.Fail,
			[]string{"rollout/failing: no-failures"}, verdict.Clients, "rollout/failing: 1 of 400 requests failed"},
		{"one that cannot tell leaves it to the others", []recording{clients, blind}, verdict.Pass,
			[]string{"rollout/clients: no-failures"}, verdict.Clients, ""},
		{"alone it leaves the claim open", []recording{blind, unrun}, verdict.Inconclusive, nil, "",
			"rollout/blind: damage-seen was inconclusive: proves nothing"},
		{"a rule that is not for the cluster leaves it open", []recording{unread}, verdict.Skipped, nil, "",
			"rollout/unread: max-rule-lag was skipped: this cluster lacks node-rules: nobody may look"},
		{"so does a scenario that did not run", []recording{unrun}, verdict.Skipped, nil, "", "rollout/unrun: no metrics-server"},
		{"so does a recording from before rules decided claims", []recording{of("older", verdict.NoFailures())}, verdict.Inconclusive, nil, "",
			"rollout/older: no rule of the recording says that it decides the claim"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			dir := emptyFolder(t)
			writeJSON(t, dir+"/evidence/iptables/"+evidence.ClusterFile, evidence.Cluster{Mode: "iptables"})
			for _, r := range row.recorded {
				record(t, dir, r)
			}
			r, err := reports.Load(dir)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Claims) != 1 {
				t.Fatalf("claims %+v", r.Claims)
			}
			got := r.Claims[0]
			if got.ID != "C31" || got.Mode != "iptables" || got.Outcome != row.outcome || got.Evidence != row.evidence {
				t.Errorf("%+v", got)
			}
			var by []string
			for _, d := range got.DecidedBy {
				by = append(by, d.Scenario+": "+d.Rule)
			}
			if !slices.Equal(by, row.by) {
				t.Errorf("it is decided by %q, want %q", by, row.by)
			}
			if got := got.Because; !strings.Contains(got, row.because) || (row.because == "") != (got == "") {
				t.Errorf("because %q, want %q", got, row.because)
			}
		})
	}
}
