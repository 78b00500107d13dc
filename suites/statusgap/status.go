package statusgap

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/loadgen"
)

// statusTrap: `kubectl rollout status` ignores terminating pods, which still serve. With a preStop sleep longer than a pod takes to
// start, old pods are there when it reports success, and answer until their sleep and their drain are over. What can be relied on
// is that no old pod is in the API any more.
func statusTrap() harness.Scenario {
	app := fixtures.DrainedOneByOne()
	const (
		stop    = time.Second // a kubelet's delay before it begins a deletion: its pod cache is updated once a second
		minSync = time.Second // kube-proxy writes rules at most this often (minSyncPeriod, KubeProxyConfiguration v1alpha1)
	)
	return harness.Update(harness.Scenario{
		ID:      "status-trap",
		Profile: harness.Core,
		Claim:   "rollout status reports success while old pods still answer clients, and once they are gone no client is answered by one",
		App:     app,
		Kind:    harness.UnderLoad{Also: []string{evidence.Kept}},
		Expect: []evidence.Expectation{
			verdict.OldAtStatus(1).Decides("C1"),
			verdict.AnswersAfter("v1", evidence.StatusDone, 1).Decides("C1", "C5.before"),
			verdict.MaxStatusGap(app.PreStopSleep + app.Linger + stop).Scaled(),
			verdict.NoFailures(),
			verdict.NoSlowReplies(),
			verdict.Between(evidence.PodDeleting, evidence.EndpointNotReady, -time.Second, 3*time.Second),
			verdict.SentWhileTerminating().Decides("C2"),
			verdict.ReachesTerminating().Decides("C2"),
			verdict.MaxDrainLag(3 * time.Second).Scaled(),
			verdict.MostDrainLags(50, minSync).Decides("C3"),
			verdict.MaxRuleLag(3 * time.Second).Decides("C3"),
			verdict.RulesBeforeSigterm(),
			verdict.OnlyServes("v2", evidence.OldGone).Decides("C5.after"),
		},
	})
}

// statusFollows: rollout status is about a Deployment by its name, whatever somebody else does to it meanwhile. Whoever waits for
// v2, which never becomes ready, is told of success when v2 is undone. Only --revision notices (kubectl v0.37.2,
// pkg/polymorphichelpers/rollout_status.go, DeploymentStatusViewer).
func statusFollows() harness.Scenario {
	const follows, asked = "rollout status once the update that it was to await is undone", "rollout status --revision=2 then"
	app := fixtures.App{Replicas: 1, OnTerm: fixtures.Drain}
	return harness.Scenario{
		ID:    "status-follows",
		Claim: "rollout status reports success for an update that was undone while it waited, unless it is given the revision",
		App:   app,
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			never := app
			never.Tag = "none"
			harness.Check(rollout.Update("v1", "v2").Begin(ctx, steps.Client, steps.Into, never))
			var live *appsv1.Deployment
			steps.Until(ctx, func(s observe.State) bool {
				live = s.Deployments[app.ResourceName()]
				return s.Count("v2") == 1 && live.Status.ObservedGeneration >= live.Generation
			})
			harness.Check(rollout.Undo(steps.Client, live))
			back := rollout.Update("v2", "v1")
			steps.Until(ctx, func(s observe.State) bool { return back.Settled(s, app) && s.Count("v2") == 0 })
			steps.Until(ctx, func(s observe.State) bool {
				live = s.Deployments[app.ResourceName()]
				return rollout.Complete(live)
			})
			said, _, err := rollout.Status(live, 0)
			harness.Check(err)
			steps.Note(follows, strings.TrimSpace(said))
			_, _, err = rollout.Status(live, 2)
			steps.Note(asked, err)
		}},
		Expect: []evidence.Expectation{
			verdict.Fact(follows, `deployment "echo" successfully rolled out`),
			verdict.Fact(asked, "desired revision (2) is different from the running revision (3)"),
		},
	}
}

