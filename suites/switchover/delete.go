package switchover

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// deleteAndApply: all pods end and start at once. With three pods and 100 requests per second and lane a 2-core host did not keep
// up for a second, and the recording was distrusted.
//
// Apps that exit at once are gone long before their successors are ready. The garbage collector and the kubelets, which end the old
// pods, do not wait for the new ones, nor the other way round: the old pods may still be there for 3 s of the new ones' start, 1 s
// of which is due to the kubelet, which looks once a second for pods to stop. The outage is over when new pods have started, for
// which they have as long as on the slowest cluster whose times are not stretched.
//
// When every endpoint is terminating, kube-proxy still uses those that serve (KEP-1669), so a preStop sleep longer than the next
// pods take to start covers the gap. It goes by their readiness. An app that fails its readiness on SIGTERM, as is often advised,
// gives that up: it serves for long enough, but gets no requests. Seen from outside, where a proxy holds the client's connection:
// 418 requests reached a new pod after their client had given up. The readiness probe fails a second later.
//
// If the Service is in the same file, pods that sleep until their successors are ready do not help the clients of a Service that is
// gone. The new Service has another address, and clients with the old one fail.
func deleteAndApply() []harness.Scenario {
	const startup, stop = 5 * time.Second, 3 * time.Second
	const longer, unready = 7 * time.Second, 4 * time.Second
	const outage = 10 * time.Second // as long as the load continues
	const asleep = 12 * time.Second // successors are in the rules after StartDelay, UsualPodStart and UsualRuleLag: 10.5 s
	return harness.Update(harness.Scenario{
		App:  fixtures.App{Replicas: 2, StartDelay: startup, Linger: 2 * time.Second, OnTerm: fixtures.Drain},
		Kind: harness.UnderLoad{Rate: 50, Rollout: rollout.DeleteAndApply("v1", "v2")},
	}).Twins(harness.Twin{
		ID:     "delete-and-apply",
		Claim:  "deleting a Deployment and applying the next one costs an outage when pods exit at once and their successors take 5 s to start",
		Change: func(s *harness.Scenario) { s.App.Linger, s.App.OnTerm = 0, fixtures.Exit },
		Expect: []evidence.Expectation{
			verdict.LostWhileNoneServes(evidence.Refused).Decides("C30.undrained"),
			verdict.Pause(startup-stop, startup+harness.UsualPodStart+harness.UsualRuleLag).Scaled().Decides("C30.undrained"),
			verdict.MinOutage(startup - stop).Scaled().On(evidence.Fresh).Decides("C30.undrained"),
		},
	}, harness.Twin{
		ID:    "delete-and-apply-drained",
		Claim: "deleting a Deployment and applying the next one fails no request when pods sleep until their successors are ready",
		Change: func(s *harness.Scenario) {
			s.App.StartDelay, s.App.PreStopSleep, s.App.Grace = 3*time.Second, asleep, 40*time.Second
		},
		Expect: []evidence.Expectation{
			verdict.NoFailures().Decides("C30.drained", "C38"),
			verdict.ServesUntilSigterm().Decides("C38"),
			verdict.NoSlowReplies(),
			verdict.NoHiddenRetries(),
		},
	}, harness.Twin{
		ID: "delete-and-apply-unready",
		Claim: "deleting a Deployment and applying the next one costs an outage when pods fail their readiness while they end, " +
			"and their successors take 7 s to start",
		Change: func(s *harness.Scenario) {
			s.App.StartDelay, s.App.Linger, s.App.Grace, s.App.FailReadinessOnTerm = longer, 20*time.Second, 40*time.Second, true
		},
		Expect: []evidence.Expectation{
			verdict.LostWhileNoneServes(evidence.Refused),
			verdict.MinOutage(longer - unready).Scaled().On(evidence.Fresh).Decides("C38"),
		},
	}, harness.Twin{
		ID:     "delete-and-apply-all",
		Claim:  "deleting and applying the Service too fails the requests of everybody who knows its address, drained pods or not",
		Change: func(s *harness.Scenario) { s.App.StartDelay, s.App.PreStopSleep = 0, 5*time.Second },
		Kind:   harness.UnderLoad{Rate: 50, Settle: outage, Rollout: rollout.DeleteAndApplyAll("v1", "v2")},
		Expect: []evidence.Expectation{verdict.DamageSeen(), verdict.MinOutage(outage)}, // until the load ends
	})
}

