package rollout

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/observe"
	"rollcall/harness/verdict"
)

// deadline: the progress deadline begins anew whenever a pod gets ready or a ReplicaSet is given another size (Kubernetes v1.36.3,
// pkg/controller/deployment/util/deployment_util.go, DeploymentProgressing). Three pods that take 6 s each are no fault within 10 s,
// though the rollout takes 18 s; one that takes 16 s is, and the rollout goes on and succeeds.
func deadline() []harness.Scenario {
	const limit = 10 * time.Second
	const exceeded, took = "the deadline was said to be exceeded", "time until all pods are new"
	var scenarios []harness.Scenario
	for _, row := range []struct {
		id, claim string
		startup   time.Duration
		exceeded  string
	}{
		{"deadline-renewed", "a rollout may take longer than its progress deadline when each of its pods takes less", 6 * time.Second, "false"},
		{"deadline-exceeded", "a pod that takes longer than the progress deadline has it exceeded, and the rollout succeeds all the same",
			16 * time.Second, "true"},
	} {
		app := fixtures.App{Replicas: 3, MaxSurge: percent(30), MaxUnavailable: percent(10), MinReady: time.Second}
		scenarios = append(scenarios, harness.Scenario{
			ID: row.id, Claim: row.claim, Lasts: 30*time.Second + 3*row.startup,
			Steps: func(ctx context.Context, steps *harness.Steps) {
				steps.Deploy(ctx, app, "v1")
				next, began, was := app, time.Now(), false
				next.StartDelay = row.startup
				written := change(ctx, steps, func(d *appsv1.Deployment) {
					to(steps, next, "v2")(d)
					d.Spec.ProgressDeadlineSeconds = new(int32(limit / time.Second))
				})
				done := completed(written)
				steps.Until(ctx, func(s observe.State) bool {
					d := s.Deployments[written.Name]
					was = was || d != nil && condition(d, appsv1.DeploymentProgressing).Reason == "ProgressDeadlineExceeded"
					return done(s)
				})
				steps.Note(exceeded, was)
				steps.Note(took, time.Since(began))
			},
			Expect: []evidence.Expectation{
				verdict.Fact(exceeded, row.exceeded),
				verdict.FactWithin(took, 3*row.startup, 5*time.Minute),
			},
		})
	}
	return scenarios
}
