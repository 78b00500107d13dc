package regressions

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// longServiceName: nft refuses a comment of more than 128 bytes, and with it the whole transaction. kube-proxy writes the name of a
// Service without endpoints as such a comment, so a single long name freezes all rules of every node: every later write fails too
// (Kubernetes v1.36.4, pkg/proxy/nftables/proxier.go, syncProxyRules; v1.37.0 cuts the comment). On somebody else's cluster that
// would be an outage of all Services, so it is not tried there.
func longServiceName() harness.Scenario {
	const (
		failures = "nodes whose kube-proxy could not write its rules"
		followed = "nodes whose rules followed the rollout"
		lost     = "requests from the workers after the rollout had begun that were answered"
		follow   = time.Minute // how long rules may take to follow where writes do not fail
	)
	app := fixtures.Drained()
	app.Replicas = 2
	return harness.Scenario{
		ID:        "long-service-name",
		Claim:     "every node's rules follow a rollout, and no request is lost, while a Service with a long name has no endpoints",
		App:       app,
		Exclusive: true,
		Uses:      []string{cluster.ClusterChanges},
		Bug: byFact(failures, evidence.Bug{
			Issue: 139515, Component: kubeProxy, Modes: []string{"nftables"}, Affected: []evidence.Releases{{Before: "1.37.0"}}, Fixed: "1.37.0",
		}),
		Kind: harness.InSteps{Observed: true, Lasts: 50 * time.Second, Do: func(ctx context.Context, steps *harness.Steps) {
			ours := harness.Must(steps.Changeable())
			before := failedWrites(ctx, ours)
			steps.Deploy(ctx, app, "v1")
			everywhere := func(version string) func(observe.State) bool {
				return func(s observe.State) bool { return s.ReachesEverywhere(version, int(app.Replicas)) }
			}
			steps.Until(ctx, everywhere("v1"))
			services := steps.Client.CoreV1().Services(steps.Namespace)
			service := harness.Must(services.Get(ctx, app.ResourceName(), metav1.GetOptions{}))
			clients := requestFromWorkers(ctx, steps, fixtures.HTTPURL(service))
			unserved := harness.Must(services.Create(ctx, longNamed(steps.Into), metav1.CreateOptions{}))
			steps.Cleanup(func(ctx context.Context) error { // nothing else ends the outage
				return services.Delete(ctx, unserved.Name, metav1.DeleteOptions{})
			})
			update, begun := rollout.Update("v1", "v2"), time.Now()
			steps.Mark(evidence.RolloutBegun)
			harness.Check(update.Begin(ctx, steps.Client, steps.Into, app))
			steps.Until(ctx, func(s observe.State) bool { return update.Settled(s, app) && s.Count("v1") == 0 })
			steps.Mark(evidence.OldGone)
			var last observe.State
			frozen := len(failedSince(before, failedWrites(ctx, ours))) == len(ours.Nodes()) // the rollout took longer than a write
			steps.Within(ctx, follow, func(s observe.State) bool {
				last = s
				return everywhere("v2")(s) && !s.Reaches("v1") || frozen
			})
			if len(last.Rules) == 0 || len(last.Unobserved) > 0 {
				harness.Check(fmt.Errorf("the rules of %d nodes are observed, and of %d no longer", len(last.Rules), len(last.Unobserved)))
			}
			steps.Note(followed, nodesRoutingTo(last, "v2", int(app.Replicas)))
			steps.Note(failures, timesFailed(failedSince(before, failedWrites(ctx, ours))))
			var sent []harness.Request
			for _, client := range clients {
				sent = append(sent, client.Requests(ctx)...)
			}
			steps.Note(lost, tally(since(sent, begun), harness.Good))
		}},
		Expect: []evidence.Expectation{
			verdict.Fact(failures, "none"), verdict.Fact(followed, all), verdict.Fact(lost, all).ByClients(),
		},
	}
}

// longNamed returns a Service that selects nothing. kube-proxy writes its name as namespace/name:port, which has more than 128
// bytes in any namespace: the API allows 63 for the Service's name, and as many for the port's.
func longNamed(to fixtures.Destination) *corev1.Service {
	long := func(n int) string { return strings.Repeat("long-", n/5+1)[:n-1] + "x" }
	meta := to.Object("unserved")
	meta.Name = long(63)
	return &corev1.Service{
		ObjectMeta: meta,
		Spec: corev1.ServiceSpec{
			Selector: map[string]string{"app.kubernetes.io/name": "nobody"},
			Ports:    []corev1.ServicePort{{Name: long(63), Port: 80, TargetPort: intstr.FromInt32(80)}},
		},
	}
}

// nodesRoutingTo returns all, or which observed nodes' rules do not route to exactly so many pods of a version and to nothing else.
func nodesRoutingTo(s observe.State, version string, pods int) string {
	var others []string
	for _, node := range slices.Sorted(maps.Keys(s.Rules)) {
		right := 0
		for _, p := range s.Rules[node] {
			if p.Version == version {
				right++
			}
		}
		if right != pods || right != len(s.Rules[node]) {
			others = append(others, node)
		}
	}
	return allBut(len(s.Rules), others)
}

// countFailedWrites prints how often kube-proxy could not write its rules since it started, in each mode and for each IP family
// (Kubernetes v1.37.2, pkg/proxy/metrics/metrics.go).
var countFailedWrites = "page=$(" + dataplane.KubeProxy.Metrics + `)
echo "$page" | sed -En 's/^kubeproxy_sync_proxy_rules_(nftables_sync|iptables_restore)_failures_total.* //p'`

// failedWrites returns how often the kube-proxy of each node could not write its rules since it started.
func failedWrites(ctx context.Context, c cluster.Machines) map[string]int {
	failures := map[string]int{}
	for _, node := range c.Nodes() {
		for number := range strings.FieldsSeq(harness.Must(c.Exec(ctx, node, "set -e\n"+countFailedWrites))) {
			failures[node] += int(harness.Must(strconv.ParseFloat(number, 64)))
		}
	}
	return failures
}

// failedSince returns how many more failures the nodes have that have more than before.
func failedSince(before, now map[string]int) map[string]int {
	more := map[string]int{}
	for node, n := range now {
		if n > before[node] {
			more[node] = n - before[node]
		}
	}
	return more
}

// timesFailed returns "none", or how often each node's kube-proxy failed.
func timesFailed(failures map[string]int) string {
	var failed []string
	for _, node := range slices.Sorted(maps.Keys(failures)) {
		failed = append(failed, fmt.Sprintf("%s (%d failed)", node, failures[node]))
	}
	if len(failed) == 0 {
		return "none"
	}
	return strings.Join(failed, ", ")
}

// requestFromWorkers starts a pod on each worker that requests a URL.
func requestFromWorkers(ctx context.Context, steps *harness.Steps, args ...string) []*harness.RequestPod {
	var clients []*harness.RequestPod
	for _, worker := range steps.Workers(ctx) {
		clients = append(clients, steps.RequestFrom(ctx, worker, args...))
	}
	return clients
}
