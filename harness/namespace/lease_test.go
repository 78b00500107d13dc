package namespace

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
)

func TestPoolAcquireWaitsForRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := NewPool([]string{"shop"}, nil)
		first, err := pool.Acquire(t.Context(), "run")
		if err != nil || first.Name != "shop" || !first.Preassigned {
			t.Fatalf("%+v, %v", first, err)
		}
		second := make(chan Lease, 1)
		go func() {
			lease, err := pool.Acquire(t.Context(), "run")
			if err != nil {
				t.Error(err)
			}
			second <- lease
		}()
		synctest.Wait()
		select {
		case <-second:
			t.Fatal("two have the one namespace at the same time")
		default:
		}
		first.Release()
		if got := <-second; got.Name != "shop" {
			t.Errorf("%+v", got)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := pool.Acquire(ctx, "run"); err == nil {
			t.Error("a namespace that is in use was leased")
		}
	})
}

func TestPoolLeasesNewNamespaces(t *testing.T) {
	names := map[string]bool{}
	for range 3 {
		lease, err := NewPool(nil, nil).Acquire(t.Context(), "run")
		if err != nil || lease.Preassigned || !strings.HasPrefix(lease.Name, "rollcall-") {
			t.Fatalf("%+v, %v", lease, err)
		}
		names[lease.Name] = true
		lease.Release()
	}
	if len(names) != 3 {
		t.Errorf("%d names for three leases", len(names))
	}
}

func TestLeaseCreate(t *testing.T) {
	for _, row := range []struct {
		sentence string
		lease    Lease
		says     string
		creates  bool
	}{
		{"a new namespace is created, for pods of the standard", Lease{Name: "new", Run: fixtures.Run{ID: "run"}}, "", true},
		{"one that exists already is an error", Lease{Name: "taken"}, "already exists", false},
		{"a preassigned one that is empty is not created", Lease{Name: "shop", Preassigned: true}, "", false},
		{"a preassigned one with a pod is an error", Lease{Name: "taken", Preassigned: true},
			"namespace taken was not empty: pod theirs is there", false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			client := newFake(t,
				&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "taken"}},
				&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "taken", Name: "theirs"}},
			)
			err := row.lease.Create(t.Context(), client)
			if (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) {
				t.Errorf("%v; want %q", err, row.says)
			}
			n, err := client.CoreV1().Namespaces().Get(t.Context(), row.lease.Name, metav1.GetOptions{})
			if created := err == nil && n.Labels[fixtures.InstanceLabel] == "run"; created != row.creates {
				t.Errorf("created: %v, want %v", created, row.creates)
			}
		})
	}
}

// A run on another host deletes what has expired, by the API server's clock.
func TestALeaseExpiresByTheClockOfItsPool(t *testing.T) {
	server := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, preassigned := range [][]string{nil, {"shop"}} {
		lease, err := NewPool(preassigned, func() time.Time { return server }).Acquire(t.Context(), "run")
		if want := (fixtures.Run{ID: "run", Expires: server.Add(time.Hour)}); err != nil || lease.Run != want {
			t.Errorf("in %q it is of %+v, want %+v (%v)", preassigned, lease.Run, want, err)
		}
	}
}
