package rollout

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/loadgen"
)

// gradualFullSurge lets new pods become ready one at a time, by a readiness gate that the steps open, and looks what becomes of the
// old ones meanwhile. The first old pod is deleted while 3 of the 4 new ones are not ready, and no other goes until the next new
// one is ready. When half of them are, a client is answered by either version.
func gradualFullSurge() harness.Scenario {
	const replicas = 4
	app := fixtures.App{Replicas: replicas, MaxSurge: percent(100), MaxUnavailable: percent(0), MinReady: time.Second}
	s := harness.Scenario{
		ID:      "gradual-full-surge",
		Profile: harness.Core,
		Claim:   "with 100 % surge one old pod goes for each new one that gets ready, so both versions serve: it is no blue/green",
		Kind: harness.InSteps{Outside: true, Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			steps.Reach(ctx)
			steps.Mark(evidence.RolloutBegun)
			change(ctx, steps, func(d *appsv1.Deployment) {
				to(steps, app, "v2")(d)
				d.Spec.Template.Spec.ReadinessGates = []corev1.PodReadinessGate{{ConditionType: gate}}
			})
			for n := 1; n <= replicas; n++ {
				letIn(ctx, steps, "v2", n)
				steps.Note(oldBeside(n), steady(ctx, replicas-n, func() int { return len(steps.StayingPods(ctx)) - replicas }))
				if n == replicas/2 {
					steps.Requests(halfWay, evidence.Fresh, loadgen.DefaultTimeout).Send(ctx, 30)
				}
			}
			steps.Until(ctx, func(s observe.State) bool { return s.Count("v1") == 0 })
			steps.Mark(evidence.OldGone)
		}},
		Expect: []evidence.Expectation{
			verdict.Scaling("v2:4", "v1:3", "v1:2", "v1:1", "v1:0").Decides("C28"),
			verdict.AnsweredBy(halfWay, "v1", "v2").Decides("C28"),
			verdict.AllAnswered(halfWay),
			verdict.MinAvailable(replicas),
			verdict.MaxActive(2 * replicas),
		},
	}
	for n := 1; n <= replicas; n++ {
		s.Expect = append(s.Expect, verdict.Fact(oldBeside(n), strconv.Itoa(replicas-n)).Decides("C28"))
	}
	return s
}

// halfWay is the lane that sends when half of the new pods are ready, and there are as many old ones. It sends so many requests
// that chance leaves out one of the versions once in a thousand million runs.
const halfWay = "when-half-of-the-new-pods-are-ready"

func oldBeside(n int) string {
	return fmt.Sprintf("old pods left when %d of the new ones are ready", n)
}

// gate is a condition of pods that only the steps set.
const gate corev1.PodConditionType = "rollcall.local/let-in"

// letIn opens the gate of one more pod of a version, and returns when n of them are ready.
func letIn(ctx context.Context, steps *harness.Steps, version string, n int) {
	var next string
	steps.Until(ctx, func(s observe.State) bool {
		i := slices.IndexFunc(s.Pods, func(p observe.PodState) bool { return p.Version == version && !p.Ready })
		if i >= 0 {
			next = s.Pods[i].Pod
		}
		return i >= 0
	})
	patch := fmt.Sprintf(`{"status":{"conditions":[{"type":%q,"status":"True"}]}}`, gate)
	harness.Must(steps.Client.CoreV1().Pods(steps.Namespace).Patch(ctx, next, types.StrategicMergePatchType, []byte(patch),
		metav1.PatchOptions{}, "status"))
	steps.Until(ctx, func(s observe.State) bool { return s.Available(version) == n })
}
