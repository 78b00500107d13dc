package termination

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/verdict"
)

// An ending is a scenario without load: one pod, the only one behind its Service, serves and is deleted, and everything that the
// API shows of it from then on is noted until nothing is left.
type ending struct {
	app    fixtures.App
	delete metav1.DeleteOptions
	change func(*corev1.Service, *corev1.Pod) // changes what the app has by default; may be nil
	fails  int                                // how often its hook is to be reported as failed
}

// Names of the facts that an ending notes.
const (
	podEvents   = "events of the pod"      // types of watch events from the deletion on, with what was new
	conditions  = "endpoint's conditions"  // ready, serving and terminating, T or F each, in the order seen; then gone
	lastPhase   = "last phase"             // of the pod
	exitCode    = "exit code"              // of the container, by the kubelet
	failedHooks = "hooks reported to fail" // a count
)

func (e ending) scenario(id, claim string, expect ...evidence.Expectation) harness.Scenario {
	return harness.Scenario{ID: id, Claim: claim, App: e.app, Kind: harness.InSteps{Do: e.run}, Expect: expect}
}

func (e ending) run(ctx context.Context, steps *harness.Steps) {
	template := e.app.Deployment(steps.Into, "v1").Spec.Template
	service := e.app.Service(steps.Into, 0)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: service.Name, Labels: template.Labels}, Spec: template.Spec}
	if e.change != nil {
		e.change(service, pod)
	}
	core, discovery := steps.Client.CoreV1(), steps.Client.DiscoveryV1()
	harness.Must(core.Services(steps.Namespace).Create(ctx, service, metav1.CreateOptions{}))
	harness.Must(core.Pods(steps.Namespace).Create(ctx, pod, metav1.CreateOptions{}))
	steps.Steadily(ctx, steadily, func(s observe.State) bool {
		return s.Available("v1") == 1 && slices.ContainsFunc(s.Endpoints, func(e observe.EndpointState) bool { return e.Ready })
	})
	pods := harness.Must(core.Pods(steps.Namespace).Watch(ctx, metav1.ListOptions{}))
	defer pods.Stop()
	endpoints := harness.Must(discovery.EndpointSlices(steps.Namespace).Watch(ctx, metav1.ListOptions{}))
	defer endpoints.Stop()
	harness.Check(core.Pods(steps.Namespace).Delete(ctx, pod.Name, e.delete))
	changes, last := podChanges(ctx, pods)
	steps.Note(podEvents, strings.Join(changes, ", "))
	steps.Note(conditions, strings.Join(endpointChanges(ctx, endpoints), " "))
	steps.Note(lastPhase, last.Status.Phase)
	for _, c := range last.Status.ContainerStatuses {
		if c.State.Terminated != nil {
			steps.Note(exitCode, c.State.Terminated.ExitCode)
		}
	}
	reported, since := 0, time.Now()
	harness.Check(poll.Until(ctx, 200*time.Millisecond, func() (bool, error) {
		reported = len(steps.Events(ctx, last, "FailedPreStopHook"))
		return reported >= e.fails || time.Since(since) > eventDelay, nil
	}))
	steps.Note(failedHooks, reported)
}

// eventDelay is longer than a kubelet takes to write an Event. It does so in the background, and the pod may be gone before. Our own
// choice.
const eventDelay = 15 * time.Second

// steadily is how long an endpoint has to be ready before its pod is deleted. The kubelet may show a pod that has just become ready
// as not ready once more, for 0.1 to 0.3 s: that does not belong to its end.
const steadily = 2 * time.Second

// podChanges returns the types of a pod's watch events until it is gone, with what was new in each, and the pod's last state.
func podChanges(ctx context.Context, from watch.Interface) (changes []string, last *corev1.Pod) {
	for kind, pod := range harness.Changes[*corev1.Pod](ctx, from) {
		was := last
		switch last = pod; {
		case kind == watch.Deleted:
			return append(changes, string(kind)), last
		case was == nil || pod.DeletionTimestamp == nil:
		case was.DeletionTimestamp == nil:
			changes = append(changes, fmt.Sprint(kind, " deletionTimestamp"))
		case was.Status.Phase != pod.Status.Phase:
			changes = append(changes, fmt.Sprint(kind, " phase ", pod.Status.Phase))
		}
	}
	return changes, last
}

// endpointChanges returns the conditions of the only endpoint until it is gone.
func endpointChanges(ctx context.Context, from watch.Interface) (changes []string) {
	const gone = "gone"
	for kind, slice := range harness.Changes[*discoveryv1.EndpointSlice](ctx, from) {
		now := gone
		for _, e := range slice.Endpoints {
			now = ""
			for _, condition := range []*bool{e.Conditions.Ready, e.Conditions.Serving, e.Conditions.Terminating} {
				now += strings.ToUpper(fmt.Sprint(ptr.Deref(condition, false))[:1])
			}
		}
		if kind == watch.Deleted {
			now = gone
		}
		if changes = append(changes, now); now == gone {
			break
		}
	}
	return slices.Compact(changes)
}

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

// endpoints: what the EndpointSlice says of a pod from its deletion on (endpointslice v0.36.3, utils.go, podToEndpoint). It is the
// Service's last endpoint: kube-proxy still uses it while it is serving, though not ready (KEP-1669). Whether it is seen as not
// serving between the end of its process and its own end depends on whether a readiness probe falls in between.
func endpoints() []harness.Scenario {
	app := fixtures.App{PreStopSleep: 3 * time.Second, Linger: 5 * time.Second, OnTerm: fixtures.Drain}
	failing := app
	failing.FailReadinessOnTerm = true

	listed := app
	listed.Linger = 0

	left := verdict.Between(evidence.PodDeleting, evidence.EndpointNotReady, -time.Second, 2*time.Second).Decides("C36")
	said := func(either ...string) evidence.Expectation { return verdict.Fact(conditions, either...).Decides("C36") }
	return []harness.Scenario{
		ending{app: app}.scenario("endpoint-serving",
			"the last endpoint of a Service stops being ready when its pod is deleted, and is serving until its pod ends",
			left,
			verdict.Fact(podEvents, "MODIFIED deletionTimestamp, MODIFIED phase Succeeded, DELETED").Decides("C35"),
			verdict.Between(evidence.PodExited, evidence.PodUnready, 0, 4*time.Second),
			said("TTF FTT gone", "TTF FTT FFT gone")),
		ending{app: failing}.scenario("endpoint-failing-readiness",
			"the last endpoint of a Service stops serving, while its pod runs on, when its app fails its readiness on SIGTERM",
			left,
			verdict.Between(evidence.PodSigterm, evidence.PodUnready, 0, 4*time.Second),
			verdict.Between(evidence.PodUnready, evidence.PodExited, time.Second, 5*time.Second),
			said("TTF FTT FFT gone")),
		ending{app: listed, change: published}.scenario("endpoint-published",
			"an endpoint of a Service that publishes pods that are not ready is ready until its pod ends",
			verdict.Between(evidence.PodExited, evidence.EndpointNotReady, 0, 4*time.Second),
			said("TTF TTT gone", "TTF TTT TFT gone")),
	}
}

func published(service *corev1.Service, _ *corev1.Pod) { service.Spec.PublishNotReadyAddresses = true }
