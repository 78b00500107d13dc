package mutants

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// Scenarios that most mutants damage.
const (
	drained   = "rollout/drained-rolling-update"
	undrained = "control/undrained-rolling-update"
)

// Names of nodes, without the cluster's.
const (
	controlPlane = disruption.ControlPlane
	worker       = disruption.Worker
	worker2      = disruption.Worker2
)

// firstOldDeleted is when the first old pod is deleted: if it drains, it gets SIGTERM 5 s later and serves for 2 s more.
func firstOldDeleted() Moment { return Moment{Event: evidence.PodDeleting, Version: "v1"} }

func begun(after time.Duration) Moment { return Moment{Event: evidence.RolloutBegun, After: after} }

// proxyMutants damage kube-proxy, or the rules that it wrote.
func proxyMutants() []Mutant {
	return []Mutant{
		{ID: "proxy-stopped", Damages: "kube-proxy of one node is stopped for 8 s: its rules are stale", Of: drained, EveryMode: true,
			When: firstOldDeleted(), Do: disruption.Stopped(worker, "kube-proxy", 8*time.Second), Want: verdict.Fail, Cause: "max-rule-lag"},
		{ID: "proxy-stopped-past-sigterm", Damages: "kube-proxy of the control plane's node is stopped until 2 s after a SIGTERM", Of: drained,
			EveryMode: true, When: Moment{Event: evidence.PodReady, Version: harness.NewVersion}, // 1 s (minReadySeconds) before a deletion
			Do: disruption.Stopped(controlPlane, "kube-proxy", 8*time.Second), Want: verdict.Fail, Cause: "rules-before-sigterm"},
		{ID: "rules-skipped", Damages: "one node's rules are skipped for half a second", Of: drained, EveryMode: true,
			When: begun(time.Second), Do: rulesSkipped(worker), Want: verdict.Fail, Cause: "no-failures"},
		{ID: "rules-skipped-late", Damages: "one node's rules are skipped for half a second, 3 s after the rollout began", Of: drained,
			EveryMode: true, When: begun(3 * time.Second), Change: expecting(verdict.RecoversWithin(2*time.Second, evidence.RolloutBegun)),
			Do: rulesSkipped(worker), Want: verdict.Fail, Cause: "recovers-within"},
		{ID: "rules-skipped-share", Damages: "one node's rules are skipped for half a second, and a client may lose 1 of 1,000 requests",
			Of: drained, EveryMode: true, When: begun(time.Second), Change: expecting(verdict.MaxFailedShare(1)),
			Do: rulesSkipped(worker), Want: verdict.Fail, Cause: "max-failed-share"},
		{ID: "stale-route", Damages: "one node sends every fourth new connection to an old pod for 8 s", Of: drained, EveryMode: true,
			When: firstOldDeleted(), Do: staleRoute(worker, 8*time.Second), Want: verdict.Fail, Cause: "max-drain-lag"},
	}
}

// rulesSkipped makes a node skip kube-proxy's rules for a moment.
func rulesSkipped(node string) disruption.Act {
	return func(ctx context.Context, s disruption.Stage) error {
		plane := s.Cluster.Plane()
		if plane.SkipRules == "" {
			return &cluster.Unsupported{Because: "no script has a node pass over the rules of mode " + plane.Name}
		}
		return disruption.Lasting(0, node, plane.SkipRules, plane.UnskipRules)(ctx, s)
	}
}

// staleRoute makes a node send one of four new connections to the event's pod, as a stale rule would.
func staleRoute(node string, d time.Duration) disruption.Act {
	return func(ctx context.Context, s disruption.Stage) error {
		service, err := s.Cluster.Client().CoreV1().Services(s.Namespace).Get(ctx, s.App.ResourceName(), metav1.GetOptions{})
		if err != nil {
			return err
		}
		pod, err := s.Cluster.Client().CoreV1().Pods(s.Namespace).Get(ctx, s.Event.By.Pod, metav1.GetOptions{})
		if err != nil {
			return err
		}
		return table(node, d, fmt.Sprintf(`
chain stale { meta l4proto tcp dnat to %s:%d; }
chain prerouting {
	type nat hook prerouting priority -110;
	ip daddr %s tcp dport 80 numgen random mod 4 vmap { 0 : goto stale }
}`, pod.Status.PodIP, appPort, service.Spec.ClusterIP))(ctx, s)
	}
}
