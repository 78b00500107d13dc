package mutants

import (
	"testing"

	"example.com/rollcall/harness/verdict"
)

// For every rule and every reason for distrust there is a mutant, or a changed recording, that it detects.
func TestEveryCauseHasAMutant(t *testing.T) {
	killed := map[string]bool{}
	for _, m := range All() {
		killed[m.Cause] = true
	}
	for _, m := range recordedMutants() {
		killed[m.cause] = true
	}
	for _, rule := range verdict.Rules() {
		if !killed[rule.ID] {
			t.Errorf("no mutant has rule %s as its cause", rule.ID)
		}
		delete(killed, rule.ID)
	}
	for _, reason := range verdict.Reasons() {
		if !killed[reason.ID] {
			t.Errorf("no mutant has the reason %s as its cause", reason.ID)
		}
		delete(killed, reason.ID)
	}
	delete(killed, Retry)
	for cause := range killed {
		t.Errorf("%s is the cause of a mutant, and neither a rule nor a reason of distrust", cause)
	}
}
