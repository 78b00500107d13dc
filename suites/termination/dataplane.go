package termination

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"rollcall/harness"
	"rollcall/harness/cluster"
	"rollcall/harness/cluster/change"
	"rollcall/harness/evidence"
	"rollcall/harness/observe"
	"rollcall/harness/verdict"
)

// proxies is a fact: the modes in which the nodes' kube-proxies say they are, "none" where there is none.
const proxies = "service proxy of the nodes"

// dataplanes: what is said of rules is said of kube-proxy's. Where another program routes for Services, rules that
// nobody could read are not judged, and everything else is.
func dataplanes() []harness.Scenario {
	rules := verdict.MaxRuleLag(3 * time.Second) // skipped where there are none; nothing leaves the endpoints here
	return []harness.Scenario{
		{
			ID: "dataplane-seen", Claim: "every node's kube-proxy is asked for its mode before its rules are read",
			Covers: []string{"C41"}, Observed: true, Steps: noteProxies,
			Expect: []evidence.Expectation{
				verdict.Decides("C41", verdict.In("iptables", verdict.Fact(proxies, "iptables"))),
				verdict.Decides("C41", verdict.In("nftables", verdict.Fact(proxies, "nftables"))),
				verdict.Decides("C41", verdict.In("ipvs", verdict.Fact(proxies, "ipvs"))),
			},
		},
		{
			ID: "dataplane-absent", Claim: "where no kube-proxy answers nothing is said about rules, with the reason",
			Covers: []string{"C41"}, ClusterChanges: []cluster.Change{change.NoProxy()}, Steps: noteProxies,
			Expect: []evidence.Expectation{verdict.Decides("C41", verdict.Fact(proxies, "none")), rules},
		},
	}
}

func noteProxies(ctx context.Context, steps *harness.Steps) error {
	return steps.Until(ctx, func(s observe.State) bool {
		modes := slices.Sorted(maps.Values(s.Observed))
		if len(s.Proxyless) > 0 {
			modes = append(modes, "none")
		}
		steps.Note(proxies, strings.Join(slices.Compact(modes), " "))
		return true
	})
}
