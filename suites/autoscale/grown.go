package autoscale

import (
	"context"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// grown: an autoscaler that writes a larger size in the middle of a rollout has the new ReplicaSet and the old ones scaled in proportion
// (Kubernetes v1.37, pkg/controller/deployment/sync.go, scale). No limit is exceeded by that, and a drain is as good as in any rollout. The
// four pods are replaced one after the other, 6 s each, and the autoscaler looks within 15 s.
func grown() []harness.Scenario {
	app := fixtures.App{Replicas: 4, MaxSurge: new(intstr.FromInt32(1)), MaxUnavailable: new(intstr.FromInt32(0)), StartDelay: 3 * time.Second,
		MinReady: 3 * time.Second, HandlerDelay: 500 * time.Millisecond}
	return harness.Update(harness.Scenario{
		App: app, Kind: harness.UnderLoad{Rollout: growth{reapplication{rollout.Update("v1", "v2"), 0}, 6}},
		Expect: []evidence.Expectation{verdict.MinAvailable(4), verdict.MaxActive(7)},
	}).Twins(harness.Twin{
		ID:    "grown-in-rollout-drained",
		Claim: "an autoscaler that makes 4 pods 6 in the middle of a rollout fails no request when pods sleep 5 s before they get SIGTERM, and then drain",
		Change: func(s *harness.Scenario) {
			s.App.AddDrain()
		},
		Expect: []evidence.Expectation{verdict.NoFailures()},
	}, harness.Twin{
		ID:     "grown-in-rollout-undrained",
		Claim:  "an autoscaler that makes 4 pods 6 in the middle of a rollout does not keep requests on kept connections from failing when pods exit at once",
		Expect: []evidence.Expectation{verdict.DamageSeen().On(evidence.Reused)},
	})
}

// A growth is an update in whose middle the autoscaler gets a larger minimum.
type growth struct {
	reapplication
	finally int32
}

func (g growth) Begin(ctx context.Context, client kubernetes.Interface, to fixtures.Destination, app fixtures.App) error {
	if err := g.reapplication.Begin(ctx, client, to, app); err != nil {
		return err
	}
	_, err := rollout.Edit(ctx, client.AutoscalingV2().HorizontalPodAutoscalers(to.Namespace), app.ResourceName(),
		func(live *autoscalingv2.HorizontalPodAutoscaler) { live.Spec.MinReplicas = &g.finally })
	return err
}

func (g growth) Settled(s observe.State, app fixtures.App) bool {
	app.Replicas = g.finally
	return g.reapplication.Settled(s, app)
}

func (g growth) Over(s observe.State, app fixtures.App) bool {
	app.Replicas = g.finally
	return g.reapplication.Over(s, app)
}
