package rollout

import (
	"context"
	"fmt"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// scaledDownLimits: of 10 pods, 3 and 30 % are the same. Of the 3 pods that an autoscaler leaves at night they are all and none,
// and then comes a version that never becomes ready. With the number, no pod at all is available from then on, although the surge
// would have let every old one stay.
func scaledDownLimits() []harness.Scenario {
	return []harness.Scenario{
		scaledDownLimit("absolute", "C29.numbers", intstr.FromInt32(3), 0, 3, "none of them is kept when a bad version is rolled out"),
		scaledDownLimit("percent", "C29.percentages", intstr.FromString("30%"), 3, 1, "all of them are kept when a bad version is rolled out"),
	}
}

func scaledDownLimit(kind, decides string, unavailable intstr.IntOrString, kept, asked int, so string) harness.Scenario {
	const before, after = 10, 3
	app := fixtures.App{Replicas: before, MaxSurge: percent(30), MaxUnavailable: &unavailable}
	return harness.Scenario{
		ID:    "scaled-down-limits-" + kind,
		Claim: fmt.Sprintf("with maxUnavailable %s and %d replicas scaled down to %d, %s", unavailable.String(), before, after, so),
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			revise(ctx, steps, func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32(after)) })
			steps.Mark(evidence.RolloutBegun)
			noteStuck(ctx, steps, app, "v2")
		}},
		Expect: []evidence.Expectation{
			verdict.Fact("old pods kept while no new pod gets ready", strconv.Itoa(kept)).Decides(decides),
			verdict.Fact("new pods asked for while none gets ready", strconv.Itoa(asked)),
			verdict.Fact("pods available while no new pod gets ready", strconv.Itoa(kept)).Counting(evidence.AvailablePods).Decides("C26"),
		},
	}
}
