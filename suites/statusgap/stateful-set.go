package statusgap

import (
	"context"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/loadgen"
)

// statefulSet: a pod keeps its name, so the old one of a name ends before its successor starts, unless somebody takes it out of the API
// by force; and kubectl reports success when no old pod is left: here that can be relied on. Meanwhile both versions answer. Seen: a new
// pod was ready, not ready 0.08 s later and ready again after 0.18 s, while the next was already deleted, so that 1 of 3 pods was
// available. Hence minReadySeconds; no request failed without it.
func statefulSet() harness.Scenario {
	return harness.Scenario{
		ID:      "stateful-set",
		Profile: harness.Core,
		Claim:   "when rollout status reports success for a StatefulSet no client is answered by an old pod any more",
		App: fixtures.App{
			Replicas: 3, MinReady: 2 * time.Second, PreStopSleep: 5 * time.Second, Linger: 2 * time.Second, OnTerm: fixtures.Drain,
		},
		Kind: harness.UnderLoad{Rollout: rollout.UpdateStatefulSet("v1", "v2")},
		Expect: []evidence.Expectation{
			verdict.FullRate(99),
			verdict.Serves("v1", "v2"),
			verdict.Mixes(1).Decides("C7.clean-cut"), // two of three pods answer with one version while the third has the other
			verdict.NoFailures(),
			verdict.NoSlowReplies(),
			verdict.NoHiddenRetries(),
			verdict.MinAvailable(2),
			nameEndsFirst().Decides("C7.clean-cut"),
			verdict.OnlyServes("v2", evidence.StatusDone).Decides("C7.status"),
		},
	}
}

// statefulSetOfOne: the only pod has to be gone from the API before its successor is created. Apart from that it is like Recreate:
// see there for the bounds. The drain that costs nothing with three pods does not help here.
func statefulSetOfOne() harness.Scenario {
	const (
		startup = 3 * time.Second
		removal = 10 * time.Second // of a pod that has ended, at most: the period of the kubelet's status loop (v1.36.3, status_manager.go)
	)
	return harness.Scenario{
		ID:    "stateful-set-of-one",
		Claim: "a StatefulSet of one pod never mixes versions, and costs an outage",
		App: fixtures.App{
			Replicas: 1, StartDelay: startup, PreStopSleep: 5 * time.Second, OnTerm: fixtures.Drain,
		},
		Kind: harness.UnderLoad{Rate: 50, Rollout: rollout.UpdateStatefulSet("v1", "v2")}, // for one pod
		Expect: []evidence.Expectation{
			verdict.FullRate(99),
			verdict.Serves("v1", "v2"),
			nameEndsFirst().Decides("C7.clean-cut"),
			verdict.ServesUntilSigterm(),
			verdict.LostWhileNoneServes(evidence.Refused),
			verdict.CleanCut(), // the versions of several pods mix
			verdict.Pause(startup, startup+removal+harness.UsualPodStart+harness.UsualRuleLag).Scaled(),
			verdict.MinOutage(startup - loadgen.DefaultTimeout).Scaled().On(evidence.Fresh),
			verdict.OnlyServes("v2", evidence.StatusDone).Decides("C7.status"),
		},
	}
}

// nameEndsFirst expects that the old pod of each name has ended before the next one of that name starts. The API shows one pod of a
// name at a time, whether or not its process has ended: only the pods' own words tell. When the next one starts is not part of it.
func nameEndsFirst() evidence.Expectation {
	return verdict.Between(evidence.PodExited, evidence.PodStarted, 0, time.Hour)
}

