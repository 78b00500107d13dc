package harness_test

import (
	"testing"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

func TestTwinsDifferInWhatEachChanges(t *testing.T) {
	base := harness.Scenario{App: fixtures.App{Replicas: 3}, Kind: harness.UnderLoad{Rate: 50}, Expect: make([]evidence.Expectation, 1, 8)}
	all := base.Twins(
		harness.Twin{ID: "a", Claim: "one", Change: func(s *harness.Scenario) { s.App.Replicas = 1 },
			Expect: []evidence.Expectation{verdict.DamageSeen()}},
		harness.Twin{ID: "b", Claim: "other", Kind: harness.InSteps{Outside: true}, Expect: []evidence.Expectation{verdict.NoFailures()}},
	)
	a, b := all[0], all[1]
	if a.ID != "a" || a.Claim != "one" || b.ID != "b" || b.Claim != "other" || a.App.Replicas != 1 || b.App.Replicas != 3 {
		t.Errorf("%+v\n%+v", a, b)
	}
	if _, is := b.Kind.(harness.InSteps); !is || a.UnderLoad().Rate != 50 {
		t.Errorf("the one is %+v, the other %+v", a.Kind, b.Kind)
	}
	if a.Expect[1].Rule != "damage-seen" || b.Expect[1].Rule != "no-failures" {
		t.Errorf("the one expects %v, the other %v", a.Expect, b.Expect)
	}
}
