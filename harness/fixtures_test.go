package harness

import (
	"testing"
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/loadgen"
)

// Fixtures may not know who relies on what they choose.
func TestWhatOthersRelyOnInFixtures(t *testing.T) {
	app := fixtures.App{}.Deployment(fixtures.Destination{}, NewVersion).Spec.Template.Spec.Containers[0]
	for _, probe := range []int32{app.ReadinessProbe.TimeoutSeconds, app.LivenessProbe.TimeoutSeconds} {
		if got := time.Duration(probe) * time.Second; got != timeline.ProbeTimeout {
			t.Errorf("a probe of the app has a timeout of %v, a timeline counts with %v", got, timeline.ProbeTimeout)
		}
	}
	if got, want := time.Duration(app.ReadinessProbe.PeriodSeconds)*time.Second, verdict.Excuses()[verdict.ACount].Period; got != want {
		t.Errorf("the app's readiness is asked for every %v, a pod that is late to be ready is excused by %v", got, want)
	}
	agent := fixtures.AgentSet(fixtures.Destination{}, []string{"worker"}, "token", fixtures.AgentName).Spec.Template.Spec
	if limit := agent.Volumes[0].EmptyDir.SizeLimit.Value(); limit <= loadgen.SpoolLimit {
		t.Errorf("an agent may write %d bytes, its spool takes up to %d", limit, loadgen.SpoolLimit)
	}
}
