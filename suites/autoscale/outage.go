package autoscale

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
)

// outage is reapply-below-the-minimum under load that 12 pods serve and one cannot. A request takes 0.5 s, and a pod answers 40 at a time
// and the others with 503. At 25 requests a second, the 4 lanes of the nodes and the one outside have 62 requests in flight: 5 in each of
// 12 pods, which is never 40, and 22 too many for one. Clients lose them from when the nodes' rules have left the 11 pods out until the
// autoscaler has looked, and as many pods of the next version are ready. Kept connections stay where they are then, with the pod that was
// alone, and are 25: it answers them too.
func outage() []harness.Scenario {
	app := fixtures.App{Replicas: 12, HandlerDelay: 500 * time.Millisecond, Concurrency: 40, MinReady: time.Second}
	app.AddDrain()
	return harness.Update(harness.Scenario{App: app}).Twins(harness.Twin{
		ID: "reapply-under-load",
		Claim: "applying a manifest that names 1 replica fails requests with status 503, which 12 pods served and 1 cannot, until the autoscaler " +
			"has restored its minimum of 12",
		Kind: harness.UnderLoad{Rollout: reapplication{rollout.Update("v1", "v2"), 1}},
		Expect: []evidence.Expectation{
			verdict.Scaling("v1:1", "v2:1"),
			verdict.LostTo(timeline.StageStatus),
			verdict.RecoversWithin(2*harness.UsualRuleLag, evidence.StatusDone).Scaled(),
		},
	}, harness.Twin{
		ID:     "apply-without-replicas-under-load",
		Claim:  "applying a manifest that names no replicas keeps the 12 pods that the autoscaler gave, and fails no request",
		Kind:   harness.UnderLoad{Rollout: reapplication{rollout.Update("v1", "v2"), 0}},
		Expect: []evidence.Expectation{verdict.NoFailures(), verdict.MinAvailable(9)},
	})
}

// A reapplication is an update by a manifest that may name replicas, of an app that an autoscaler keeps at its minimum: its manifest
// named as many replicas when it was applied first. Without metrics the autoscaler writes its minimum whenever it looks and finds fewer.
type reapplication struct {
	rollout.Strategy
	replicas int32 // that the next manifest names; 0: none
}

func (r reapplication) Deploy(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App, nodePort int32) (
	*corev1.Service, error) {
	service, err := r.Strategy.Deploy(ctx, client, to, app, nodePort)
	if err != nil {
		return nil, err
	}
	_, err = client.AutoscalingV2().HorizontalPodAutoscalers(to.Namespace).Create(ctx, app.Autoscaler(to, app.Replicas, most),
		metav1.CreateOptions{})
	return service, err
}

// Begin writes when the autoscaler has just looked, so that its next look comes after the pods have gone.
func (r reapplication) Begin(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App) error {
	_, next := r.Versions()
	wanted := app.Deployment(to, next)
	if r.replicas > 0 {
		if err := awaitLook(ctx, client, to.Namespace); err != nil {
			return err
		}
	}
	_, err := rollout.Edit(ctx, client.AppsV1().Deployments(to.Namespace), wanted.Name, func(live *appsv1.Deployment) {
		live.Labels, live.Spec.Template = wanted.Labels, wanted.Spec.Template
		if r.replicas > 0 {
			live.Spec.Replicas = &r.replicas
		}
	})
	if err != nil {
		return fmt.Errorf("autoscale: apply %s: %w", wanted.Name, err)
	}
	return nil
}

// awaitLook returns when the autoscaler has looked once more, or had the time to: see lookedAgain.
func awaitLook(ctx context.Context, client kubernetes.Interface, namespace string) error {
	last, err := lookOf(ctx, client, namespace)
	since := time.Now()
	if err != nil {
		return err
	}
	return poll.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		now, err := lookOf(ctx, client, namespace)
		return now != last || time.Since(since) > betweenLooks, err
	})
}

// Settled reports whether the next version is rolled out with as many pods as the autoscaler gives.
func (r reapplication) Settled(s observe.State, app fixtures.App) bool {
	_, next := r.Versions()
	return serves(s, next, app.Replicas)
}

// Over reports whether no node's rules route to an old pod any more, and each to all new ones.
func (r reapplication) Over(s observe.State, app fixtures.App) bool {
	_, next := r.Versions()
	return r.Strategy.Over(s, app) && s.ReachesEverywhere(next, int(app.Replicas))
}
