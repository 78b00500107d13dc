package termination

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/cluster"
	"rollcall/harness/cluster/change"
	"rollcall/harness/dataplane"
	"rollcall/harness/evidence"
	"rollcall/harness/observe"
	"rollcall/harness/verdict"
)

// proxies is a fact: the modes in which the nodes' kube-proxies say they are, "none" where there is none.
const proxies = "service proxy of the nodes"

// unanswered is what is asked of a Service with 2 ready pods on such nodes.
const unanswered = "without-a-service-proxy"

// dataplanes: what is said of rules is said of kube-proxy's. Where another program routes for Services, rules that
// nobody could read are not judged, and everything else is.
func dataplanes() []harness.Scenario {
	rules := verdict.MaxRuleLag(3 * time.Second) // skipped where there are none; nothing leaves the endpoints here
	return []harness.Scenario{
		{
			ID: "dataplane-seen", Claim: "every node's kube-proxy is asked for its mode before its rules are read",
			Observed: true, Steps: noteProxies,
			Expect: []evidence.Expectation{
				proxiesAre(dataplane.IPTables), proxiesAre(dataplane.NFTables), proxiesAre(dataplane.IPVS),
			},
		},
		{
			ID: "dataplane-absent",
			Claim: "without kube-proxy a new Service whose pods are ready answers nobody, " +
				"so what these suites show of Services is kube-proxy's; nothing is said about rules, with the reason",
			ClusterChanges: []cluster.Change{change.NoProxy()}, Steps: askWithoutProxy,
			Expect: []evidence.Expectation{
				verdict.Fact(proxies, dataplane.None.Name),
				verdict.AllFail(unanswered).Decides("C41.others"),
				rules,
			},
		},
	}
}

// proxiesAre expects that every node's kube-proxy says that it is the data plane which the cluster was made with.
func proxiesAre(p dataplane.Plane) evidence.Expectation {
	return verdict.Fact(proxies, p.Name).In(p.Name)
}

// askWithoutProxy asks from outside, through a node's port, which nobody but a node's service proxy listens on.
func askWithoutProxy(ctx context.Context, steps *harness.Steps) {
	noteProxies(ctx, steps)
	app := fixtures.App{Replicas: 2, OnTerm: fixtures.Drain}
	steps.Deploy(ctx, app, "v1")
	steps.Question(unanswered, evidence.Fresh, time.Second).Ask(ctx, 5)
}

func noteProxies(ctx context.Context, steps *harness.Steps) {
	steps.Until(ctx, func(s observe.State) bool {
		modes := slices.Sorted(maps.Values(s.Observed))
		if len(s.Proxyless) > 0 {
			modes = append(modes, dataplane.None.Name)
		}
		steps.Note(proxies, strings.Join(slices.Compact(modes), " "))
		return true
	})
}
