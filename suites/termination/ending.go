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
