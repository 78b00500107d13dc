package conformance

import (
	"testing"

	"rollcall/harness/verdict"
	"rollcall/reports/model"
)

func TestASuiteThatFailsOutsideItsScenariosIsNotGreen(t *testing.T) {
	recorded := func(outcomes ...verdict.Outcome) model.Report {
		var r model.Report
		for _, o := range outcomes {
			r.Scenarios = append(r.Scenarios, model.Scenario{Mode: "iptables", Suite: "rollout", Outcome: o})
		}
		return r
	}
	failed := []suiteRun{{"iptables", "rollout"}}
	for _, tc := range []struct {
		sentence string
		failed   []suiteRun
		report   model.Report
		want     int
	}{
		{"a failed claim explains it", failed, recorded(verdict.Pass, verdict.Fail), 0},
		{"so does an inconclusive one", failed, recorded(verdict.Inconclusive), 0},
		{"passes do not", failed, recorded(verdict.Pass, verdict.Skipped), 1},
		{"nothing recorded does not", failed, recorded(), 1},
		{"a failed claim of another mode does not", []suiteRun{{"nftables", "rollout"}}, recorded(verdict.Fail), 1},
		{"a suite that ended well needs no explanation", nil, recorded(verdict.Pass), 0},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			if got := unexplained(tc.failed, tc.report); len(got) != tc.want {
				t.Errorf("%q, want %d", got, tc.want)
			}
		})
	}
}
