package rollout

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/loadgen"
)

// A fencepost is what a Deployment's two limits amount to. Surge is rounded up and unavailable down; if both are then 0,
// unavailable is 1 (Kubernetes v1.36.3, pkg/controller/deployment/util/deployment_util.go, ResolveFenceposts).
type fencepost struct {
	replicas           int32
	surge, unavailable int // percent

	active    int    // most pods that are asked for
	available int    // fewest pods that are available
	prelude   string // sizes of ReplicaSets before the first new pod is ready
	kept      int    // old pods while no new one becomes ready
	asked     int    // new pods in the same state

	decide []string // claims that its expectations decide
}

// fenceposts: each row rolls out v2, and then a v1 that never becomes ready. Two things about the order do not follow from the
// limits. Without surge the new ReplicaSet begins with 0 pods, and gets its first when an old one was deleted. And after the first
// step pods are not exchanged one by one: as many go as became ready since the controller looked last, such as v1:5 to v1:3 with 10
// replicas, or v1:4 to v1:2 with 4 replicas and 100 % surge.
func fenceposts() []harness.Scenario {
	rows := []fencepost{
		{1, 25, 25, 2, 1, "v2:1", 1, 1, nil},
		{2, 25, 25, 3, 2, "v2:1", 2, 1, nil},
		{3, 30, 10, 4, 3, "v2:1 v1:2 v2:2 v1:1 v2:3 v1:0", 3, 1, []string{"C21", "C27"}},
		{3, 30, 30, 4, 3, "v2:1 v1:2 v2:2 v1:1 v2:3 v1:0", 3, 1, []string{"C26", "C27"}},
		{4, 25, 25, 5, 3, "v2:1 v1:3 v2:2", 3, 2, []string{"C10"}},
		{10, 25, 25, 13, 8, "v2:3 v1:8 v2:5", 8, 5, nil},
		{10, 30, 30, 13, 7, "v2:3 v1:7 v2:6", 7, 6, []string{"C26", "C27"}},
		{12, 25, 25, 15, 9, "v2:3 v1:9 v2:6", 9, 6, nil},
		{4, 100, 0, 8, 4, "v2:4", 4, 4, []string{"C16.pods", "C16.resources"}},
		{4, 100, 25, 8, 3, "v2:4 v1:3", 3, 4, nil},
		{4, 0, 25, 4, 3, "v2:0 v1:3 v2:1", 3, 1, nil},
		{3, 0, 10, 3, 2, "v2:0 v1:2 v2:1", 2, 1, nil},
		{1, 0, 25, 1, 0, "v2:0 v1:0 v2:1", 0, 1, nil},
	}
	scenarios := make([]harness.Scenario, len(rows))
	for i, row := range rows {
		scenarios[i] = row.scenario()
	}
	return scenarios
}

func (f fencepost) scenario() harness.Scenario {
	app := fixtures.App{Replicas: f.replicas, MaxSurge: percent(f.surge), MaxUnavailable: percent(f.unavailable), MinReady: time.Second}
	s := harness.Scenario{
		ID: fmt.Sprintf("fenceposts-%s-%s-%s", words[int(f.replicas)], shares[f.surge], shares[f.unavailable]),
		Claim: fmt.Sprintf("with %d replicas, %d %% surge and %d %% unavailable, at least %d are available throughout and at most %d asked for",
			f.replicas, f.surge, f.unavailable, f.available, f.active),
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			steps.RollOut(ctx, app, rollout.Update("v1", "v2"))
			noteStuck(ctx, steps, app, "v1")
		}},
		Expect: []evidence.Expectation{
			f.decides(verdict.Scaling(strings.Fields(f.prelude)...), "C10", "C16.resources", "C21", "C27"),
			f.decides(verdict.MaxActive(f.active), "C10", "C27"),
			verdict.Fact("old pods kept while no new pod gets ready", strconv.Itoa(f.kept)),
			verdict.Fact("new pods asked for while none gets ready", strconv.Itoa(f.asked)),
			f.decides(verdict.Fact("pods available while no new pod gets ready", strconv.Itoa(f.available)).Counting(evidence.AvailablePods),
				"C10"), // no fewer, and no more
		},
	}
	if f.available > 0 {
		s.Expect = append(s.Expect, f.decides(verdict.MinAvailable(f.available), "C10", "C16.pods", "C26"))
	}
	return s
}

// decides makes an expectation decide those of the given claims that are the row's.
func (f fencepost) decides(x evidence.Expectation, claims ...string) evidence.Expectation {
	for _, claim := range claims {
		if slices.Contains(f.decide, claim) {
			x = x.Decides(claim)
		}
	}
	return x
}

func percent(n int) *intstr.IntOrString { return new(intstr.FromString(strconv.Itoa(n) + "%")) }

// Ids have no digits.
var (
	words  = map[int]string{1: "one", 2: "two", 3: "three", 4: "four", 10: "ten", 12: "twelve"}
	shares = map[int]string{0: "none", 10: "tenth", 25: "quarter", 30: "thirty", 100: "all"}
)

