package namespace

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	k8stesting "k8s.io/client-go/testing"

	"example.com/rollcall/fixtures"
)

// A controller may create one more pod after the first deletion.
func TestCleanupDeletesPodsUntilNoneIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newFake(t, &corev1.Pod{ObjectMeta: ours("a", "first", "run", 0)})
		deletions := 0
		client.PrependReactor("delete-collection", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
			if deletions++; deletions == 1 {
				return false, nil, client.Tracker().Add(&corev1.Pod{ObjectMeta: ours("a", "late", "run", 0)})
			}
			return false, nil, nil
		})
		late := true
		client.PrependReactor("list", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
			if late { // the list right after the first deletion
				late = false
				return false, nil, client.Tracker().Add(&corev1.Pod{ObjectMeta: ours("a", "later", "run", 0)})
			}
			return false, nil, nil
		})
		if err := (Lease{Name: "a"}).Cleanup(t.Context(), client, false); err != nil {
			t.Fatal(err)
		}
		if left := pods(t, client); len(left) > 0 || deletions < 2 {
			t.Errorf("%v are left after %d deletions", left, deletions)
		}
	})
}

// DaemonSets are deleted before their pods, in the namespace and in that of the observers.
func TestCleanupDeletesDaemonSetsBeforePods(t *testing.T) {
	for _, preassigned := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			client := newFake(t, &corev1.Pod{ObjectMeta: ours("a", "agent", "run", 0)},
				&corev1.Pod{ObjectMeta: ours("a-rules", "observer", "run", 0)})
			if err := (Lease{Name: "a", Preassigned: preassigned}).Cleanup(t.Context(), client, true); err != nil {
				t.Fatal(err)
			}
			gone := map[string]bool{} // namespaces whose DaemonSets were deleted
			pods := 0
			for _, action := range client.Actions() {
				switch {
				case action.Matches("delete-collection", "daemonsets"):
					gone[action.GetNamespace()] = true
				case action.Matches("delete-collection", "pods"):
					if pods++; !gone[action.GetNamespace()] {
						t.Errorf("preassigned %v: pods of %s are deleted before the DaemonSet that makes them", preassigned, action.GetNamespace())
					}
				}
			}
			if pods < 2 {
				t.Errorf("preassigned %v: pods are deleted %d times, want in both namespaces", preassigned, pods)
			}
		})
	}
}

func TestCleanupOfPreassigned(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "resourcequotas"}, "", nil)
	for _, row := range []struct {
		sentence string
		fails    error // of the deletion of quotas
		says     string
	}{
		{"everything may be deleted", nil, ""},
		{"who may not delete quotas created none", forbidden, ""},
		{"credentials that have expired delete nothing", apierrors.NewUnauthorized("Unauthorized"), "clean up: the credentials have expired, " +
			"and what is in namespace shop stays: log in again and run: rollcall clean with the same --context and --namespace"},
		{"another error is one", errors.New("etcd is full"), "clean up: etcd is full"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			client := newFake(t, &corev1.Secret{ObjectMeta: ours("shop", "agents", "run", 0)})
			client.PrependReactor("delete-collection", "resourcequotas", func(k8stesting.Action) (bool, runtime.Object, error) {
				return row.fails != nil, nil, row.fails
			})
			err := Lease{Name: "shop", Preassigned: true}.Cleanup(t.Context(), client, false)
			if (err == nil) != (row.says == "") || err != nil && err.Error() != row.says {
				t.Errorf("%v; want %q", err, row.says)
			}
			secrets, err := client.CoreV1().Secrets("shop").List(t.Context(), metav1.ListOptions{})
			if err != nil || len(secrets.Items) > 0 {
				t.Errorf("%d secrets are left, %v", len(secrets.Items), err)
			}
		})
	}
}

// The owner of a preassigned namespace may have a Service there, such as that of a load balancer for --outside-url.
func TestCleanupWaitsForOurEndpointSlicesAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newFake(t, &discoveryv1.EndpointSlice{ObjectMeta: ours("shop", "echo-1", "run", 0)},
			&discoveryv1.EndpointSlice{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "load-balancer-1"}})
		time.AfterFunc(10*time.Second, func() { // as their controller does
			_ = client.DiscoveryV1().EndpointSlices("shop").Delete(t.Context(), "echo-1", metav1.DeleteOptions{})
		})
		if err := (Lease{Name: "shop", Preassigned: true}).Cleanup(t.Context(), client, false); err != nil {
			t.Error(err)
		}
		left, err := client.DiscoveryV1().EndpointSlices("shop").List(t.Context(), metav1.ListOptions{})
		if err != nil || len(left.Items) != 1 || left.Items[0].Name != "load-balancer-1" {
			t.Errorf("the cleanup ended with EndpointSlices %v, %v", left.Items, err)
		}
	})
}

func TestWaitGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := fixtures.Namespace("stuck", fixtures.Restricted, fixtures.Run{ID: "run"})
		stuck.Status.Conditions = []corev1.NamespaceCondition{
			{Type: corev1.NamespaceDeletionContentFailure, Status: corev1.ConditionFalse, Message: "all content deleted"},
			{Type: corev1.NamespaceDeletionDiscoveryFailure, Status: corev1.ConditionTrue, Message: "metrics.k8s.io/v1beta1:\nstale"}}
		client := newFake(t, stuck, fixtures.Namespace("slow", fixtures.Restricted, fixtures.Run{ID: "run"}))
		began := time.Now()
		err := WaitGone(t.Context(), client, fixtures.OfRun("run"))
		const says = "not gone after 2m0s: namespace slow; namespace stuck (NamespaceDeletionDiscoveryFailure: metrics.k8s.io/v1beta1: stale)"
		if err == nil || !strings.Contains(err.Error(), says) || time.Since(began) != cleanupTimeout {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if err := WaitGone(t.Context(), client, fixtures.OfRun("another")); err != nil {
			t.Errorf("that of another run was waited for: %v", err)
		}
		time.AfterFunc(time.Second, func() {
			_ = client.CoreV1().Namespaces().Delete(t.Context(), "slow", metav1.DeleteOptions{})
			_ = client.CoreV1().Namespaces().Delete(t.Context(), "stuck", metav1.DeleteOptions{})
		})
		if err := WaitGone(t.Context(), client, fixtures.OfRun("run")); err != nil {
			t.Error(err)
		}
	})
}