// statefulSetUnavailable: if the API server knows maxUnavailable of a StatefulSet (see statefulSets), so many pods end together.
// Two of three leave one that serves. One at a time, the second would end and its successor start while the first new one and the
// third old one both answer; if two end together, both versions answer for less time. With all three nobody answers from when they
// have ended, at most 3 s apart, until a new one has started: each is made when the pod of its name is gone, and takes 6 s; the
// client's last requests of the outage may wait for up to their timeout.
func statefulSetUnavailable() []harness.Scenario {
	const startup, sleep, linger, apart = 6 * time.Second, 10 * time.Second, 2 * time.Second, 3 * time.Second
	return harness.Scenario{
		App: fixtures.App{
			Replicas: 3, MinReady: 2 * time.Second, StartDelay: startup, PreStopSleep: sleep, Linger: linger,
			OnTerm: fixtures.Drain,
		},
		Kind: harness.UnderLoad{Rate: 50, Rollout: rollout.UpdateStatefulSet("v1", "v2")},
		Expect: []evidence.Expectation{
			verdict.FullRate(99),
			verdict.Serves("v1", "v2"),
			nameEndsFirst(),
			verdict.OnlyServes("v2", evidence.StatusDone),
		},
	}.Twins(harness.Twin{
		ID:     "stateful-set-unavailable-two",
		Claim:  "a StatefulSet that replaces two of three pods at a time fails no request of pods that drain",
		Change: func(s *harness.Scenario) { s.App.MaxUnavailable = new(intstr.FromInt32(2)) },
		Expect: []evidence.Expectation{
			verdict.NoFailures(),
			verdict.MinAvailable(1),
			verdict.MaxMixedWindow(sleep + linger + startup).Scaled().On(evidence.Fresh).Since("1.37"),
		},
	}, harness.Twin{
		ID:     "stateful-set-unavailable-all",
		Claim:  "a StatefulSet that replaces all of its pods at a time costs an outage, though they drain",
		Change: func(s *harness.Scenario) { s.App.MaxUnavailable = new(intstr.FromInt32(3)) },
		Expect: []evidence.Expectation{
			verdict.LostWhileNoneServes(evidence.Refused).Since("1.37"),
			verdict.MinOutage(startup - apart - loadgen.DefaultTimeout).Scaled().On(evidence.Fresh).Since("1.37"),
		},
	})
}

// Names of the facts about a StatefulSet's update.
const (
	replaced       = "pods replaced"           // in the order of their deletion
	together       = "most pods not available" // at the same time
	kubectlSays    = "rollout status"
	oldLeft        = "old pods left"
	maxUnavailable = "maxUnavailable as the API server keeps it"
	revisionDone   = "current revision is the update's"
)

// statefulSets: pods are replaced from the last to the first, one at a time, each when the one before is available (Kubernetes
// v1.36.3, pkg/controller/statefulset/stateful_set_control.go). A partition ends that early, by design, and kubectl reports success
// for it too. If pods are replaced by hand, kubectl cannot tell. An API server whose feature gate is off drops maxUnavailable
// (KEP-961): on since 1.35.0, off from 1.35.4 on for what it broke (kubernetes/kubernetes issue 137409: with podManagementPolicy
// Parallel, which is not used here, the rollout stands still), on again since 1.37.
func statefulSets() []harness.Scenario {
	rolling := func(how appsv1.RollingUpdateStatefulSetStrategy) appsv1.StatefulSetUpdateStrategy {
		return appsv1.StatefulSetUpdateStrategy{Type: appsv1.RollingUpdateStatefulSetStrategyType, RollingUpdate: &how}
	}
	return []harness.Scenario{
		replacedSet("stateful-sets-ordered", "a StatefulSet replaces its pods from the last to the first, one at a time",
			appsv1.StatefulSetUpdateStrategy{}, 0,
			verdict.Fact(replaced, "echo-2 echo-1 echo-0"), verdict.Fact(together, "1"),
			verdict.MinAvailable(2), verdict.Fact(oldLeft, "0"),
			verdict.Fact(kubectlSays, "partitioned roll out complete: 3 new pods have been updated..."), verdict.Fact(revisionDone, "true")),
		replacedSet("stateful-sets-partitioned", "a partition of 2 replaces one of three pods, and rollout status calls that complete",
			rolling(appsv1.RollingUpdateStatefulSetStrategy{Partition: new(int32(2))}), 2,
			verdict.Fact(replaced, "echo-2"), verdict.Fact(oldLeft, "2"),
			verdict.Fact(kubectlSays, "partitioned roll out complete: 1 new pods have been updated...").Decides("C7.status"),
			verdict.Fact(revisionDone, "false")),
		replacedSet("stateful-sets-by-hand", "rollout status refuses a StatefulSet whose pods are replaced by hand (updateStrategy OnDelete)",
			appsv1.StatefulSetUpdateStrategy{Type: appsv1.OnDeleteStatefulSetStrategyType}, 3,
			verdict.Fact(replaced, ""), verdict.Fact(oldLeft, "3"),
			verdict.Fact(kubectlSays, "rollout status is only available for RollingUpdate strategy type").Decides("C7.status"),
			verdict.Fact(revisionDone, "false")),
		replacedSet("stateful-sets-unavailable",
			"a StatefulSet that allows 2 pods to be missing replaces 2 at a time where the API server knows the field",
			rolling(appsv1.RollingUpdateStatefulSetStrategy{MaxUnavailable: new(intstr.FromInt32(2))}), 0,
			verdict.Fact(maxUnavailable, "2").Before("1.35.4").Since("1.35"),
			verdict.Fact(together, "2").Before("1.35.4").Since("1.35"),
			verdict.Fact(maxUnavailable, "none").Before("1.37").Since("1.35.4"),
			verdict.Fact(together, "1").Before("1.37").Since("1.35.4"),
			verdict.Fact(maxUnavailable, "2").Since("1.37"),
			verdict.Fact(together, "2").Since("1.37")),
	}
}

