package run

import (
	"testing"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/rollout"
)

func TestWhoseRecordingServesOthers(t *testing.T) {
	of := func(how rollout.Strategy) string {
		return rolloutKey(harness.Scenario{App: fixtures.App{Replicas: 3}, Kind: harness.UnderLoad{Rollout: how}})
	}
	more := func(n int32) rollout.Strategy {
		return rollout.UpdateWith("v1", "v2", func(a *fixtures.App) { a.Replicas = n })
	}
	if a, b := of(rollout.Update("v1", "v2")), of(rollout.Update("v1", "v2")); a == "" || a != b {
		t.Errorf("the same rollout twice: %q and %q", a, b)
	}
	if of(rollout.Update("v1", "v2")) == of(rollout.Overtaken("v1", "v2")) {
		t.Error("two strategies share a recording")
	}
	if a, b := of(more(1)), of(more(2)); a != "" || b != "" {
		t.Errorf("strategies that nobody can tell apart share a recording: %q and %q", a, b)
	}
}
