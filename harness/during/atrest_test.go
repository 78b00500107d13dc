package during

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	k8stesting "k8s.io/client-go/testing"

	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/userapp"
)

// requests counts requests to the API server, by verb and resource.
type requests struct {
	mu     sync.Mutex
	counts map[string]int
}

func (r *requests) count(a k8stesting.Action) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.counts == nil {
		r.counts = map[string]int{}
	}
	r.counts[a.GetVerb()+" "+a.GetResource().Resource]++
}

// since returns the requests since the last call.
func (r *requests) since() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer func() { r.counts = nil }()
	return r.counts
}

func (r *requests) countOf(fake *k8stesting.Fake) {
	fake.PrependReactor("*", "*", func(a k8stesting.Action) (bool, runtime.Object, error) { r.count(a); return false, nil, nil })
	fake.PrependWatchReactor("*", func(a k8stesting.Action) (bool, watch.Interface, error) { r.count(a); return false, nil, nil })
}

// update changes an object behind the API server.
func update(client *fake.Clientset, object runtime.Object) error {
	kinds, _, err := scheme.Scheme.ObjectKinds(object)
	if err != nil {
		return err
	}
	resource, _ := meta.UnsafeGuessKindToResource(kinds[0])
	return client.Tracker().Update(resource, object, object.(metav1.Object).GetNamespace())
}

// Whatever a recording waits for, the API server gets the requests of its heartbeat, and at most one list in 10 minutes.
func TestRequestsAtRest(t *testing.T) {
	const rest, replicas = 10 * time.Minute, 5000
	web := labels.Set{"app": "web"}
	pod := func(n int, ready corev1.ConditionStatus) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: fmt.Sprintf("web-%d", n), Labels: web},
			Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: ready}}}}
	}
	deployment := func(updated int32) *appsv1.Deployment {
		return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"},
			Spec:   appsv1.DeploymentSpec{Replicas: new(int32(replicas))},
			Status: appsv1.DeploymentStatus{Replicas: replicas, UpdatedReplicas: updated, AvailableReplicas: replicas}}
	}
	cordoned := readyNode("a")
	cordoned.Spec.Unschedulable = true
	do := func(ctx context.Context, m *maintenance, s disruption.Stage) { _ = m.do(ctx, s) }
	for _, row := range []struct {
		sentence string
		edit     func(*maintenance)
		wait     func(context.Context, *maintenance, disruption.Stage)
		changed  runtime.Object // by the maintenance; nil: nothing is
	}{
		{"the maintenance goes on", func(*maintenance) {}, do, nil},
		{"its --for is not over", func(m *maintenance) { m.command, m.lasts = []string{"true"}, 2*rest }, do, nil},
		{"its --until does not succeed", func(m *maintenance) { m.command, m.until = []string{"true"}, "false" }, do, nil},
		{"a pod does not get ready", func(*maintenance) {}, do, pod(7, corev1.ConditionFalse)},
		{"a rollout goes on", func(*maintenance) {}, do, deployment(1)},
		{"a node stays cordoned", func(m *maintenance) { m.app = nil }, func(ctx context.Context, m *maintenance, s disruption.Stage) {
			_ = m.do(ctx, s)
			_ = m.awaitWhole(ctx, s)
		}, cordoned},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				there := []runtime.Object{readyNode("a"), deployment(replicas)}
				for n := range replicas {
					there = append(there, pod(n, corev1.ConditionTrue))
				}
				client, asked := fake.NewClientset(there...), &requests{}
				asIs, changes := row.changed.(*appsv1.Deployment)
				if !changes {
					asIs = deployment(replicas)
				}
				generic := dynamicfake.NewSimpleDynamicClient(scheme.Scheme, asIs)
				asked.countOf(&client.Fake)
				asked.countOf(&generic.Fake)
				selector := labels.SelectorFromSet(web)
				watch, err := observe.Start(t.Context(), client, observe.Scope{Namespace: "n", Service: "web", NoLogs: true,
					Existing: &observe.App{Namespace: "shop", Selector: selector}}, time.Now(), &sink{})
				if err != nil {
					t.Fatal(err)
				}
				ctx, interrupts, stop := watchInterrupts(t.Context(), nil, nil)
				m := &maintenance{settings: settings{service: &userapp.ServiceName{}, deadline: 2 * rest}, folder: t.TempDir(),
					screen:     &screen{terminal: io.Discard, errors: io.Discard, log: io.Discard},
					server:     &server{end: make(chan struct{})},
					cluster:    fakeCluster{client: client},
					interrupts: interrupts}
				m.app = &userApp{client: client, namespace: "shop", selector: selector, workloads: []workload{{
					generic.Resource(appsv1.SchemeGroupVersion.WithResource("deployments")).Namespace("shop"), "Deployment", "web"}}}
				row.edit(m)
				if row.changed != nil {
					m.change = &Change{Do: func(context.Context) error {
						defer synctest.Wait() // until it is seen
						return update(client, row.changed)
					}}
				}
				synctest.Wait() // until all watches are open, which informers do after they have listed
				asked.since()
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					row.wait(ctx, m, disruption.Stage{Note: watch.Note, Expired: watch.Expired, Seen: watch.Objects()})
				}()
				time.Sleep(rest - time.Second) // after which waits end
				select {
				case <-ended:
					t.Error("it waits for nothing")
				default:
				}
				got, lists := asked.since(), 0
				for _, what := range slices.Sorted(maps.Keys(got)) {
					switch verb, _, _ := strings.Cut(what, " "); {
					case verb == "list":
						lists += got[what]
					case what == "get namespaces" && got[what] <= int(rest/time.Second):
					case (what == "get deployments" || what == "get services") && got[what] == 1: // as the app is before anything changes
					default:
						t.Errorf("%d times %s", got[what], what)
					}
				}
				if lists > 1 {
					t.Errorf("%d lists: %v", lists, got)
				}
				stop()
				<-ended
				watch.Stop(t.Context())
			})
		})
	}
}
