package statusgap

import (
	"context"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// Facts: how long after the last new pod became ready kubectl reports success, and what it says first while one of the two
// conditions that it waits for is met and the other is not.
const (
	untilDone    = "from the last pod's readiness until rollout status reports success"
	saidOldLeft  = "rollout status while every new pod is available and old replicas are left"
	saidNewShort = "rollout status while no old replica is left and not every new pod is available"
)

// availability: rollout status waits until every new pod is available, which means ready for minReadySeconds, and until the old
// replicas are scaled down. In the first row there are old replicas until the new ones are available; in the second, where all may
// be unavailable, they are scaled down at once. The API has whole seconds for the readiness, and a kubelet may report it a second
// late, so that up to two seconds are missing. Between availability and what kubectl says there is no timer.
func availability() []harness.Scenario {
	return []harness.Scenario{
		availableAfter("availability-at-once",
			"rollout status reports success as soon as the last new pod is ready and the old replicas are scaled away, and not before",
			0, 0, verdict.Fact(saidOldLeft, `Waiting for deployment "echo" rollout to finish: 1 old replicas are pending termination...`,
				`Waiting for deployment "echo" rollout to finish: 2 old replicas are pending termination...`)),
		availableAfter("availability-after-min-ready",
			"with minReadySeconds of 10 rollout status reports success 10 s after the last new pod is ready, though no old replica is left",
			10*time.Second, 2, verdict.Fact(saidNewShort, `Waiting for deployment "echo" rollout to finish: 0 of 2 updated replicas are available...`,
				`Waiting for deployment "echo" rollout to finish: 1 of 2 updated replicas are available...`)),
	}
}

func availableAfter(id, claim string, minReady time.Duration, unavailable int32, said evidence.Expectation) harness.Scenario {
	const margin, slack = 2 * time.Second, time.Second
	app := fixtures.App{Replicas: 2, MaxSurge: new(intstr.FromInt32(2)), MaxUnavailable: new(intstr.FromInt32(unavailable)),
		MinReady: minReady, OnTerm: fixtures.Drain}
	return harness.Scenario{
		ID: id, Claim: claim, App: app,
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) { becomeAvailable(ctx, steps, app) }},
		Expect: []evidence.Expectation{
			verdict.FactWithin(untilDone, max(0, minReady-margin), minReady+slack).Decides("C4"),
			said.Decides("C4"),
		},
	}
}

// becomeAvailable rolls the app out and notes when kubectl reports success, and what it says before.
func becomeAvailable(ctx context.Context, steps *harness.Steps, app fixtures.App) {
	steps.Deploy(ctx, app, "v1")
	states := harness.Must(steps.Client.AppsV1().Deployments(steps.Namespace).Watch(ctx, metav1.ListOptions{}))
	defer states.Stop()
	update := rollout.Update("v1", "v2")
	harness.Check(update.Begin(ctx, steps.Client, steps.Into, app))
	var ready time.Time
	steps.Until(ctx, func(s observe.State) bool {
		if ready.IsZero() && s.Available("v2") == int(app.Replicas) {
			ready = time.Now()
		}
		return update.Settled(s, app) && !ready.IsZero() // seen by another watch
	})
	steps.Note(untilDone, time.Since(ready))
	noteWaits(ctx, steps, app, states)
	steps.Until(ctx, func(s observe.State) bool { return s.Count("v1") == 0 }) // its log is complete then
}

// noteWaits notes what kubectl says of the Deployment while one of the two conditions is met and the other is not, the first time
// for each, until it reports success.
func noteWaits(ctx context.Context, steps *harness.Steps, app fixtures.App, states watch.Interface) {
	noted := map[string]bool{}
	for _, d := range harness.Changes[*appsv1.Deployment](ctx, states) {
		if d.Spec.Template.Labels[fixtures.VersionLabel] != "v2" || d.Status.ObservedGeneration < d.Generation {
			continue
		}
		said, done, err := rollout.Status(d, 0)
		harness.Check(err)
		if done {
			return
		}
		if fact := lacking(d.Status, app.Replicas); fact != "" && !noted[fact] {
			noted[fact] = true
			steps.Note(fact, strings.TrimSpace(said))
		}
	}
}

// lacking returns the fact that a status is about, if one of the two conditions is met and the other is not. If every pod is
// available, so is every new one.
func lacking(s appsv1.DeploymentStatus, replicas int32) string {
	switch {
	case s.UpdatedReplicas < replicas:
		return ""
	case s.Replicas > s.UpdatedReplicas && s.AvailableReplicas == s.Replicas:
		return saidOldLeft
	case s.Replicas == s.UpdatedReplicas && s.AvailableReplicas < replicas:
		return saidNewShort
	default:
		return ""
	}
}
