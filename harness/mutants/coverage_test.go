package mutants

import (
	"testing"

	"example.com/rollcall/harness/verdict"
)

// Every rule, and every reason of distrust, is shown to be one that can tell: by a damage to a cluster or by a changed recording.
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
