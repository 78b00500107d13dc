package termination

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/poll"
)

// An ending is a scenario without load: one pod, the only one behind its Service, is deleted when it serves, and all that the API shows
// of it from then on is noted until nothing is left.
type ending struct {
	app    fixtures.App
	delete metav1.DeleteOptions
	change func(*corev1.Service, *corev1.Pod) // nil: they are as the app has them
	fails  int                                // times that its hook is to be reported to fail
}

// Names of the facts that an ending notes.
const (
	podEvents   = "events of the pod"      // types of watch events and what was new, from the deletion on
	conditions  = "endpoint's conditions"  // ready, serving and terminating, T or F each, in the order seen; then gone
	lastPhase   = "last phase"             // of the pod
	exitCode    = "exit code"              // of the container, by the kubelet
	failedHooks = "hooks reported to fail" // a count
)

func (e ending) scenario(id, claim string, expect ...evidence.Expectation) harness.Scenario {
	return harness.Scenario{ID: id, Claim: claim, App: e.app, Steps: e.run, Expect: expect}
}

func (e ending) run(ctx context.Context, steps *harness.Steps) {
	template := e.app.Deployment(steps.Into, "v1").Spec.Template
	service := e.app.Service(steps.Namespace, 0)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: service.Name, Labels: template.Labels}, Spec: template.Spec}
	if e.change != nil {
		e.change(service, pod)
	}
	core, discovery := steps.Client.CoreV1(), steps.Client.DiscoveryV1()
	harness.Must(core.Services(steps.Namespace).Create(ctx, service, metav1.CreateOptions{}))
	harness.Must(core.Pods(steps.Namespace).Create(ctx, pod, metav1.CreateOptions{}))
	pods := harness.Must(core.Pods(steps.Namespace).Watch(ctx, metav1.ListOptions{}))
	defer pods.Stop()
	endpoints := harness.Must(discovery.EndpointSlices(steps.Namespace).Watch(ctx, metav1.ListOptions{}))
	defer endpoints.Stop()

	var seen traces
	steady := time.NewTimer(steadily)
	defer steady.Stop()
	for !seen.over() {
		select {
		case event, open := <-pods.ResultChan():
			if !open || !seen.podEvent(event) {
				harness.Check(errBlind)
			}
		case event, open := <-endpoints.ResultChan():
			if !open || !seen.sliceEvent(event) {
				harness.Check(errBlind)
			}
			if !seen.asked {
				steady.Reset(steadily)
			}
		case <-steady.C:
			if seen.asked || !seen.serving() {
				continue // the next change of the endpoint sets it again
			}
			seen.asked = true
			harness.Check(core.Pods(steps.Namespace).Delete(ctx, pod.Name, e.delete))
		case <-ctx.Done():
			harness.Check(context.Cause(ctx))
		}
	}
	steps.Note(podEvents, strings.Join(seen.changes, ", "))
	steps.Note(conditions, strings.Join(seen.conditions, " "))
	steps.Note(lastPhase, seen.pod.Status.Phase)
	for _, c := range seen.pod.Status.ContainerStatuses {
		if c.State.Terminated != nil {
			steps.Note(exitCode, c.State.Terminated.ExitCode)
		}
	}
	reported, since := 0, time.Now()
	harness.Check(poll.Until(ctx, 200*time.Millisecond, func() (bool, error) {
		reported = len(steps.Events(ctx, seen.pod, "FailedPreStopHook"))
		return reported >= e.fails || time.Since(since) > told, nil
	}))
	steps.Note(failedHooks, reported)
}

// told is longer than a kubelet takes to write an Event, which it does on the side: the pod may be gone before. Our own choice.
const told = 15 * time.Second

// steadily is for how long an endpoint has to be as it is before its pod is deleted. The kubelet may show a pod that has
// just got ready as not ready once more, for 0.1 to 0.3 s: that is no part of its end.
const steadily = 2 * time.Second

var errBlind = errors.New("a watch of the steps' own ended")

// Traces are what the API has shown of the pod of an ending, and of its endpoint: what it was when the deletion was asked
// for, and since.
type traces struct {
	asked      bool // the deletion
	pod        *corev1.Pod
	changes    []string
	conditions []string
}

const gone = "gone"

func (t *traces) serving() bool { return len(t.conditions) > 0 }

func (t *traces) over() bool {
	return t.serving() && t.conditions[len(t.conditions)-1] == gone && t.changes != nil && t.changes[len(t.changes)-1] == string(watch.Deleted)
}

// podEvent reports whether the event tells of a pod.
func (t *traces) podEvent(event watch.Event) bool {
	pod, ok := event.Object.(*corev1.Pod)
	if !ok {
		return false
	}
	was := t.pod
	t.pod = pod
	switch {
	case event.Type == watch.Deleted:
		t.changes = append(t.changes, string(event.Type))
	case pod.DeletionTimestamp == nil:
	case was.DeletionTimestamp == nil:
		t.changes = append(t.changes, fmt.Sprint(event.Type, " deletionTimestamp"))
	case was.Status.Phase != pod.Status.Phase:
		t.changes = append(t.changes, fmt.Sprint(event.Type, " phase ", pod.Status.Phase))
	}
	return true
}

// sliceEvent reports whether the event tells of a slice.
func (t *traces) sliceEvent(event watch.Event) bool {
	slice, ok := event.Object.(*discoveryv1.EndpointSlice)
	if !ok {
		return false
	}
	if event.Type == watch.Deleted {
		slice.Endpoints = nil
	}
	now := gone
	for _, e := range slice.Endpoints {
		now = ""
		for _, condition := range []*bool{e.Conditions.Ready, e.Conditions.Serving, e.Conditions.Terminating} {
			now += strings.ToUpper(fmt.Sprint(ptr.Deref(condition, false))[:1])
		}
	}
	switch n := len(t.conditions); {
	case !t.asked && !strings.HasSuffix(now, "TF"): // it does not serve yet, or once more not
		t.conditions = nil
	case !t.asked:
		t.conditions = []string{now}
	case n == 0 || t.conditions[n-1] != now:
		t.conditions = append(t.conditions, now)
	}
	return true
}
