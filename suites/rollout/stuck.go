package rollout

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubectl/pkg/util/deployment"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/loadgen"
)

// stuck: the limits of a rolling update stop a new version that cannot start: its image does not exist, its program ends at once
// again and again, or its node does not exist. [rollout.Stuck] waits until the cause is the expected one. The controller reports it
// after the deadline, and undoes nothing. With Recreate the old pods are gone before anybody knows: nobody is answered from then
// until the load ends, 5 s of the deadline and 3 s later.
func stuck() []harness.Scenario {
	base := harness.Scenario{App: fixtures.Drained(), Expect: []evidence.Expectation{verdict.FullRate(99), verdict.Serves("v1")}}
	stays := []evidence.Expectation{verdict.NoFailures(), verdict.MinAvailable(3), verdict.Scaling("v2:1"), verdict.MaxActive(4)}
	// Reasons for an image that must not be pulled, and for one that cannot be (Kubernetes v1.37, pkg/kubelet/images/types.go).
	noImage := rollout.Stuck("v1", "v2", func(a *fixtures.App) { a.Tag = "none" }, "ErrImageNeverPull", "ErrImagePull", "ImagePullBackOff")
	return base.Twins(harness.Twin{
		ID:     "stuck-image",
		Claim:  "a rollout to an image that is not there fails no request: the old pods all stay, and answer alone",
		Kind:   harness.UnderLoad{Rollout: noImage},
		Expect: stays,
	}, harness.Twin{
		ID:    "stuck-crashing",
		Claim: "a rollout to a version that crashes before it is ready fails no request: the old pods all stay, and answer alone",
		Kind: harness.UnderLoad{Rollout: rollout.Stuck("v1", "v2",
			func(a *fixtures.App) { a.ReadyDelay, a.CrashAfter = time.Hour, 100*time.Millisecond }, "CrashLoopBackOff")},
		Expect: stays,
	}, harness.Twin{
		ID:    "stuck-pending",
		Claim: "a rollout to pods that fit on no node fails no request: the old pods all stay, and answer alone",
		Kind: harness.UnderLoad{Rollout: rollout.Stuck("v1", "v2",
			func(a *fixtures.App) { a.Nodes = []string{"none"} }, corev1.PodReasonUnschedulable)},
		Expect: stays,
	}, harness.Twin{
		ID:     "stuck-recreated",
		Claim:  "Recreate to an image that is not there costs an outage that lasts beyond the progress deadline",
		Change: func(s *harness.Scenario) { s.App.MaxSurge, s.App.MaxUnavailable, s.App.Recreate = nil, nil, true },
		Kind:   harness.UnderLoad{Rollout: noImage},
		Expect: []evidence.Expectation{
			verdict.LostWhileNoneServes(evidence.Refused),
			verdict.MinOutage(rollout.StuckAfter + 3*time.Second - loadgen.DefaultTimeout).On(evidence.Fresh),
		},
	})
}

// crash: the new version becomes ready, and crashes 10 s after it began to listen, each time. A pod is available when it has been
// ready for minReadySeconds: with 11 it never is, and the old pod stays. With 0 the old pod goes at once, for 7 s and at most 3 s
// late, and after the crash nobody answers until the new pod has started again, which takes 3 s. Either way the crash itself costs
// the requests that the new pod has; minReadySeconds makes the old pod stay and answer.
func crash() []harness.Scenario {
	const startup, crashes, available = 3 * time.Second, 10 * time.Second, 11 * time.Second
	app := fixtures.Drained()
	app.Replicas, app.StartDelay = 1, startup
	change := func(a *fixtures.App) { a.CrashAfter = crashes }
	load := func(how rollout.Strategy) harness.UnderLoad {
		return harness.UnderLoad{Rate: 50, Settle: crashes + startup + 2*time.Second, Rollout: how}
	}
	return harness.Scenario{
		App:    app,
		Expect: []evidence.Expectation{verdict.FullRate(99), verdict.Serves("v1", "v2")},
	}.Twins(harness.Twin{
		ID:     "crash-held-up",
		Claim:  "with minReadySeconds of 11 a version that crashes 10 s after its start never replaces the old pod, which answers to the end",
		Change: func(s *harness.Scenario) { s.App.MinReady = available },
		Kind:   load(rollout.Stuck("v1", "v2", change)),
		Expect: []evidence.Expectation{verdict.MinAvailable(1), verdict.AnswersAfter("v1", evidence.Barrier, 1), verdict.MaxActive(2)},
	}, harness.Twin{
		ID:    "crash-let-in",
		Claim: "without minReadySeconds a version that crashes 10 s after its start replaces the old pod, and then nobody answers",
		Kind:  load(rollout.UpdateWith("v1", "v2", change)),
		Expect: []evidence.Expectation{
			verdict.LostWhileNoneServes(evidence.Refused),
			verdict.MinOutage(startup - loadgen.DefaultTimeout).Scaled().On(evidence.Fresh),
			verdict.OnlyServes("v2", evidence.Barrier),
		},
	})
}

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
