package reports

import (
	"testing"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports/model"
)

// What fails on control lanes was not sent to the Service.
func TestRowOfControlLanes(t *testing.T) {
	lane := func(from evidence.Vantage, outage float64, refused int) model.Lane {
		return model.Lane{Vantage: from, Conn: evidence.Fresh, Requests: 100, LongestOutage: outage,
			ByVersion: map[string]int{"v1": 100 - refused}, Failures: map[evidence.Fault]int{evidence.Refused: refused}}
	}
	for _, r := range []struct {
		sentence       string
		control        int
		failed, outage string
	}{
		{"none failed", 0, "1", "20 ms"},
		{"some did", 7, "1, control 7", "20 ms"},
	} {
		got := newRow(model.Scenario{Lanes: []model.Lane{lane(evidence.FromPod, 20, 1), lane(evidence.FromControl, 3000, r.control)}})
		if got[3] != r.failed || got[5] != r.outage {
			t.Errorf("%s: failed %q, longest outage %q; want %q, %q", r.sentence, got[3], got[5], r.failed, r.outage)
		}
	}
}

func TestRemedyNamesWhatHasToBeDone(t *testing.T) {
	rules := []model.Rule{{ID: "serves", Code: "RC1", Outcome: verdict.Inconclusive}, {ID: "mixes", Code: "RC2", Outcome: verdict.Pass},
		{ID: "both-orders", Code: "RC3", Outcome: verdict.Inconclusive}}
	failed := append(rules, model.Rule{ID: "no-failures", Code: "RC4", Outcome: verdict.Fail})
	distrust := []model.Distrust{{ID: "late-lane", Code: "RC9", Rules: []string{"serves", "no-failures"}}}
	for _, row := range []struct {
		sentence string
		of       model.Scenario
		want     string
	}{
		{"nothing of what passed", model.Scenario{Outcome: verdict.Pass, Rules: rules}, ""},
		{"each rule of what is inconclusive", model.Scenario{Outcome: verdict.Inconclusive, Rules: rules},
			"what to do: rollcall explain RC1 RC3"},
		{"a reason for distrust in place of the rules that it leaves unknown",
			model.Scenario{Outcome: verdict.Inconclusive, Rules: rules, Distrust: distrust}, "what to do: rollcall explain RC3 RC9"},
		{"no reason for distrust of what failed whatever was missed",
			model.Scenario{Outcome: verdict.Fail, Rules: failed, Distrust: distrust}, "what to do: rollcall explain RC1 RC3 RC4"},
	} {
		if got := remedy(row.of); got != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
}