// scaledDownLimits: of 10 pods, 3 and 30 % are the same. Of the 3 pods that an autoscaler leaves at night they are all and none,
// and then comes a version that never becomes ready. With the number, no pod at all is available from then on, although the surge
// would have let every old one stay.
func scaledDownLimits() []harness.Scenario {
	return []harness.Scenario{
		scaledDownLimit("absolute", "C29.numbers", intstr.FromInt32(3), 0, 3, "none of them is kept when a bad version is rolled out"),
		scaledDownLimit("percent", "C29.percentages", intstr.FromString("30%"), 3, 1, "all of them are kept when a bad version is rolled out"),
	}
}

func scaledDownLimit(kind, decides string, unavailable intstr.IntOrString, kept, asked int, so string) harness.Scenario {
	const before, after = 10, 3
	app := fixtures.App{Replicas: before, MaxSurge: percent(30), MaxUnavailable: &unavailable}
	return harness.Scenario{
		ID:    "scaled-down-limits-" + kind,
		Claim: fmt.Sprintf("with maxUnavailable %s and %d replicas scaled down to %d, %s", unavailable.String(), before, after, so),
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			revise(ctx, steps, func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32(after)) })
			steps.Mark(evidence.RolloutBegun)
			noteStuck(ctx, steps, app, "v2")
		}},
		Expect: []evidence.Expectation{
			verdict.Fact("old pods kept while no new pod gets ready", strconv.Itoa(kept)).Decides(decides),
			verdict.Fact("new pods asked for while none gets ready", strconv.Itoa(asked)),
			verdict.Fact("pods available while no new pod gets ready", strconv.Itoa(kept)).Counting(evidence.AvailablePods).Decides("C26"),
		},
	}
}

// gradualFullSurge lets new pods become ready one at a time, by a readiness gate that the steps open, and looks what becomes of the
// old ones meanwhile. The first old pod is deleted while 3 of the 4 new ones are not ready, and no other goes until the next new
// one is ready. When half of them are, a client is answered by either version.
func gradualFullSurge() harness.Scenario {
	const replicas = 4
	app := fixtures.App{Replicas: replicas, MaxSurge: percent(100), MaxUnavailable: percent(0), MinReady: time.Second}
	s := harness.Scenario{
		ID:      "gradual-full-surge",
		Profile: harness.Core,
		Claim:   "with 100 % surge one old pod goes for each new one that gets ready, so both versions serve: it is not blue/green",
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

// terminatingUncounted: no limit counts terminating pods. With a drain longer than the rollout they are all still there at its end,
// and use their resources. With a sleep of 60 s the rollout was reported as done after 1.9 s (13 s on a busy machine), with 4 new
// pods and 4 old ones. Since Kubernetes 1.35 the Deployment's status counts the old ones (KEP-3973, v1.37.2,
// pkg/features/kube_features.go: alpha and off in 1.33 and 1.34), and kubectl rollout status ignores that.
func terminatingUncounted() harness.Scenario {
	app := fixtures.App{Replicas: 4, MinReady: time.Second, PreStopSleep: time.Minute, Grace: 90 * time.Second}
	return harness.Scenario{
		ID:    "terminating-uncounted",
		Claim: "a rollout of 4 pods that never asks for more than 5 has 8 running at its end, as terminating ones do not count",
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			steps.Mark(evidence.RolloutBegun)
			begun, update := time.Now(), rollout.Update("v1", "v2")
			harness.Check(update.Begin(ctx, steps.Client, steps.Into, app))
			var pods []observe.PodState
			steps.Until(ctx, func(s observe.State) bool {
				pods = s.Pods
				return update.Settled(s, app) && s.Available("v1") == 0 // seen by another watch
			})
			steps.Mark(evidence.StatusDone)
			terminating := 0
			for _, p := range pods {
				if p.Deleting {
					terminating++
				}
			}
			steps.Note("time until the rollout is said to be done", time.Since(begun))
			steps.Note("pods when the rollout is said to be done", len(pods))
			steps.Note("of these terminating", terminating)
			steps.Note("terminating ones in the Deployment's status", steady(ctx, terminating, func() int { // the status is written later
				d := harness.Must(steps.Client.AppsV1().Deployments(steps.Namespace).Get(ctx, fixtures.DefaultName, metav1.GetOptions{}))
				return int(ptr.Deref(d.Status.TerminatingReplicas, 0))
			}))
		}},
		Expect: []evidence.Expectation{
			verdict.MaxActive(5),
			verdict.FactWithin("time until the rollout is said to be done", 0, app.PreStopSleep),
			verdict.Fact("pods when the rollout is said to be done", "8"),
			verdict.Fact("of these terminating", "4").Decides("C1"),
			verdict.Fact("terminating ones in the Deployment's status", "4").Since("1.35"),
		},
	}
}
