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
	// Do is what follows for those who roll out.
	Do string
	// Parts names the parts of the sentence: expectations decide "before" of C5 as C5.before. The claim holds if all parts were shown. Empty:
	// it has no parts.
	Parts []string
}

// seed is what four articles about rollouts say, as claims C1 to C41; suites/CLAIMS.md names them.
var seed = [...]SeedClaim{
	{Says: "\"successfully rolled out\" is printed while old pods are still terminating",
		Do: "do not start what needs the new version alone when rollout status reports success; wait as C5 says"},
	{Says: "new requests can still reach a terminating pod",
		Do: "let pods serve on after their deletion: a preStop sleep that is longer than rules take (rollcall try says how long)"},
	{Says: "a terminating pod is detached within a second, mostly",
		Do: "do not count on a second: look up minSyncPeriod of kube-proxy, and measure with rollcall try"},
	{Says: "\"rolled out\" means that the wanted number of new pods is ready",
		Truth: "every new pod is available, which is ready for minReadySeconds, and the old replicas are scaled down, though their pods " +
			"may still run",
		Do: "set minReadySeconds if a pod that is ready may still fail; for the end of old pods wait as C5 says"},
	{Says: "a rollout is over when no old pod exists", Parts: []string{"before", "after"},
		Do: "wait until no old pod runs: rollcall wait --service=NAMESPACE/NAME, or kubectl wait --for=delete of the old pods"},
	{Says: "Recreate makes a clean cut",
		Do: "use strategy Recreate only where two versions must not run together, and plan an outage of a stop and a start"},
	{Says: "a StatefulSet makes a clean cut, and rollout status can be relied on", Parts: []string{"clean-cut", "status"},
		Truth: "both versions answer while pods are replaced one by one; the old pod of a name ends before the next one starts, and " +
			"no old pod answers once rollout status reports success",
		Do: "use rollout status as the end of a StatefulSet's rollout; where versions must not mix, scale it to 0 first"},
	{Says: "a migration call made after the rollout hit the old version",
		Do: "make such calls when no old pod is in the API any more, over a new connection"},
	{Says: "the default strategy is a rolling update at 25 % and 25 %",
		Do: "name maxSurge and maxUnavailable in the manifest if every pod counts: by default a quarter may be missing"},
	{Says: "of 4 pods at 25 % one is replaced after the other, and 4 are kept",
		Truth: "3 of them stay available and at most 5 are asked for: one more is started and one fewer kept",
		Do:    "set maxUnavailable: 0 if 3 of 4 pods cannot carry the load"},
	{Says: "applying replicas: 1 under an autoscaler at 12 kills 11 pods at once; it restores 6, then 12",
		Parts: []string{"kills", "minimum", "size"},
		Do:    "leave spec.replicas out of manifests of Deployments that an autoscaler scales"},
	{Says: "the percentages are of the Deployment's replicas, not of the autoscaler's",
		Truth: "they are of the replicas that the autoscaler wrote, for a Deployment has no others",
		Do:    "count with the size that the app has when it is rolled out"},
	{Says: "the same happens with a minimum of 1 and 4 pods", Parts: []string{"kills", "size"},
		Do: "leave spec.replicas out of manifests of Deployments that an autoscaler scales; a higher minReplicas shortens the loss"},
	{Says: "with replicas: 4 in the manifest 4 pods are kept during the rollout",
		Truth: "4 are asked for, but with the limits of 25 % that Deployments have by themselves 3 of them stay available",
		Do:    "leave spec.replicas out, and set maxUnavailable: 0"},
	{Says: "minReplicas is the floor, and replicas the size while deploying", Parts: []string{"floor", "size"},
		Do: "leave spec.replicas out of the manifest: then the size stays what the autoscaler made it"},
	{Says: "100 % surge and 0 % unavailable never lack a pod, and need twice the resources", Parts: []string{"pods", "resources"},
		Do: "keep room, and quota, for twice the pods; with less the rollout only takes longer"},
	{Says: "and they shorten the time in which versions mix", Parts: []string{"all-at-once", "one-by-one"},
		Do: "use maxSurge: 100% to mix versions for less time; kept connections stay with old pods until these have drained"},
	{Says: "a rolling update mixes versions",
		Do: "keep two successive versions compatible, or use Recreate or blue/green"},
	{Says: "blue/green is a change of network, and goes back at once",
		Truth: "new connections go back at once, and kept ones not at all, for as long as their clients keep them",
		Do:    "after a switch end the kept connections too: stop the pods of the other colour, which then drain"},
	{Says: "there are two strategies, and a rolling update is the default", Parts: []string{"strategies", "default"},
		Do: "for anything else, such as blue/green or a canary, use several Deployments behind one Service"},
	{Says: "3 pods at 30 % and 10 % are scaled 0→1, 3→2, 1→2, 2→1, 2→3, 1→0",
		Do: "nothing: maxSurge is rounded up and maxUnavailable down, so that 3 pods are always there"},
	{Says: "describe shows the pods by state, and the conditions Available and Progressing",
		Do: "look at Progressing: ProgressDeadlineExceeded says that a rollout is stuck, while Available may stay True"},
	{Says: "each rollout adds a revision; applying the first version again makes the third",
		Do: "go back by manifest or by kubectl rollout undo; both reuse the old ReplicaSet"},
	{Says: "only changes of the pod template make a revision",
		Do: "to roll out a changed ConfigMap or Secret, change the template too, such as by an annotation with its hash"},
	{Says: "10 old ReplicaSets are kept, or as many as revisionHistoryLimit says",
		Do: "never set revisionHistoryLimit: 0: then there is nothing to undo"},
	{Says: "10 pods at 30 % unavailable are never fewer than 7",
		Do: "count with rounding down; crashes, drains and evictions come on top"},
	{Says: "30 % surge is never more than 130 % of the pods",
		Truth: "surge is rounded up: of 3 pods it makes 4, which are 133 %",
		Do:    "keep room for the surge rounded up, and for terminating pods, which no limit counts"},
	{Says: "with 100 % surge all new pods start before any old one ends: blue/green",
		Truth: "one old pod goes for each new one that gets ready, so both versions answer",
		Do:    "for a switch at one moment use two Deployments and change the Service's selector"},
	{Says: "percentages are better than numbers, because of autoscaling", Parts: []string{"percentages", "numbers"},
		Do: "write maxUnavailable as a percentage, or as 0"},
	{Says: "deleting and applying causes an outage", Parts: []string{"undrained", "drained"},
		Truth: "it does where pods exit at once, for as long as their successors take to start, and costs no request where old pods serve on " +
			"until these are ready",
		Do: "apply without deleting; if you have to delete, keep the Service, and let pods sleep in preStop for longer than the next ones start"},
	{Says: "writing iptables rules races with ending the container, and requests fail",
		Do: "let pods sleep in preStop for longer than rules take to follow"},
	{Says: "a rolling update never stops the Service",
		Truth: "it fails requests where nobody probes whether new pods listen, and none where somebody does and old ones drain",
		Do:    "set a readinessProbe and a preStop sleep, and let the app finish what is in flight",
		Parts: []string{"unprobed", "probed"}},
	{Says: "a preStop hook is an exec, an httpGet or a sleep",
		Do: "use sleep, which needs no program in the image"},
	{Says: "the sleep buys time: SIGTERM comes after it, all within the grace period",
		Do: "set terminationGracePeriodSeconds to the sleep and the drain together, or more"},
	{Says: "a pod's deletion is seen as an update of it",
		Do: "in your own controllers look at deletionTimestamp in updates; the delete event comes when the pod has ended"},
	{Says: "a terminating pod's endpoint is not ready",
		Do: "do not set publishNotReadyAddresses on a Service of clients: then it stays ready until the end"},
	{Says: "kube-proxy leaves out endpoints that are not ready", Parts: []string{"terminating", "unready"},
		Do: "let the readinessProbe say whether the app can serve"},
	{Says: "unless no other is ready",
		Do: "do not fail the readinessProbe on SIGTERM: the last pods would lose the requests that they could serve"},
	{Says: "nothing puts the components in an order", Parts: []string{"rules-first", "sigterm-first"},
		Do: "do not rely on an order: a preStop sleep gives the rules time before SIGTERM"},
	{Says: "with a sleep of 30 s no request is lost",
		Do: "sleep for longer than rules take to follow; 30 s is plenty where kube-proxy has its defaults (rollcall try says how long)"},
	{Says: "all of it was seen with kube-proxy, not with other data planes", Parts: []string{"kube-proxy"},
		Do: "where nodes have no kube-proxy, measure: rollcall try and during ask clients, whatever routes"},
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