// Facts of availability: how long after the last new pod became available kubectl reports success, and what it says first while one of the
// two conditions that it waits for is met and the other is not.
const (
	untilDone    = "from the last new pod's availability until rollout status reports success"
	saidOldLeft  = "rollout status while every new pod is available and old replicas are left"
	saidNewShort = "rollout status while no old replica is left and not every new pod is available"
)

// availability: rollout status waits until every new pod is available, which means ready for minReadySeconds, and until the old
// replicas are scaled down. In the first row there are old replicas until the new ones are available; in the second, where all may
// be unavailable, they are scaled down at once.
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

// availableAfter expects success at once. With minReadySeconds the controller looks again up to a second after they are over
// (pkg/controller/replicaset/replica_set.go, updatePod), and the API has the whole second in which they began.
func availableAfter(id, claim string, minReady time.Duration, unavailable int32, said evidence.Expectation) harness.Scenario {
	const slack, looksAgain, whole = time.Second, time.Second, time.Second
	app := fixtures.App{Replicas: 2, MaxSurge: new(intstr.FromInt32(2)), MaxUnavailable: new(intstr.FromInt32(unavailable)),
		MinReady: minReady, OnTerm: fixtures.Drain}
	most := slack
	if minReady > 0 {
		most += looksAgain + whole
	}
	return harness.Scenario{
		ID: id, Claim: claim, App: app,
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) { becomeAvailable(ctx, steps, app) }},
		Expect: []evidence.Expectation{
			verdict.FactWithin(untilDone, 0, most).Decides("C4"),
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
	done := time.Now()
	if by := readySince(ctx, steps, "v2").Add(app.MinReady); by.After(ready) {
		ready = by
	}
	steps.Note(untilDone, done.Sub(ready))
	noteWaits(ctx, steps, app, states)
	steps.Until(ctx, func(s observe.State) bool { return s.Count("v1") == 0 }) // its log is complete then
}

