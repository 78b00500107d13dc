package namespace

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	k8stesting "k8s.io/client-go/testing"
)

// A party is a run that holds namespaces, with what it was told.
type party struct{ said, lost []string }

func (p *party) holder(run string) Holder {
	return Holder{Run: run, Host: "ci-7", Command: "rollcall run", Now: time.Now, Dead: map[string]bool{"dead": true},
		Say:  func(text string) { p.said = append(p.said, text) },
		Lost: func(because string) { p.lost = append(p.lost, because) }}
}

func leases(t *testing.T, client kubernetes.Interface) (all []coordinationv1.Lease) {
	t.Helper()
	list, err := client.CoordinationV1().Leases(metav1.NamespaceAll).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return list.Items
}

func TestASecondRunWaitsForTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newFake(t)
		first, second := &party{}, &party{}
		held, err := HoldAll(t.Context(), client, []string{"shop", "bank"}, time.Minute, first.holder("one"))
		if err != nil || len(leases(t, client)) != 2 {
			t.Fatalf("%d Leases, %v", len(leases(t, client)), err)
		}
		time.AfterFunc(8*time.Minute, func() {
			if err := held.Release(t.Context()); err != nil {
				t.Error(err)
			}
		})
		began := time.Now()
		next, err := HoldAll(t.Context(), client, []string{"shop"}, 10*time.Minute, second.holder("two"))
		if waited := time.Since(began); err != nil || waited < 8*time.Minute || waited > 8*time.Minute+2*lookEvery {
			t.Fatalf("it waited %v, %v", waited, err)
		}
		const told = "namespace shop: run one uses it on host ci-7 since 2000-01-01 00:00:00 UTC (rollcall run); waiting for up to 10m0s"
		if len(second.said) == 0 || second.said[0] != told || len(first.lost) > 0 {
			t.Errorf("told %q, want %q; the first lost %q", second.said, told, first.lost)
		}
		if err := next.Release(t.Context()); err != nil || len(leases(t, client)) != 0 {
			t.Errorf("%d Leases stay, %v", len(leases(t, client)), err)
		}
	})
}

func TestHoldAll(t *testing.T) {
	for _, row := range []struct {
		sentence string
		held     time.Duration // by whom else: since then it was not renewed; negative: nobody
		by       string
		wait     time.Duration
		waits    time.Duration
		says     string // empty: it gets the namespace
	}{
		{"nobody holds it", -1, "", 0, 0, ""},
		{"another run holds it, and this one does not wait", 0, "one", 0, 0, "namespace shop: run one uses it on host ci-7 since "},
		{"another run was killed, and has not renewed it for a minute", leaseDuration, "one", 0, 0, ""},
		{"another run was killed half a minute ago", leaseDuration / 2, "one", time.Minute, leaseDuration / 2, ""},
		{"another run of this host was killed just now", 0, "dead", 0, 0, ""},
		{"another process of this run holds it", 0, "two", 0, 0, ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := newFake(t)
				if row.held >= 0 {
					killed := &Hold{Holder: (&party{}).holder(row.by), client: client}
					if _, err := killed.take(t.Context(), "shop"); err != nil {
						t.Fatal(err)
					}
					time.Sleep(row.held)
				}
				began := time.Now()
				hold, err := HoldAll(t.Context(), client, []string{"shop"}, row.wait, (&party{}).holder("two"))
				if used := (*InUseError)(nil); errors.As(err, &used) != (row.says != "") || err != nil && !strings.HasPrefix(err.Error(), row.says) {
					t.Fatalf("%v, want %q", err, row.says)
				}
				if waited := time.Since(began); waited < row.waits || waited > row.waits+lookEvery {
					t.Errorf("it waited %v, want %v", waited, row.waits)
				}
				if hold == nil {
					return
				}
				if all := leases(t, client); len(all) != 1 || *all[0].Spec.HolderIdentity != "two" {
					t.Errorf("%+v", all)
				}
				if err := hold.Release(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestAHoldIsRenewed(t *testing.T) {
	for _, row := range []struct {
		sentence string
		away     bool // the API server, for three minutes
		do       func(context.Context, kubernetes.Interface) error
		lost     string // empty: the run still has the namespace
	}{
		{"for as long as the run lasts", false, nil, ""},
		{"by a run whose API server was away, if no other run came", true, nil, ""},
		{"until its Lease is deleted", false, func(ctx context.Context, client kubernetes.Interface) error {
			return client.CoordinationV1().Leases("shop").Delete(ctx, leaseName, metav1.DeleteOptions{})
		}, "namespace shop: its Lease was deleted"},
		{"until another run has it, which found it not renewed", true, func(ctx context.Context, client kubernetes.Interface) error {
			h := &Hold{Holder: (&party{}).holder("two"), client: client}
			_, err := client.CoordinationV1().Leases("shop").Update(ctx, h.lease("shop"), metav1.UpdateOptions{})
			return err
		}, "namespace shop: run two uses it on host ci-7"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := newFake(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}})
				var away atomic.Bool
				client.PrependReactor("get", "leases", func(k8stesting.Action) (bool, runtime.Object, error) {
					return away.Load(), nil, errors.New("connection refused")
				})
				p := &party{}
				hold, err := HoldAll(t.Context(), client, []string{"shop"}, 0, p.holder("one"))
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(10*time.Minute + time.Second)
				away.Store(row.away)
				if row.do != nil {
					if err := row.do(t.Context(), client); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(3 * time.Minute)
				away.Store(false)
				time.Sleep(leaseDuration)
				if err := hold.Release(t.Context()); err != nil {
					t.Error(err)
				}
				if got := strings.Join(p.lost, "; "); !strings.HasPrefix(got, row.lost) || row.lost == "" && got != "" {
					t.Errorf("lost: %q, want %q", got, row.lost)
				}
			})
		})
	}
}
