package reports_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
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
	control := of("control", decided(verdict.DamageSeen()))
	fail(&control, "worker-fresh", evidence.Refused, 60)
	for _, row := range []struct {
		sentence string
		recorded []recording
		outcome  model.ClaimOutcome
		by       []string // scenarios and rules
		evidence verdict.EvidenceKind
		because  string // a part of it
	}{
		{"a rule that holds decides", []recording{clients}, model.Holds, []string{"rollout/clients: no-failures"}, verdict.Clients, ""},
		{"of two the weaker evidence counts", []recording{clients, api}, model.Holds,
			[]string{"rollout/api: max-pods", "rollout/clients: no-failures"}, verdict.API, ""},
		{"a rule that fails decides against all that hold", []recording{clients, failing}, model.Violated,
			[]string{"rollout/failing: no-failures"}, verdict.Clients, "rollout/failing: 1 of 400 requests failed"},
		{"a rule that cannot tell leaves the claim open, whatever others show", []recording{clients, blind}, model.NotShown, nil, "",
			"rollout/blind: damage-seen was inconclusive: proves nothing"},
		{"a precondition alone shows nothing, for it never fails", []recording{control}, model.NotShown,
			[]string{"rollout/control: damage-seen"}, verdict.Clients, "C31 was decided by preconditions alone, which never fail"},
		{"a precondition counts beside a rule that could have failed", []recording{clients, control}, model.Holds,
			[]string{"rollout/clients: no-failures", "rollout/control: damage-seen"}, verdict.Clients, ""},
		{"a rule that cannot tell counts before a scenario that did not run", []recording{blind, unrun}, model.NotShown, nil, "",
			"rollout/blind: damage-seen was inconclusive: proves nothing"},
		{"a rule that is not for the cluster leaves the claim open", []recording{unread}, model.Skipped, nil, "",
			"rollout/unread: max-rule-lag was skipped: this cluster lacks node-rules: nobody may look"},
		{"a scenario that did not run leaves the claim open", []recording{unrun}, model.Skipped, nil, "", "rollout/unrun: no metrics-server"},
		{"a recording from before rules decided claims leaves it open", []recording{of("older", verdict.NoFailures())}, model.NotShown, nil, "",
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

// A claim whose sentence has parts holds if each of them was shown; a false claim is refuted if its truth was shown.
func TestClaimsAreWhole(t *testing.T) {
	holds, fails, blind := verdict.NoFailures(), verdict.MaxPods(2), verdict.DamageSeen()
	for _, row := range []struct {
		sentence string
		expect   []evidence.Expectation
		id       string
		outcome  model.ClaimOutcome
		parts    string
		because  string
	}{
		{"all parts", []evidence.Expectation{holds.Decides("C5.before", "C5.after")}, "C5", model.Holds, "before holds, after holds", ""},
		{"one part alone", []evidence.Expectation{holds.Decides("C5.before")}, "C5", model.NotShown, "before holds, after not-shown",
			"no scenario that ran decides C5.after"},
		{"a part that cannot tell", []evidence.Expectation{holds.Decides("C5.before"), blind.Decides("C5.after")}, "C5", model.NotShown,
			"before holds, after not-shown", "rollout/whole: damage-seen was inconclusive"},
		{"a part that fails", []evidence.Expectation{holds.Decides("C5.before"), fails.Decides("C5.after")}, "C5", model.Violated,
			"before holds, after violated", "rollout/whole: "},
		{"a part that is for other modes", []evidence.Expectation{holds.Decides("C5.before"), holds.Decides("C5.after").In("ipvs")}, "C5",
			model.NotShown, "before holds, after skipped", "expected in mode ipvs only"},
		{"a rule that names no part decides none", []evidence.Expectation{holds.Decides("C5")}, "C5", model.NotShown,
			"before not-shown, after not-shown", "no scenario that ran decides C5.before"},
		{"a false sentence whose truth is shown", []evidence.Expectation{holds.Decides("C28")}, "C28", model.Refuted, "", ""},
		{"a false sentence whose truth is broken", []evidence.Expectation{fails.Decides("C28")}, "C28", model.Violated, "", "rollout/whole: "},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			dir := emptyFolder(t)
			writeJSON(t, dir+"/evidence/iptables/"+evidence.ClusterFile, evidence.Cluster{Mode: "iptables"})
			whole := rollout("iptables", "rollout", "whole", 1, row.expect)
			whole.run.Covers = []string{row.id}
			record(t, dir, whole)
			r, err := reports.Load(dir)
			if err != nil || len(r.Claims) != 1 {
				t.Fatal(err, r.Claims)
			}
			got := r.Claims[0]
			var parts []string
			for _, part := range got.Parts {
				parts = append(parts, fmt.Sprintf("%s %s", strings.TrimPrefix(part.ID, row.id+"."), part.Outcome))
			}
			if got.ID != row.id || got.Outcome != row.outcome || strings.Join(parts, ", ") != row.parts ||
				!strings.Contains(got.Because, row.because) {
				t.Errorf("%s is %s by %q because %q", got.ID, got.Outcome, parts, got.Because)
			}
			if (got.Truth != "") != (got.Outcome == model.Refuted) {
				t.Errorf("its truth is %q", got.Truth)
			}
		})
	}
}
