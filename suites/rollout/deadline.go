package rollout

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubectl/pkg/util/deployment"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/verdict"
)

// deadline: the progress deadline begins anew whenever a pod becomes ready or a ReplicaSet gets another size (Kubernetes v1.36.3,
// pkg/controller/deployment/util/deployment_util.go, DeploymentProgressing). Four pods that take 10 s each, and longer on a busy
// node, meet a deadline of 30 s, though the rollout takes 40 s; one that takes 35 s exceeds it, and the rollout continues and
// succeeds.
func deadline() []harness.Scenario {
	return []harness.Scenario{
		slowRollout("deadline-renewed", "a rollout may take longer than its progress deadline when each of its pods takes less",
			4, 10*time.Second, "false"),
		slowRollout("deadline-exceeded", "a pod that takes longer than the progress deadline has it exceeded, and the rollout succeeds all the same",
			1, 35*time.Second, "true"),
	}
}

func slowRollout(id, claim string, replicas int32, startup time.Duration, isExceeded string) harness.Scenario {
	const limit = 30 * time.Second
	const exceeded, took = "the deadline was said to be exceeded", "time until all pods are new"
	app := fixtures.App{Replicas: replicas, MaxSurge: new(intstr.FromInt32(1)), MaxUnavailable: percent(0), MinReady: time.Second}
	total := time.Duration(replicas) * startup
	return harness.Scenario{
		ID: id, Claim: claim,
		Kind: harness.InSteps{Lasts: 30*time.Second + total, Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			next, began, was := app, time.Now(), false
			next.StartDelay = startup
			written := change(ctx, steps, func(d *appsv1.Deployment) {
				to(steps, next, "v2")(d)
				d.Spec.ProgressDeadlineSeconds = new(int32(limit / time.Second))
			})
			done := completed(written)
			steps.Until(ctx, func(s observe.State) bool {
				was = was || condition(s.Deployments[written.Name], appsv1.DeploymentProgressing).Reason == deployment.TimedOutReason
				return done(s)
			})
			steps.Note(exceeded, was)
			steps.Note(took, time.Since(began))
		}},
		Expect: []evidence.Expectation{verdict.Fact(exceeded, isExceeded), verdict.FactWithin(took, total, 5*time.Minute)},
	}
}
