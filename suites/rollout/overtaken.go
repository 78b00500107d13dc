package rollout

import (
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// overtaken: an update begins while pods are still being restarted, as after a second push. Three ReplicaSets have pods then, and
// no limit is exceeded. For the losses of the second twin see undone.
func overtaken() []harness.Scenario {
	return withAndWithoutDrain(harness.Update(harness.Scenario{
		App:    midway(),
		Kind:   harness.UnderLoad{Rollout: rollout.Overtaken("v1", "v2")},
		Expect: []evidence.Expectation{verdict.MinAvailable(4), verdict.MaxActive(5)},
	}), "overtaken", "an update in the middle of a restart", "pods exit as soon as they get SIGTERM")
}
