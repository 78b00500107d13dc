package termination

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// graces: the grace period begins with the deletion and includes the hook. The time between SIGTERM and SIGKILL is what the hook
// leaves of it, and at least 2 s (Kubernetes v1.36.3, pkg/kubelet/kuberuntime/kuberuntime_container.go, killContainer).
func graces() []harness.Scenario {
	const hook, grace, floor = 6 * time.Second, 14 * time.Second, 2 * time.Second
	// A process that is killed has logged every 0.1 s that it is alive, which its node may write late. Between the hook's end and the
	// stop the kubelet calls the runtime, and the runtime's timer begins before the app gets SIGTERM.
	const lastWord, begin = 300 * time.Millisecond, time.Second
	stubborn := fixtures.App{PreStopSleep: hook, Grace: grace, OnTerm: fixtures.Ignore}
	filled, outlasted := stubborn, stubborn
	filled.Grace = hook
	outlasted.PreStopSleep, outlasted.PreStop, outlasted.Grace = 0, fixtures.HookExec("/echo", "sleep", "60s"), hook

	const failed, succeeded = "Failed", "Succeeded"
	// ended returns a scenario whose pod gets SIGTERM so long after its deletion, and is gone so long after that.
	ended := func(id, claim string, e ending, sigterm, gone time.Duration, code, phase string) harness.Scenario {
		return e.scenario(id, claim,
			after(evidence.PodDeleting, evidence.PodSigterm, sigterm).Decides("C34"),
			after(evidence.PodSigterm, evidence.PodGone, gone),
			verdict.Fact(exitCode, code),
			verdict.Fact(lastPhase, phase),
		)
	}
	killed := func(id, claim string, e ending, sigterm, gone time.Duration) harness.Scenario {
		s := ended(id, claim, e, sigterm, gone, "137", failed)
		s.Expect = append(s.Expect, verdict.Between(evidence.PodSigterm, evidence.PodKilled, gone-lastWord, gone+begin).Decides("C34"))
		return s
	}
	return []harness.Scenario{
		killed("grace-ignored", "an app that ignores SIGTERM, which comes after the hook, is killed when terminationGracePeriodSeconds is over",
			ending{app: stubborn}, hook, grace-hook),
		killed("grace-filled", "a hook as long as the grace leaves 2 s between SIGTERM and SIGKILL", ending{app: filled}, hook, floor),
		killed("grace-outlasted", "a hook longer than the grace is given up when the grace is over, and SIGKILL comes 2 s after SIGTERM",
			ending{app: outlasted}, hook, floor),
		killed("grace-shortened", "a deletion with a grace of 1 s gives the hook up after 1 s, and SIGKILL comes 2 s later",
			ending{app: stubborn, delete: metav1.DeleteOptions{GracePeriodSeconds: new(int64(1))}}, time.Second, floor),
		ended("grace-unused", "a pod without a hook gets SIGTERM at once, and has failed when its app exits with 143",
			ending{app: fixtures.App{Grace: grace, OnTerm: fixtures.Exit}}, 0, 0, "143", failed),
		ended("grace-drained", "a pod without a hook gets SIGTERM at once, and has succeeded when its app exits with 0",
			ending{app: fixtures.App{Grace: grace, OnTerm: fixtures.Drain}}, 0, 0, "0", succeeded),
		removalByForce(),
	}
}

// removalByForce: the API server first writes a deletionTimestamp with a grace period of 0 s and then deletes the object, within 10
// ms. The kubelet sees the first and makes it 1 s (pkg/kubelet/pod_workers.go, calculateEffectiveGracePeriod), so that the hook
// starts and is given up after 1 s; then the app has 2 s, while the API no longer shows the pod.
func removalByForce() harness.Scenario {
	const linger = time.Second
	forced := ending{
		app:    fixtures.App{PreStopSleep: 10 * time.Second, Linger: linger, OnTerm: fixtures.Drain},
		delete: metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))},
	}
	return forced.scenario("grace-denied",
		"a pod deleted by force is out of the API at once, while its hook runs on for 1 s and its app until it exits",
		verdict.Fact(podEvents, "MODIFIED deletionTimestamp, DELETED"),
		verdict.Fact(lastPhase, "Running"),
		verdict.Between(evidence.PodDeleting, evidence.PodGone, -100*time.Millisecond, time.Second), // in this order: see the events
		verdict.Between(evidence.PodGone, evidence.PodSigterm, 900*time.Millisecond, 3*time.Second).Decides("C34"),
		verdict.Between(evidence.PodSigterm, evidence.PodExited, linger, 2*time.Second),
	)
}
