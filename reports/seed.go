package reports

import (
	"strconv"
	"strings"
)

// seed is what four articles about rollouts say, as claims C1 to C41, in our words. The scenarios show what is true
// of each.
var seed = [...]string{
	"\"successfully rolled out\" is printed while old pods are still terminating",
	"new requests can still reach a terminating pod",
	"a terminating pod is detached within a second, mostly",
	"\"rolled out\" means that the wanted number of new pods is ready",
	"a rollout is over when no old pod exists",
	"Recreate makes a clean cut",
	"a StatefulSet makes a clean cut, and rollout status can be relied on",
	"a migration call made after the rollout hit the old version",
	"the default strategy is a rolling update at 25 % and 25 %",
	"of 4 pods at 25 % one is replaced after the other, and 4 are kept",
	"applying replicas: 1 under an autoscaler at 12 kills 11 pods at once; it restores 6, then 12",
	"the percentages are of the Deployment's replicas, not of the autoscaler's",
	"the same happens with a minimum of 1 and 4 pods",
	"with replicas: 4 in the manifest 4 pods are kept during the rollout",
	"minReplicas is the floor, and replicas the size while deploying",
	"100 % surge and 0 % unavailable never lack a pod, and need twice the resources",
	"and they shorten the time in which versions mix",
	"a rolling update mixes versions",
	"blue/green is a change of network, and goes back at once",
	"there are two strategies, and a rolling update is the default",
	"3 pods at 30 % and 10 % are scaled 0→1, 3→2, 1→2, 2→1, 2→3, 1→0",
	"describe shows the pods by state, and the conditions Available and Progressing",
	"each rollout adds a revision; applying the first version again makes the third",
	"only changes of the pod template make a revision",
	"10 old ReplicaSets are kept, or as many as revisionHistoryLimit says",
	"10 pods at 30 % unavailable are never fewer than 7",
	"30 % surge is never more than 130 % of the pods",
	"with 100 % surge all new pods start before any old one ends: blue/green",
	"percentages are better than numbers, because of autoscaling",
	"deleting and applying causes an outage",
	"writing iptables rules races with ending the container, and requests fail",
	"a rolling update never stops the Service",
	"a preStop hook is an exec, an httpGet or a sleep",
	"the sleep buys time: SIGTERM comes after it, all within the grace period",
	"a pod's deletion is seen as an update of it",
	"a terminating pod's endpoint is not ready",
	"kube-proxy leaves out endpoints that are not ready",
	"unless no other is ready",
	"nothing puts the components in an order",
	"with a sleep of 30 s no request is lost",
	"all of it holds for kube-proxy, not for other data planes",
}

// SeedClaims is how many there are.
const SeedClaims = len(seed)

// SeedClaim is what the articles say by a claim's id, such as C31; empty if there is none.
func SeedClaim(id string) string {
	n, err := strconv.Atoi(strings.TrimPrefix(id, "C"))
	if err != nil || n < 1 || n > len(seed) || id != "C"+strconv.Itoa(n) {
		return ""
	}
	return seed[n-1]
}
