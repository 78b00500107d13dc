package advice

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports/model"
)

// A sign without a trial would never be confirmed nor refuted, and a trial without a sign tests nothing.
func TestEverySignHasATrial(t *testing.T) {
	signs, tested := map[string]bool{}, map[string]bool{}
	for _, a := range all {
		if a.sign != nil {
			signs[a.code.Code] = true
		}
	}
	for _, of := range trials {
		tested[of.of.code.Code] = true
		if len(of.by) == 0 && of.unseen == "" {
			t.Errorf("%s: nothing tests it, and nothing says why", of.of.code.Code)
		}
	}
	if diff := cmp.Diff(signs, tested); diff != "" {
		t.Errorf("(-signs +trials):\n%s", diff)
	}
}

func TestWhatLoadSaysToFindings(t *testing.T) {
	recorded := func(id string, outcome verdict.Outcome, lost int, advice ...model.Advice) model.Scenario {
		return model.Scenario{Suite: "during", ID: id, Outcome: outcome, Advice: advice,
			Lanes: []model.Lane{{Requests: 1000, Failures: map[evidence.Fault]int{evidence.Refused: lost}}}}
	}
	unlucky := recorded("rollout", verdict.Pass, 0)
	margin := -100.0
	unlucky.Numbers.NeededDrains = &model.NeededDrains{Margin: &margin}
	all := func(recordings ...model.Scenario) []model.Scenario { return recordings }
	for _, row := range []struct {
		sentence string
		found    model.TestedFinding
		in       []model.Scenario
		state    model.FindingState
		because  string
	}{
		{"requests that its advice would have saved", model.TestedFinding{Code: "RC3006"},
			all(recorded("rollout", verdict.Fail, 57, model.Advice{Code: "RC3006", Mends: 50})), model.FindingConfirmed,
			"50 requests of 1,000 lost"},
		{"those of several modes", model.TestedFinding{Code: "RC3006"},
			all(recorded("rollout", verdict.Fail, 57, model.Advice{Code: "RC3006", Mends: 50}), recorded("rollout", verdict.Pass, 0)),
			model.FindingConfirmed, "50 requests of 2,000 lost"},
		{"advice that is also given where nothing is lost", model.TestedFinding{Code: "RC3006"},
			all(recorded("rollout", verdict.Pass, 0, model.Advice{Code: "RC3006", Sign: "nothing was lost"})), model.FindingRefuted,
			"none of 1,000 requests lost"},
		{"advice on what was seen, with nothing lost", model.TestedFinding{Code: "RC3014"},
			all(recorded("rollout", verdict.Pass, 0, model.Advice{Code: "RC3014", Sign: "the liveness probe had containers restarted"})),
			model.FindingConfirmed, "the liveness probe had containers restarted"},
		{"what is seen did not happen, whatever was lost", model.TestedFinding{Code: "RC3014"},
			all(recorded("rollout", verdict.Fail, 57, model.Advice{Code: "RC3006", Mends: 57})), model.FindingRefuted, "that was not so"},
		{"other losses", model.TestedFinding{Code: "RC3003"},
			all(recorded("rollout", verdict.Fail, 57, model.Advice{Code: "RC3006", Mends: 57})), model.FindingUnseen,
			"what was lost has other causes"},
		{"one mode in doubt", model.TestedFinding{Code: "RC3003"}, all(recorded("rollout", verdict.Pass, 0),
			recorded("rollout", verdict.Inconclusive, 0)), model.FindingUnseen, "the recording decides nothing"},
		{"luck", model.TestedFinding{Code: "RC3006"}, all(unlucky), model.FindingUnseen,
			"nothing was lost by luck: a pod ended while a node still sent it requests"},
		{"the base's pods, which the merge ends", model.TestedFinding{Code: "RC3006"}, all(recorded("rollout", verdict.Pass, 0),
			recorded("merge", verdict.Pass, 9, model.Advice{Code: "RC3006", Mends: 9})), model.FindingRefuted, "none of 1,000 requests lost"},
		{"a change of the Service", model.TestedFinding{Code: "RC3026", Field: "spec"}, all(recorded("rollout", verdict.Pass, 0),
			recorded("merge", verdict.Fail, 9, model.Advice{Code: "RC3026", Mends: 9})), model.FindingConfirmed, "9 requests of 1,000 lost"},
		{"a label that the next version changes", model.TestedFinding{Code: "RC3026", Field: "spec.selector"},
			all(recorded("rollout", verdict.Pass, 0)), model.FindingUnseen, "it takes an apply of the next version"},
		{"a budget", model.TestedFinding{Code: "RC3038"}, all(recorded("rollout", verdict.Pass, 0)), model.FindingUnseen, takesDrain},
		{"others that may have ended", model.TestedFinding{Code: "RC3021", Certain: true}, all(recorded("rollout", verdict.Pass, 0)),
			model.FindingUnseen, "the other pods may not have been ready meanwhile"},
		{"others that have the port", model.TestedFinding{Code: "RC3021"}, all(recorded("rollout", verdict.Pass, 0)), model.FindingRefuted,
			"none of 1,000 requests lost"},
		{"a policy that is for clients outside", model.TestedFinding{Code: "RC3022", Field: "spec.externalTrafficPolicy"},
			all(recorded("rollout", verdict.Pass, 0)), model.FindingUnseen, "it takes clients that come from outside the cluster"},
		{"nothing recorded", model.TestedFinding{Code: "RC3006"}, nil, model.FindingUnseen, "no rollout was recorded"},
	} {
		row.found.Rolled = true
		got := Test([]model.TestedFinding{row.found}, row.in)[0]
		if got.State != row.state || got.Because != row.because {
			t.Errorf("%s: %s: %s, want %s: %s", row.sentence, got.State, got.Because, row.state, row.because)
		}
	}
	lossy := recorded("rollout", verdict.Fail, 57, model.Advice{Code: "RC3006", Mends: 57})
	other := Test([]model.TestedFinding{{Code: "RC3006"}}, all(lossy))[0]
	if other.State != model.FindingUnseen || other.Because != "another app was rolled out" {
		t.Errorf("of another app: %s: %s", other.State, other.Because)
	}
}
