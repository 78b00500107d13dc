package reports_test

import (
	"strings"
	"testing"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

// A rule that is not for the cluster is reported in its place, and nowhere else.
func TestARuleForOtherClustersIsNoOutcomeOfAScenario(t *testing.T) {
	for _, row := range []struct {
		sentence string
		expect   []evidence.Expectation
		refused  []uint64
		outcome  verdict.Outcome
		code     int
		junit    string // element; empty: only those of every case
	}{
		{"beside a rule that holds", []evidence.Expectation{verdict.NoFailures(), nftablesOnly()}, nil, verdict.Pass, 0, ""},
		{"beside a rule that fails", []evidence.Expectation{nftablesOnly(), verdict.NoFailures()}, []uint64{60}, verdict.Fail, 1, "<failure"},
		{"beside a rule that cannot tell", []evidence.Expectation{nftablesOnly(), verdict.DamageSeen()}, nil, verdict.Inconclusive, 3, "<error"},
		{"alone, so that nothing was judged", []evidence.Expectation{nftablesOnly()}, nil, verdict.Inconclusive, 3, "<error"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			dir := emptyFolder(t)
			writeJSON(t, dir+"/evidence/iptables/"+evidence.ClusterFile, evidence.Cluster{Mode: "iptables"})
			recorded := rollout("iptables", "rollout", "drained", 1, row.expect)
			fail(&recorded, "worker-fresh", evidence.Refused, row.refused...)
			record(t, dir, recorded)
			r, err := reports.Load(dir)
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Scenarios[0].Outcome; got != row.outcome || r.Summary.Skipped > 0 {
				t.Errorf("outcome %s, want %s; %d skipped", got, row.outcome, r.Summary.Skipped)
			}
			if code := model.ExitCode(r); code != row.code {
				t.Errorf("exit code %d, want %d", code, row.code)
			}
			junit, summary := printed(t, reports.JUnit, r), printed(t, reports.Markdown, r)
			for _, element := range []string{"<failure", "<error", "<skipped"} {
				if got := strings.Contains(junit, element); got != (element == row.junit) {
					t.Errorf("junit has %s: %v\n%s", element, got, junit)
				}
			}
			if strings.Contains(junit, "max-outage") {
				t.Errorf("junit gives the rule as a reason:\n%s", junit)
			}
			if got := strings.Contains(summary, "Not passed"); got == (row.outcome == verdict.Pass) {
				t.Errorf("summary:\n%s", summary)
			}
			for _, rule := range r.Scenarios[0].Rules {
				if rule.ID == "max-outage" && rule.Outcome != verdict.Skipped {
					t.Errorf("the rule is %s", rule.Outcome)
				}
			}
		})
	}
}
