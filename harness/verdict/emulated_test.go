package verdict_test

import (
	"testing"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

func TestEmulatedHost(t *testing.T) {
	late := all(left("b", 850), observed("worker"), ruleGone("worker", "b", 900))
	const fault, of = "rules of worker routed to b until 50 ms after its endpoint left, ", " (node: worker; pod: b; lasted: 0.050 s)"
	for _, row := range []struct {
		sentence string
		expect   evidence.Expectation
		emulated bool
		want     verdict.Outcome
		because  string
	}{
		{"rules in time are so there too", verdict.MaxRuleLag(50 * ms), true, verdict.Pass, fault + "50 ms allowed" + of},
		{"late ones are the host's fault", verdict.MaxRuleLag(40 * ms).Decides("C3"), true, verdict.Skipped,
			"the host was the cause, since a program emulates it: " + fault + "40 ms allowed" + of + "; this would decide C3"},
		{"late ones anywhere else are the cluster's", verdict.MaxRuleLag(40 * ms).Decides("C3"), false, verdict.Fail,
			fault + "40 ms allowed" + of},
		{"a failure that does not depend on a sync stays one there", verdict.MaxPods(2), true, verdict.Fail,
			"3 pods at once, terminating ones included, at most 2 allowed (first at: 0.600 s)"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev := rollout(row.expect)
			ev.Run.Emulated = row.emulated
			late(&ev)
			if f := judge(t, ev).Findings[0]; f.Outcome != row.want || f.Because != row.because {
				t.Errorf("%s: %q, want %s: %q", f.Outcome, f.Because, row.want, row.because)
			}
		})
	}
}
