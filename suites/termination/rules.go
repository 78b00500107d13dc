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

// order scales pods down while others stay ready, so that kube-proxy does leave out those that end. Without a hook kubelet and
// kube-proxy race: a kube-proxy writes its first change at once and the next one only after its minSyncPeriod of 1 s, and a kubelet
// stops several pods one after another. If none stays ready, kube-proxy routes to terminating pods for as long as they serve
// (KEP-1669), so that SIGTERM comes first.
func order() []harness.Scenario {
	const (
		linger = 2 * time.Second
		follow = 6 * time.Second // which the API and kube-proxy may take to follow the end of a pod: see endpoints
	)
	return []harness.Scenario{
		scaledAway("order-left-open", "without a hook some pods get SIGTERM before a node's rules stop routing to them, and some after",
			fixtures.App{Replicas: 10, OnTerm: fixtures.Drain}, 2,
			verdict.BothOrders().Decides("C39.rules-first", "C39.sigterm-first")),
		scaledAway("order-sigterm-first",
			"without a hook and without another ready pod every pod gets SIGTERM before a node's rules stop routing to it",
			fixtures.App{Replicas: 2, Linger: linger, OnTerm: fixtures.Drain}, 0,
			verdict.Between(evidence.PodSigterm, evidence.RuleGone, linger/2, linger+follow).Decides("C39.sigterm-first")),
	}
}

// scaledAway returns a scenario in which all pods of an app end except those that stay.
func scaledAway(id, claim string, app fixtures.App, stay int, expect evidence.Expectation) harness.Scenario {
	return harness.Scenario{
		ID: id, Claim: claim, App: app,
		Tries: 3, // which comes first is left to chance
		Kind: harness.InSteps{Observed: true, Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			steps.Until(ctx, func(s observe.State) bool { return s.ReachesEverywhere("v1", int(app.Replicas)) })
			steps.Mark(evidence.RolloutBegun)
			steps.Scale(ctx, app.ResourceName(), int32(stay))
			steps.Until(ctx, func(s observe.State) bool { return s.Count("v1") == stay && s.ReachesEverywhere("v1", stay) })
		}},
		Expect: []evidence.Expectation{expect},
	}
}

// slowRules: how long a drain has to be depends on kube-proxy. If it writes rules every 10 s at most, as with some providers, a
// sleep of 5 s, which is plenty elsewhere, loses requests, and one of 15 s loses none. Twins of each other.
func slowRules() []harness.Scenario {
	const minSync = 10 * time.Second
	return harness.Update(harness.Scenario{
		ClusterChanges: []cluster.Change{change.MinSync(minSync)},
		App:            fixtures.Drained(),
		Expect:         []evidence.Expectation{verdict.MaxRuleLag(minSync + 3*time.Second).Scaled()}, // minSync is scaled too
	}).Twins(harness.Twin{
		ID:     "slow-rules-outlast",
		Claim:  "a sleep of 5 s loses requests where kube-proxy writes rules every 10 s",
		Change: func(s *harness.Scenario) { s.Tries = 3 }, // a rollout may fall between two writes
		Expect: []evidence.Expectation{verdict.DamageSeen().On(evidence.Fresh).Decides("C3")},
	}, harness.Twin{
		ID:     "slow-rules-awaited",
		Claim:  "a sleep of 15 s loses no request where kube-proxy writes rules every 10 s",
		Change: func(s *harness.Scenario) { s.App.PreStopSleep = 15 * time.Second },
		Expect: []evidence.Expectation{verdict.RulesBeforeSigterm().Decides("C3"), verdict.NoFailures(), verdict.NoSlowReplies()},
	})
}

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
func routeByHand(ctx context.Context, steps *harness.Steps, ours cluster.Machines) string {
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
