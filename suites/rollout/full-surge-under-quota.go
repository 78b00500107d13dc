package rollout

import (
	"context"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// fullSurgeUnderQuota: a surge of 100 % needs room for twice the pods; without it the rollout goes in waves. A quota counts a pod
// until its containers have ended: up to 8 pods were seen in the API with a quota of 6, two of them ended and not yet removed.
// Every other time (3 of 6 whole runs) the rollout stands still for 10 s although there is room, and with a minReadySeconds of 1 it
// did so both times: a ReplicaSet that lacks pods does not look again when old ones have gone, but when its back-off is over, 164 s
// after 15 refusals and up to 1000 s after 18 (Kubernetes v1.36.3, pkg/controller/replicaset/replica_set.go, syncReplicaSet). An
// annotation on the Deployment is copied to its ReplicaSet, which then looks at once. The pods become ready 2 s after they listen,
// so that none flickers (see fixtures.App, MinReady).
func fullSurgeUnderQuota() harness.Scenario {
	const replicas, quota = 4, 6
	const waves = 20 * time.Second // longer than waves take that do not stand still
	app := fixtures.App{Replicas: replicas, MaxSurge: percent(100), MaxUnavailable: percent(0), ReadyDelay: 2 * time.Second}
	return harness.Scenario{
		ID: "full-surge-under-quota",
		Claim: "with 100 % surge and a quota of 6, all 4 pods stay available and are replaced in waves, " +
			"and the Deployment reports that pods were refused; if the rollout stalls, an annotation resumes it",
		Uses: []string{harness.Quotas},
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			limitPods(ctx, steps, quota)
			steps.Deploy(ctx, app, "v1")
			steps.Mark(evidence.RolloutBegun)
			update := rollout.Update("v1", "v2")
			harness.Check(update.Begin(ctx, steps.Client, steps.Into, app))
			refused, took := false, 0
			done := func(s observe.State) bool {
				c := condition(s.Deployments[fixtures.DefaultName], appsv1.DeploymentReplicaFailure)
				if !refused && c.Status == corev1.ConditionTrue && s.Count("v2") >= quota-replicas { // seen by another watch
					refused = true
					steps.Note("replica failure", c.Reason)
					steps.Note("new pods at the first failure", s.Count("v2"))
				}
				return update.Settled(s, app) && s.Count("v1") == 0
			}
			for ; !steps.Within(ctx, waves, done); took++ {
				change(ctx, steps, func(d *appsv1.Deployment) { d.Annotations["look-again"] = strconv.Itoa(took) })
			}
			steps.Note("annotations it took", took)
			steps.Mark(evidence.OldGone)
		}},
		Expect: []evidence.Expectation{
			verdict.Scaling("v2:4"),
			verdict.MaxActive(2 * replicas),
			verdict.MinAvailable(replicas).Decides("C16.pods"),
			verdict.Fact("replica failure", "FailedCreate").Decides("C16.resources"),
			verdict.Fact("new pods at the first failure", strconv.Itoa(quota-replicas)),
			verdict.Noted("annotations it took"),
		},
	}
}

// limitPods creates a quota, and returns when it is in force: before that it refuses every pod.
func limitPods(ctx context.Context, steps *harness.Steps, n int64) {
	quotas := steps.Client.CoreV1().ResourceQuotas(steps.Namespace)
	quota := harness.Must(quotas.Create(ctx, fixtures.Quota(steps.Into, n), metav1.CreateOptions{}))
	harness.Check(poll.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		return len(harness.Must(quotas.Get(ctx, quota.Name, metav1.GetOptions{})).Status.Hard) > 0, nil
	}))
}