// replacedSet returns a scenario with an update of a StatefulSet of three pods that leaves so many old ones.
func replacedSet(id, claim string, strategy appsv1.StatefulSetUpdateStrategy, old int, expect ...evidence.Expectation) harness.Scenario {
	app := fixtures.App{Replicas: 3, MinReady: 2 * time.Second, OnTerm: fixtures.Drain}
	return harness.Scenario{ID: id, Claim: claim, App: app, Expect: expect,
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) { replaceSet(ctx, steps, app, strategy, old) }}}
}

// replaceSet updates the app as a StatefulSet and notes what became of its pods until the given number of old ones is left, and the
// others are replaced.
func replaceSet(ctx context.Context, steps *harness.Steps, app fixtures.App, strategy appsv1.StatefulSetUpdateStrategy, old int) {
	sets := steps.Client.AppsV1().StatefulSets(steps.Namespace)
	set := app.StatefulSet(steps.Into, "v1")
	set.Spec.UpdateStrategy = strategy
	set = harness.Must(sets.Create(ctx, set, metav1.CreateOptions{}))
	steps.Note(maxUnavailable, "none")
	if rolling := set.Spec.UpdateStrategy.RollingUpdate; rolling != nil && rolling.MaxUnavailable != nil {
		steps.Note(maxUnavailable, rolling.MaxUnavailable.String())
	}
	update := rollout.UpdateStatefulSet("v1", "v2")
	steps.Until(ctx, func(s observe.State) bool { return update.Deployed(s, app) })
	steps.Mark(evidence.RolloutBegun)
	harness.Check(update.Begin(ctx, steps.Client, steps.Into, app))
	var order []string
	most, left := 0, 0
	var live *appsv1.StatefulSet
	// An update without a partition passes through the state in which one with a partition ends: only if the state lasts is it the
	// end.
	steps.Steadily(ctx, 3*app.MinReady, func(s observe.State) bool {
		for _, p := range s.Pods {
			if p.Deleting && !slices.Contains(order, p.Pod) {
				order = append(order, p.Pod)
			}
		}
		most = max(most, int(app.Replicas)-s.Available("v1")-s.Available("v2"))
		live, left = s.StatefulSets[set.Name], s.Count("v1")
		return live.Status.ObservedGeneration >= 2 && left == old && s.Available("v1") == old && s.Available("v2") == int(app.Replicas)-old &&
			live.Status.ReadyReplicas == app.Replicas && live.Status.UpdatedReplicas == app.Replicas-int32(old)
	})
	steps.Mark(evidence.OldGone)
	steps.Note(replaced, strings.Join(order, " "))
	steps.Note(together, most)
	steps.Note(oldLeft, left)
	said, _, err := rollout.Status(live, 0)
	if err != nil {
		said = err.Error()
	}
	steps.Note(kubectlSays, strings.TrimSpace(said))
	steps.Note(revisionDone, live.Status.CurrentRevision == live.Status.UpdateRevision)
}
