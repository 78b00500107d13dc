package rollout

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// undone: an update is undone when some pods are replaced, as `kubectl rollout undo` and a pipeline that gives up do. Pods of both
// versions end, and it asks for no more pods than any other rollout. Pods that exit at once lose the requests in flight: of 6
// requests a second, the fewest that a lane sends, 3 take 0.5 s, on connections that were opened when there were 4 old pods, or
// again when the first of them ended. Two of these end before the update is undone: none of the requests of both nodes is on them
// once in (4/3)^12, 30 times, per try.
func undone() []harness.Scenario {
	return withAndWithoutDrain(harness.Scenario{
		App:  midway(),
		Kind: harness.UnderLoad{Rollout: rollout.Undone("v1", "v2")},
		Expect: []evidence.Expectation{
			verdict.FullRate(99),
			verdict.Serves("v1", "v2"),
			verdict.MinAvailable(4),
			verdict.MaxActive(5),
			verdict.OnlyServes("v1", evidence.Barrier),
		},
	}, "undone", "undoing a rollout in its middle", "pods exit as soon as they get SIGTERM")
}

// midway returns an app with four pods that are replaced one by one, each for a second or more, so that a rollout has a middle.
func midway() fixtures.App {
	return fixtures.App{
		Replicas: 4, MaxSurge: new(intstr.FromInt32(1)), MaxUnavailable: new(intstr.FromInt32(0)),
		StartDelay: time.Second, MinReady: time.Second, HandlerDelay: slowReply,
	}
}
