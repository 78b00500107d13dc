package dataplane_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/cluster/change"
	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
)

// A recorded scenario is judged on a plane of which no other code knows: it passes there, too, unless the plane's rules follow more than
// 3 s after the endpoints. The restart of a proxy ends when it has written its rules.
func TestARecordedScenarioOnAnotherPlane(t *testing.T) {
	recorded, err := store.Read(filepath.Join("..", "..", "reports", "testdata", "recorded", "nftables-drained"))
	if err != nil {
		t.Fatal(err)
	}
	const restarted = "rollcall-nftables-worker"
	nodes := []string{"rollcall-nftables-control-plane", restarted, "rollcall-nftables-worker2"}
	isDeleting := func(e evidence.Event) bool { return e.Kind == evidence.PodDeleting }
	deleted := recorded.Events[slices.IndexFunc(recorded.Events, isDeleting)].At
	for _, row := range []struct {
		sentence    string
		lag, starts time.Duration
		want        verdict.Outcome
		late        []string // nodes
	}{
		{"its rules follow within a second", time.Second, 500 * time.Millisecond, verdict.Pass, nil},
		{"its rules take 5 s", 5 * time.Second, 500 * time.Millisecond, verdict.Fail, nodes},
		{"its restart takes 5 s while a pod ends", time.Second, 5 * time.Second, verdict.Fail, []string{restarted}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			ev := recorded
			ev.Run.Mode, ev.Run.Expect = relayPlane().Name, append(slices.Clone(recorded.Run.Expect), verdict.MaxRuleLag(3*time.Second))
			synctest.Test(t, func(t *testing.T) {
				r := newRelay(t, row.lag, row.starts, nodes...)
				go func() {
					time.Sleep(deleted)
					began := time.Now()
					if err := disruption.ProxyRestarted(restarted)(t.Context(), disruption.Stage{Cluster: r}); err != nil {
						t.Error(err)
					}
					if took := time.Since(began); took < row.starts || took > row.starts+time.Second {
						t.Errorf("the restart took %v, want %v", took, row.starts)
					}
				}()
				ev.Events = r.play(recorded.Events)
			})
			tl, err := timeline.Join(ev)
			if err != nil {
				t.Fatal(err)
			}
			v := verdict.Judge(ev.Run, tl)
			var late []string
			for _, lag := range tl.RuleLags() {
				if lag.Lag.Length > 3*time.Second && !slices.Contains(late, lag.Node) {
					late = append(late, lag.Node)
				}
			}
			slices.Sort(late)
			failed := slices.ContainsFunc(v.Findings, func(f verdict.Finding) bool { return f.Rule == "max-rule-lag" && f.Outcome == verdict.Fail })
			if v.Outcome != row.want || failed != (row.want == verdict.Fail) || !slices.Equal(late, row.late) {
				t.Errorf("%s, late are %v: %s", v.Outcome, late, v.Because)
			}
		})
	}
}

// What is done to rules of kube-proxy is done to those of another plane by its own scripts, or is not supported.
func TestRulesOfAnotherPlaneAreLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const node = "worker"
		app := fixtures.App{Replicas: 1}
		r := newRelay(t, 0, time.Second, node)
		r.see(evidence.Server{Pod: "a"}, true)
		service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: app.ResourceName()},
			Spec: corev1.ServiceSpec{ClusterIP: "10.96.0.7", Ports: []corev1.ServicePort{{Port: 80}}}}
		if err := r.client.Tracker().Add(service); err != nil {
			t.Fatal(err)
		}
		stage := disruption.Stage{Cluster: r, Namespace: "n", App: app, Note: func(evidence.Event) {}}
		go func() {
			time.Sleep(time.Second / 2)
			if n := r.routes(node); n != 0 {
				t.Errorf("its rules lead to %d pods while they are lost", n)
			}
		}()
		if err := disruption.RulesLost(node, disruption.AllRules, time.Second)(t.Context(), stage); err != nil || r.routes(node) != 1 {
			t.Errorf("%v; then its rules lead to %d pods", err, r.routes(node))
		}
		var lack *cluster.Unsupported
		for does, act := range map[string]disruption.Act{
			"lose rules of a Service": disruption.RulesLost(node, disruption.ServiceRules, 0),
			"lose the canary":         disruption.RulesLost(node, disruption.Canary, 0),
			"switch the mode":         disruption.ModeSwitched(node, 0),
		} {
			if err := act(t.Context(), stage); !errors.As(err, &lack) {
				t.Errorf("%s: %v, want that it is not supported", does, err)
			}
		}
		if _, err := change.MinSync(time.Second).Make(t.Context(), r); !errors.As(err, &lack) {
			t.Errorf("set minSyncPeriod: %v, want that it is not supported", err)
		}
	})
}

// Every plane says who writes its rules, and each proxy has all that is asked of one.
func TestEachPlaneHasAProxy(t *testing.T) {
	for _, p := range dataplane.All() {
		x := p.Proxy
		if x == nil {
			t.Fatalf("%s has none", p.Name)
		}
		if x.Name == "" || x.Selector == "" || (x.Address == "") != (x.Detect == nil) || x.Runs == nil || x.Synced == "" ||
			x.Changes == "" || x.Metrics == "" {
			t.Errorf("%s lacks something: %+v", x.Name, x)
		}
	}
}
