package reports

import (
	"slices"
	"strconv"
	"strings"
)

// A SeedClaim is what an article about rollouts says, in our words.
type SeedClaim struct {
	Says string
	// Truth is what the scenarios show instead, if the claim is false; empty: it is true.
	Truth string
	// Parts names the parts of the sentence: expectations decide "before" of C5 as C5.before. The claim holds if all parts were shown. Empty:
	// it has no parts.
	Parts []string
}

// seed is what four articles about rollouts say, as claims C1 to C41; suites/CLAIMS.md names them.
var seed = [...]SeedClaim{
	{Says: "\"successfully rolled out\" is printed while old pods are still terminating"},
	{Says: "new requests can still reach a terminating pod"},
	{Says: "a terminating pod is detached within a second, mostly"},
	{Says: "\"rolled out\" means that the wanted number of new pods is ready"},
	{Says: "a rollout is over when no old pod exists", Parts: []string{"before", "after"}},
	{Says: "Recreate makes a clean cut"},
	{Says: "a StatefulSet makes a clean cut, and rollout status can be relied on", Parts: []string{"clean-cut", "status"}},
	{Says: "a migration call made after the rollout hit the old version"},
	{Says: "the default strategy is a rolling update at 25 % and 25 %"},
	{Says: "of 4 pods at 25 % one is replaced after the other, and 4 are kept",
		Truth: "3 of them stay available and at most 5 are asked for: one more is started and one fewer kept"},
	{Says: "applying replicas: 1 under an autoscaler at 12 kills 11 pods at once; it restores 6, then 12",
		Parts: []string{"kills", "minimum", "size"}},
	{Says: "the percentages are of the Deployment's replicas, not of the autoscaler's",
		Truth: "they are of the replicas that the autoscaler wrote, for a Deployment has no others"},
	{Says: "the same happens with a minimum of 1 and 4 pods"},
	{Says: "with replicas: 4 in the manifest 4 pods are kept during the rollout"},
	{Says: "minReplicas is the floor, and replicas the size while deploying", Parts: []string{"floor", "size"}},
	{Says: "100 % surge and 0 % unavailable never lack a pod, and need twice the resources", Parts: []string{"pods", "resources"}},
	{Says: "and they shorten the time in which versions mix", Parts: []string{"all-at-once", "one-by-one"}},
	{Says: "a rolling update mixes versions"},
	{Says: "blue/green is a change of network, and goes back at once"},
	{Says: "there are two strategies, and a rolling update is the default"},
	{Says: "3 pods at 30 % and 10 % are scaled 0→1, 3→2, 1→2, 2→1, 2→3, 1→0"},
	{Says: "describe shows the pods by state, and the conditions Available and Progressing"},
	{Says: "each rollout adds a revision; applying the first version again makes the third"},
	{Says: "only changes of the pod template make a revision"},
	{Says: "10 old ReplicaSets are kept, or as many as revisionHistoryLimit says"},
	{Says: "10 pods at 30 % unavailable are never fewer than 7"},
	{Says: "30 % surge is never more than 130 % of the pods",
		Truth: "surge is rounded up: of 3 pods it makes 4, which are 133 %"},
	{Says: "with 100 % surge all new pods start before any old one ends: blue/green",
		Truth: "one old pod goes for each new one that gets ready, so both versions answer"},
	{Says: "percentages are better than numbers, because of autoscaling", Parts: []string{"percentages", "numbers"}},
	{Says: "deleting and applying causes an outage"},
	{Says: "writing iptables rules races with ending the container, and requests fail"},
	{Says: "a rolling update never stops the Service",
		Truth: "it fails requests where nobody probes whether new pods listen, and none where somebody does and old ones drain",
		Parts: []string{"unprobed", "probed"}},
	{Says: "a preStop hook is an exec, an httpGet or a sleep"},
	{Says: "the sleep buys time: SIGTERM comes after it, all within the grace period"},
	{Says: "a pod's deletion is seen as an update of it"},
	{Says: "a terminating pod's endpoint is not ready"},
	{Says: "kube-proxy leaves out endpoints that are not ready", Parts: []string{"terminating", "unready"}},
	{Says: "unless no other is ready"},
	{Says: "nothing puts the components in an order", Parts: []string{"rules-first", "sigterm-first"}},
	{Says: "with a sleep of 30 s no request is lost"},
	{Says: "all of it holds for kube-proxy, not for other data planes", Parts: []string{"kube-proxy", "others"}},
}

// SeedClaims is the number of seed claims.
const SeedClaims = len(seed)

// SeedClaimOf returns the claim with an id, such as C31.
func SeedClaimOf(id string) (SeedClaim, bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(id, "C"))
	if err != nil || n < 1 || n > len(seed) || id != "C"+strconv.Itoa(n) {
		return SeedClaim{}, false
	}
	return seed[n-1], true
}

// PartsOf returns the ids by which expectations decide a claim, such as C5.before and C5.after, or the claim's own if it has no parts.
func (c SeedClaim) PartsOf(id string) []string {
	if len(c.Parts) == 0 {
		return []string{id}
	}
	parts := slices.Clone(c.Parts)
	for i, part := range parts {
		parts[i] = id + "." + part
	}
	return parts
}