// readySince returns since when the last pod of a version is ready, in whole seconds. A kubelet may have reported it later.
func readySince(ctx context.Context, steps *harness.Steps, version string) (since time.Time) {
	pods := harness.Must(steps.Client.CoreV1().Pods(steps.Namespace).List(ctx,
		metav1.ListOptions{LabelSelector: fixtures.VersionLabel + "=" + version}))
	for _, p := range pods.Items {
		for _, c := range p.Status.Conditions {
			if c.Type == corev1.PodReady && c.LastTransitionTime.After(since) {
				since = c.LastTransitionTime.Time
			}
		}
	}
	return since
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

// The migration's calls, as lanes.
const (
	naiveCalls  = "when-rollout-status-reports-success"
	pinnedCalls = "then-over-a-connection-from-before"
	safeCalls   = "when-no-old-pod-is-in-the-api"
)

// migrationCall: a job waits for the rollout and then calls the new version, repeatedly. When kubectl reports success it reaches
// old pods, and always does over a connection from before; when no old pod is in the API any more it never does. Seen: of 20 calls
// over new connections at kubectl's success 17 to 20 reached the old pod. The only new pod is ready, and the node at which the call
// arrives does not know it yet. Old pods serve until their sleep and drain are over, so that no call fails; a rollout whose status
// came later than that is repeated. A call also waits until a watch has seen the deletion of the old pod, which the controller asks
// for before it reports, so that the recording tells which pod answered.
func migrationCall() harness.Scenario {
	const rollouts, callsBehind = 5, 5
	app := fixtures.App{
		Replicas: 1, MaxSurge: new(intstr.FromInt32(1)), MaxUnavailable: new(intstr.FromInt32(0)),
		PreStopSleep: 2 * time.Second, Linger: time.Second, OnTerm: fixtures.Drain, // leaves time for the calls
	}
	return harness.Scenario{
		ID:      "migration-call",
		Profile: harness.Core,
		Claim: "a call right after rollout status succeeds may reach the old pod, which still sleeps; " +
			"a call after that pod has left the API does not",
		App: app,
		Kind: harness.InSteps{Outside: true, Lasts: 50 * time.Second, Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			steps.Reach(ctx)
			naive := steps.Requests(naiveCalls, evidence.Fresh, 2*time.Second)
			pinned := steps.Requests(pinnedCalls, evidence.Reused, 2*time.Second)
			safe := steps.Requests(safeCalls, evidence.Fresh, 2*time.Second)
			for n, left := 0, rollouts; left > 0; n++ {
				old, next := fmt.Sprintf("v%d", n%2+1), fmt.Sprintf("v%d", (n+1)%2+1)
				pinned.Open(ctx)
				update := rollout.Update(old, next)
				harness.Check(update.Begin(ctx, steps.Client, steps.Into, app))
				var deleted time.Time
				steps.Until(ctx, func(s observe.State) bool {
					if deleted.IsZero() && slices.ContainsFunc(s.Pods, func(p observe.PodState) bool { return p.Deleting }) {
						deleted = time.Now()
					}
					return !deleted.IsZero() && update.Settled(s, app)
				})
				// A kubelet does not wait for rollout status: calls at a time when the old pod's sleep may be over show nothing.
				if time.Since(deleted) < app.PreStopSleep/2 {
					naive.Send(ctx, 1)
					pinned.Send(ctx, 1)
					left--
				}
				steps.Until(ctx, func(s observe.State) bool { return s.Count(old) == 0 })
				safe.Send(ctx, callsBehind)
			}
		}},
		Expect: []evidence.Expectation{
			verdict.AnsweredByDeleted(naiveCalls, 1).Decides("C8"),
			verdict.AnsweredByDeleted(pinnedCalls, rollouts).Decides("C8"), // not those that opened the connections
			verdict.AllAnswered(naiveCalls),
			verdict.AllAnswered(pinnedCalls),
			verdict.NotAnsweredByDeleted(safeCalls).Decides("C8", "C5.after"),
			verdict.AllAnswered(safeCalls).Decides("C8", "C5.after"),
		},
	}
}

// recreate: all old pods end first, and only then are there new ones. Old pods serve through their preStop sleep: if no endpoint is
// ready, kube-proxy routes to terminating ones (KEP-1669). Then nobody is answered until new pods have started, each after the last
// old one ended: for at least their start delay. How much longer is the cluster's affair, and breaks no claim. The containers end
// first: objects of ended pods may still be in the API beside the new ones (5 of 3 replicas were seen). The client's last requests of the
// outage may wait for up to their timeout and be answered: rules that route to a pod that is gone may swallow a SYN, which is sent again
// after 1 s and 3 s.
func recreate() harness.Scenario {
	const startup = 3 * time.Second
	return harness.Scenario{
		ID:      "recreate",
		Profile: harness.Core,
		Claim:   "Recreate never mixes versions; old pods serve until SIGTERM, and then nobody is answered until new ones have started",
		App: fixtures.App{
			Replicas: 3, Recreate: true, StartDelay: startup, PreStopSleep: 5 * time.Second, OnTerm: fixtures.Drain,
		},
		Kind: harness.UnderLoad{Rollout: rollout.Update("v1", "v2")},
		Expect: []evidence.Expectation{
			verdict.FullRate(99),
			verdict.Serves("v1", "v2"),
			verdict.OldEndsFirst().Decides("C6"),
			verdict.CleanCut().Decides("C6"),
			verdict.OnlyServes("v2", evidence.StatusDone),
			verdict.ServesUntilSigterm().Decides("C2", "C6", "C38"),
			verdict.LostWhileNoneServes(evidence.Refused).Decides("C6"),
			verdict.MinPause(startup).Scaled().Decides("C6"),
			verdict.MinOutage(startup - loadgen.DefaultTimeout).Scaled().On(evidence.Fresh),
		},
	}
}
