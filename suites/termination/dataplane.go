package termination

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/cluster/change"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// Lanes to the same port of the same node, one after the other.
const (
	withProxy    = "with-kube-proxy"
	withoutProxy = "without-kube-proxy"
	byOthers     = "by-rules-of-others"
)

// dataplaneAbsent: all claims about rules are about kube-proxy's. The rules that it wrote stay when it is gone, and then route to
// pods that are gone. Rules of somebody else route where they were told to: here to a pod that is being deleted beside a ready one,
// which kube-proxy would leave out. That says nothing of another data plane that follows endpoints, such as Cilium, where deletion and
// rules race as well (cilium/cilium issue 45593).
func dataplaneAbsent() harness.Scenario {
	const requests, hook = 5, 15 * time.Second // which is long enough for them
	app := fixtures.App{Replicas: 2, OnTerm: fixtures.Drain}
	next := app
	next.PreStopSleep = hook
	return harness.Scenario{
		ID:      "dataplane-absent",
		Profile: harness.Core,
		Claim: "a Service works while kube-proxy follows its pods, and fails without it once they are replaced; " +
			"rules that somebody else wrote still route to a pod that is being deleted beside a ready one",
		App: app, Exclusive: true, Uses: []string{cluster.ClusterChanges},
		Kind: harness.InSteps{Outside: true, Lasts: 20 * time.Second, Do: func(ctx context.Context, steps *harness.Steps) {
			send := func(lane string) { steps.Requests(lane, evidence.Fresh, time.Second).Send(ctx, requests) }
			ours := harness.Must(steps.Changeable())
			steps.Deploy(ctx, app, "v1")
			steps.Reach(ctx)
			send(withProxy)
			undo, err := change.NoProxy().Make(ctx, ours)
			steps.Cleanup(undo)
			harness.Check(err)
			update := rollout.Update("v1", "v2")
			harness.Check(update.Begin(ctx, steps.Client, steps.Into, next))
			steps.Until(ctx, func(s observe.State) bool { return update.Settled(s, next) && s.Count("v1") == 0 })
			send(withoutProxy)
			pod := routeByHand(ctx, steps, ours)
			harness.Check(steps.Client.CoreV1().Pods(steps.Namespace).Delete(ctx, pod, metav1.DeleteOptions{}))
			steps.Until(ctx, func(s observe.State) bool { return deletedBesideReady(s, pod) })
			send(byOthers)
		}},
		Expect: []evidence.Expectation{
			verdict.AllAnswered(withProxy).Decides("C41.kube-proxy"),
			verdict.AllFail(withoutProxy).Decides("C41.kube-proxy"),
			verdict.AllAnswered(byOthers),
			verdict.AnsweredByDeleted(byOthers, requests),
		},
	}
}

// deletedBesideReady reports whether a pod is being deleted, as both its own watch and that of EndpointSlices have reported, and another
// pod is a ready endpoint.
func deletedBesideReady(s observe.State, pod string) bool {
	others := slices.ContainsFunc(s.Endpoints, func(e observe.EndpointState) bool { return e.Pod != pod && e.Ready })
	return s.Deleted(pod) && others
}

// routeByHand makes every node route from the port of the app's Service to one of its pods, by nft rules that come before those of
// any kube-proxy, and returns the pod's name.
func routeByHand(ctx context.Context, steps *harness.Steps, ours cluster.Changeable) string {
	service := harness.Must(steps.Client.CoreV1().Services(steps.Namespace).Get(ctx, fixtures.DefaultName, metav1.GetOptions{}))
	to := steps.Pods(ctx)[0]
	family, address := "ip", to.Status.PodIP
	if harness.Must(netip.ParseAddr(address)).Is6() {
		family = "ip6"
	}
	const table = "rollcall-others"
	for _, node := range ours.Nodes() {
		steps.Cleanup(func(ctx context.Context) error {
			_, err := ours.Exec(ctx, node, fmt.Sprintf("nft delete table %s %s", family, table))
			return err
		})
		harness.Must(ours.Exec(ctx, node, fmt.Sprintf(`nft -f - <<'EOF'
table %[1]s %[2]s {
	chain to { type nat hook prerouting priority dstnat - 10; tcp dport %[3]d dnat to %[5]s; }
	chain from { type nat hook postrouting priority srcnat - 10; %[1]s daddr %[4]s tcp dport %[6]d masquerade; }
}
EOF`, family, table, fixtures.HTTPPort(service).NodePort, address, netip.AddrPortFrom(netip.MustParseAddr(address), fixtures.AppPort),
			fixtures.AppPort)))
	}
	return to.Name
}
