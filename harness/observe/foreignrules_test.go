package observe

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/harness/evidence"
)

// added has the rules of a node route to an address from now on.
func added(w *Watch, node, address string) {
	w.rules.route(node, address, "8080", evidence.Event{Kind: evidence.RuleAdded, At: time.Since(w.journal.began), Clock: node, Object: node})
}

func podAt(name, address string) *corev1.Pod {
	p := somePod(name, corev1.ConditionTrue)
	p.Status.PodIPs = []corev1.PodIP{{IP: address}}
	return p
}

// A cluster has thousands of addresses of other Services, on each node: they wake nobody, and nothing of them is kept.
func TestRulesOfOtherServicesLeaveNothing(t *testing.T) {
	const nodes, ofOthers = 20, 500
	synctest.Test(t, func(t *testing.T) {
		w := newWatch(time.Now(), newMemorySink(), byLabel(version), "echo")
		w.pods.see(podAt("a", "10.244.1.2"), false)
		looks := 0
		ctx, end := context.WithCancel(t.Context())
		go func() { _ = w.Until(ctx, func(State) bool { looks++; return false }) }()
		synctest.Wait()
		for n := range nodes {
			node := fmt.Sprint("worker", n)
			w.rules.record(evidence.Event{Kind: evidence.RulesBegun, Object: node}, func() { w.rules.Observed[node] = "nftables" })
			synctest.Wait()
			for i := range ofOthers {
				added(w, node, fmt.Sprintf("10.245.%d.%d", i/250, i%250))
				synctest.Wait()
			}
			added(w, node, "10.244.1.2")
			synctest.Wait()
		}
		time.Sleep(foreignAfter)
		w.rules.record(evidence.Event{Kind: evidence.NodeBusy, Object: "worker0"}, func() {})
		end()
		synctest.Wait()
		if want := 2 + 2*nodes; looks != want {
			t.Errorf("the state was looked at %d times, want %d", looks, want)
		}
		kept := len(w.rules.waiting)
		for _, of := range w.rules.others {
			kept += len(of)
		}
		if kept > 0 {
			t.Errorf("%d addresses of other Services are kept", kept)
		}
		for node, to := range w.state().Rules {
			if len(to) != 1 || to[0].Pod != "a" {
				t.Errorf("the rules of %s route to %v", node, to)
			}
		}
	})
}

func TestHowLongARuleWaitsForItsPod(t *testing.T) {
	for _, row := range []struct {
		sentence string
		waits    time.Duration
		ours     bool
	}{
		{"the pod is seen late", foreignAfter - time.Second, true},
		{"a pod of ours gets the address after it was another Service's", foreignAfter, false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				noticed := newMemorySink()
				w := newWatch(time.Now(), noticed, byLabel(version), "echo")
				added(w, "worker", "10.244.1.2")
				time.Sleep(row.waits)
				added(w, "worker", "10.244.1.3")
				w.pods.see(podAt("a", "10.244.1.2"), false)
				ours := slices.ContainsFunc(noticed.eventsFrom(0), func(e evidence.Event) bool {
					return e.Kind == evidence.RuleAdded && e.By.Pod == "a" && e.At == 0
				})
				if ours != row.ours {
					t.Errorf("the rule is the pod's: %v", ours)
				}
			})
		})
	}
}
