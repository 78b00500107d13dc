package record

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
)

// noted keeps the events that a watch notes.
type noted struct {
	mu     sync.Mutex
	events []evidence.Event
}

func (n *noted) Event(e evidence.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.events = append(n.events, e)
}

func (n *noted) Arrivals(...evidence.Arrival) {}
func (n *noted) Flows(...evidence.Flow)       {}

func (n *noted) of(kind evidence.EventKind) (found []evidence.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, e := range n.events {
		if e.Kind == kind {
			e.At = 0
			found = append(found, e)
		}
	}
	return found
}

// A rollout that cannot end because a pod with another version is behind the Service is awaited only until that pod is seen.
func TestAStrayPodEndsTheWait(t *testing.T) {
	named := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: "n", Name: name} }
	service := &corev1.Service{ObjectMeta: named("echo"), Spec: corev1.ServiceSpec{Selector: map[string]string{"app": "echo"}}}
	client, sink := fake.NewClientset(service), &noted{}
	scope := observe.Scope{Namespace: "n", Service: "echo", VersionLabel: "version", NoLogs: true}
	watch, err := observe.Start(t.Context(), client, scope, time.Now(), sink)
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop(context.WithoutCancel(t.Context()))
	pod := &corev1.Pod{ObjectMeta: named("guest"), Spec: corev1.PodSpec{NodeName: "worker"}}
	pod.Labels = map[string]string{"app": "echo", "version": "v3"}
	slice := &discoveryv1.EndpointSlice{ObjectMeta: named("echo-1"), Endpoints: []discoveryv1.Endpoint{
		{TargetRef: &corev1.ObjectReference{Kind: "Pod", Name: "guest"}},
	}}
	slice.Labels = map[string]string{discoveryv1.LabelServiceName: "echo"}

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s := strays{watch, client.CoreV1().Services("n"), "echo", []string{"v1", "v2"}}
	ended := false
	err = unlessStray(ctx, s.await, func(ctx context.Context) error {
		if _, err := client.CoreV1().Pods("n").Create(ctx, pod, metav1.CreateOptions{}); err != nil {
			return err
		}
		if _, err := client.DiscoveryV1().EndpointSlices("n").Create(ctx, slice, metav1.CreateOptions{}); err != nil {
			return err
		}
		return watch.Until(ctx, func(observe.State) bool { return false })
	}, func(ctx context.Context) error { ended = true; return ctx.Err() })
	const why = "its labels match the Service's selector app=echo"
	if want := "pod guest is not part of the rollout but was behind the Service, so the end of the rollout was not awaited: " + why +
		"; it is in EndpointSlice echo-1"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if r := reasonOf(err); r.ID != evidence.StrayEndpoint || !r.Scope.Everything() {
		t.Errorf("reason %+v", r)
	}
	if !ended {
		t.Error("the load was not ended")
	}
	want := []evidence.Event{{Kind: evidence.StrayPod, By: evidence.Server{Version: "v3", Pod: "guest", Node: "worker"}, Object: "echo-1",
		Detail: why}}
	if diff := cmp.Diff(want, sink.of(evidence.StrayPod)); diff != "" {
		t.Errorf("noted (-want +got):\n%s", diff)
	}
}

func TestHowAChangeUnderLoadEnds(t *testing.T) {
	failure := errors.New("the API is away")
	none := func(ctx context.Context) error { <-ctx.Done(); return nil }
	for _, row := range []struct {
		sentence string
		change   error
		steps    []string
		want     error
	}{
		{"after a change that is done, the load ends", nil, []string{"change", "end"}, nil},
		{"after a change that did not end in time too", observe.ErrNeverSettled, []string{"change", "end"}, observe.ErrNeverSettled},
		{"after a change that failed, the clean-up ends the load", failure, []string{"change"}, failure},
	} {
		var steps []string
		step := func(name string, err error) func(context.Context) error {
			return func(context.Context) error { steps = append(steps, name); return err }
		}
		err := unlessStray(t.Context(), none, step("change", row.change), step("end", nil))
		if !slices.Equal(steps, row.steps) || !errors.Is(err, row.want) {
			t.Errorf("%s: %s, %v", row.sentence, steps, err)
		}
	}
}