// deleteAndApplyHistory: the ReplicaSets are the Deployment's history, and are deleted with it. The next Deployment begins at
// revision 1.
func deleteAndApplyHistory() harness.Scenario {
	const before, after = "history before", "history after"
	app := fixtures.App{Replicas: 1, OnTerm: fixtures.Drain}
	return harness.Scenario{
		ID:    "delete-and-apply-history",
		Claim: "deleting a Deployment and applying the next one loses its history, which begins again at revision 1",
		App:   app,
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			steps.RollOut(ctx, app, rollout.Update("v1", "v2"))
			steps.Note(before, steps.History(ctx))
			again := rollout.DeleteAndApply("v2", "v1")
			harness.Check(again.Begin(ctx, steps.Client, steps.Into, app))
			steps.Until(ctx, func(s observe.State) bool { return again.Settled(s, app) && s.Count("v2") == 0 })
			since := time.Now()
			harness.Check(poll.Until(ctx, 200*time.Millisecond, func() (bool, error) {
				return len(steps.ReplicaSets(ctx)) == 1 || time.Since(since) > collected, nil
			}))
			steps.Note(after, steps.History(ctx))
		}},
		Expect: []evidence.Expectation{
			verdict.Fact(before, "1 v1, 2 v2"),
			verdict.Fact(after, "1 v1"),
		},
	}
}

// collected is longer than the garbage collector takes for a ReplicaSet whose Deployment is gone. Our own choice.
const collected = 15 * time.Second

// deleted: an app is removed, with pods that sleep 10 s before they get SIGTERM. As long as the Service exists, nodes route to them
// since there are no others (KEP-1669). Without it no node does, though they still serve: if the Service is deleted with the rest,
// a drain is useless. From then on new connections fail, for the whole sleep and until the load ends, 3 s after the pods, less the
// time that nodes take to follow. That time grows with the pace of the machine, as the sleep does, but the 3 s do not: hence half
// of the sleep.
func deleted() []harness.Scenario {
	const sleep = 10 * time.Second
	return harness.Scenario{
		App:    fixtures.App{Replicas: 2, PreStopSleep: sleep, OnTerm: fixtures.Drain},
		Expect: []evidence.Expectation{verdict.FullRate(99), verdict.Serves("v1")},
	}.Twins(harness.Twin{
		ID:     "deleted-before-service",
		Claim:  "pods of a Deployment that is deleted serve until SIGTERM as long as their Service is there",
		Kind:   harness.UnderLoad{Rate: 50, Rollout: rollout.Deleted("v1")},
		Expect: []evidence.Expectation{verdict.ServesUntilSigterm(), verdict.LostWhileNoneServes(evidence.Refused)},
	}, harness.Twin{
		ID:     "deleted-with-service",
		Claim:  "deleting the Service with its Deployment fails new connections at once, while pods sleep for 10 s in vain",
		Kind:   harness.UnderLoad{Rate: 50, Rollout: rollout.DeletedWithService("v1")},
		Expect: []evidence.Expectation{verdict.DamageSeen().On(evidence.Fresh), verdict.MinOutage(sleep / 2).Scaled().On(evidence.Fresh)},
	})
}

// orphaned: what `kubectl delete --cascade=orphan` leaves behind, pods and ReplicaSet, is adopted by the next Deployment with the
// same selector. Pods are identified by UID, and their containers must not have restarted.
func orphaned() harness.Scenario {
	const (
		kept        = "pods of before that serve on"
		restarted   = "times that their containers were started again"
		replicaSets = "ReplicaSets"
	)
	app := fixtures.App{Replicas: 3}
	return harness.Scenario{
		ID:    "orphaned",
		Claim: "deleting a Deployment without its pods and applying it again ends none of them, and restarts none",
		App:   app,
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			deployments, next := steps.Client.AppsV1().Deployments(steps.Namespace), app.Deployment(steps.Into, "v1")
			before := steps.StayingPods(ctx)
			harness.Check(deployments.Delete(ctx, next.Name, metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationOrphan)}))
			steps.Until(ctx, func(s observe.State) bool { return s.Deployments[next.Name] == nil })
			next = harness.Must(deployments.Create(ctx, next, metav1.CreateOptions{}))
			steps.Until(ctx, func(s observe.State) bool {
				d := s.Deployments[next.Name]
				return d != nil && d.UID == next.UID && rollout.Complete(d)
			})
			after := steps.StayingPods(ctx)
			steps.Note(kept, fmt.Sprintf("%d of %d", after.Intersection(before).Len(), after.Len()))
			steps.Note(restarted, restarts(ctx, steps))
			steps.Note(replicaSets, len(steps.ReplicaSets(ctx)))
		}},
		Expect: []evidence.Expectation{
			verdict.Fact(kept, "3 of 3"),
			verdict.Fact(restarted, "0"),
			verdict.Fact(replicaSets, "1"),
		},
	}
}

// restarts returns how often containers of the app's pods were restarted.
func restarts(ctx context.Context, steps *harness.Steps) (n int32) {
	for _, p := range steps.Pods(ctx) {
		for _, c := range p.Status.ContainerStatuses {
			n += c.RestartCount
		}
	}
	return n
}
