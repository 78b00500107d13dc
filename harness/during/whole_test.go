package during

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"

	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/standstill"
)

func TestWhenAClusterIsWhole(t *testing.T) {
	cordoned := func(n *corev1.Node) { n.Spec.Unschedulable = true }
	unready := func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown }
	node := func(name string, edits ...func(*corev1.Node)) runtime.Object {
		n := readyNode(name)
		for _, edit := range edits {
			edit(n)
		}
		return n
	}
	for _, row := range []struct {
		sentence      string
		before, after []runtime.Object
		silent        bool // the API server does not answer
		lacks         string
	}{
		{"every node takes pods", []runtime.Object{node("a")}, []runtime.Object{node("a")}, false, ""},
		{"a node is still cordoned", []runtime.Object{node("a")}, []runtime.Object{node("a", cordoned)}, false, "node a is cordoned"},
		{"a node did not come back", []runtime.Object{node("a")}, []runtime.Object{node("a", unready)}, false, "node a is not ready"},
		{"a node was cordoned before", []runtime.Object{node("a", cordoned)}, []runtime.Object{node("a", cordoned)}, false, ""},
		{"a node was replaced", []runtime.Object{node("a")}, []runtime.Object{node("b")}, false, ""},
		{"a new node is not ready yet", []runtime.Object{node("a")}, []runtime.Object{node("a"), node("b", unready)}, false,
			"node b is not ready"},
		{"the API server is away", []runtime.Object{node("a")}, []runtime.Object{node("a")}, true, "the API server does not answer"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				before := standstill.Unfit(observe.Follow(t.Context(), fake.NewClientset(row.before...), "n").Nodes())
				client := fake.NewClientset(row.after...)
				if row.silent {
					client.PrependReactor("list", "nodes", func(k8stesting.Action) (bool, runtime.Object, error) {
						return true, nil, errors.New("connection refused")
					})
				}
				var said []string
				w := wholeness{client: client, seen: observe.Follow(t.Context(), fake.NewClientset(row.after...), "n"), before: before,
					say: func(line string) { said = append(said, line) }}
				err := w.await(t.Context(), 59*time.Second, accepted)
				if row.lacks == "" {
					if err != nil || len(said) > 0 {
						t.Errorf("error %v, said %q", err, said)
					}
					return
				}
				if !errors.Is(err, observe.ErrNeverSettled) || !strings.HasPrefix(err.Error(), row.lacks+" after 59s: ") {
					t.Errorf("error %v, want that %s", err, row.lacks)
				}
				first, last := "waiting until the cluster is whole: "+row.lacks+"; 59s left", "not waiting any longer: "+row.lacks+" after 59s"
				if len(said) != 5 || said[0] != first || said[4] != last {
					t.Errorf("said %q", said)
				}
			})
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	client := fake.NewClientset(node("a", unready))
	w := wholeness{client: client, seen: observe.Follow(t.Context(), client, "n"), say: func(string) {}}
	if err := w.await(ctx, time.Minute, accepted); !errors.Is(err, context.Canceled) || errors.Is(err, observe.ErrNeverSettled) {
		t.Errorf("torn down meanwhile: %v", err)
	}
}

// A node that just lost its power is still ready in the API. It only shows in a lease that is not renewed.
func TestNodesAreHeardOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: corev1.NamespaceNodeLease, Name: "a", ResourceVersion: "1"}}
		client := fake.NewClientset(readyNode("a"), lease)
		var said []string
		w := wholeness{client: client, seen: observe.Follow(t.Context(), client, "n"), say: func(line string) { said = append(said, line) }}
		w.leases = w.versionsOfLeases(t.Context())
		const down = 9 * time.Second
		time.AfterFunc(down, func() {
			renewed := lease.DeepCopy()
			renewed.ResourceVersion = "2"
			if _, err := client.CoordinationV1().Leases(lease.Namespace).Update(t.Context(), renewed, metav1.UpdateOptions{}); err != nil {
				t.Error(err)
			}
		})
		began := time.Now()
		if err := w.await(t.Context(), time.Minute, accepted); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took < down || took > down+lookEvery {
			t.Errorf("whole after %v, want %v", took, down)
		}
		if want := "waiting until the cluster is whole: node a has not renewed its lease; 1m0s left"; len(said) != 1 || said[0] != want {
			t.Errorf("said %q", said)
		}
		again := time.Now() // as after a rollout that took longer than a renewal
		if err := w.await(t.Context(), time.Minute, accepted); err != nil || time.Since(again) > 0 {
			t.Errorf("waited for %v more, %v", time.Since(again), err)
		}
	})
}
