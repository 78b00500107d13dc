package suites_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/rollcall/harness/golden"
	"example.com/rollcall/harness/mutants"
	"example.com/rollcall/reports"
	"example.com/rollcall/suites"
)

// A pitfall is a way in which rollouts go wrong that the seed claims do not name.
type pitfall struct {
	says, costs string
	scenarios   []string // suite/id; where there are several, one loses what the other does not
	lacks       string   // what is not shown, and why; empty: nothing
}

// pitfalls are numbered from P1, the first.
var pitfalls = []pitfall{
	{ // P1
		says:      "an app that ignores SIGTERM is killed at the end of its grace",
		costs:     "what is then in flight on keep-alive connections",
		scenarios: []string{"termination/sigterm-ignored", "termination/sigterm-heard", "termination/grace-ignored"},
	},
	{ // P2
		says:  "a shell as PID 1 does not pass SIGTERM on",
		lacks: "every app of ours runs without a shell; its pods would end as those of P1",
	},
	{ // P3
		says:      "requests that take longer than what is left of the grace after the hook are cut",
		costs:     "what is in flight then",
		scenarios: []string{"termination/sigterm-ignored", "rollout/storm"},
		lacks:     "no pair of scenarios at both sides of the boundary",
	},
	{ // P4
		says:      "a keep-alive connection stays with its old pod until the pod closes it",
		costs:     "replies by the old version, for as long as the client keeps the connection",
		scenarios: []string{"dataplane/kept-stream", "switchover/blue-green"},
	},
	{ // P5
		says:      "a graceful shutdown closes the listener first",
		costs:     "new connections, until nodes' rules follow",
		scenarios: []string{"termination/shutdown-at-sigterm", "termination/shutdown-after-sleep"},
	},
	{ // P6
		says:  "one HTTP/2 connection is one pod, until the server says GOAWAY",
		lacks: "clients speak HTTP/1.1",
	},
	{ // P7
		says:  "a native sidecar ends after the main containers, and a plain one with them",
		costs: "what the app sends through it while it drains",
		lacks: "case f8 of `make cases` shows it for `try`; no scenario",
	},
	{ // P8
		says:      "a preStop hook that shuts the app down is not a drain",
		costs:     "the same",
		scenarios: []string{"termination/shutdown-by-hook", "termination/shutdown-after-sleep"},
	},
	{ // P9
		says:      "a readiness probe that fails once takes the pod out of the Service",
		costs:     "capacity; everything if all fail",
		scenarios: []string{"regressions/kubelet-restart"},
		lacks:     "no probe that fails under load",
	},
	{ // P10
		says:      "slow starts make the rollout long, and cold pods answer late",
		costs:     "time; latency",
		scenarios: []string{"rollout/gradual-full-surge"},
		lacks:     "the latency of new pods alone is not judged; case m10b of `make cases` shows it",
	},
	{ // P11
		says:      "a version that crashes soon after it is ready has by then replaced the old one",
		costs:     "an outage; with minReadySeconds longer than the time to the crash, old pods stay",
		scenarios: []string{"rollout/crash-let-in", "rollout/crash-held-up"},
	},
	{ // P12
		says:      "a readiness gate that nobody sets blocks the rollout",
		costs:     "time; old pods serve",
		scenarios: []string{"rollout/gradual-full-surge"},
	},
	{ // P13
		says:  "a readiness probe fails only under load",
		costs: "capacity, when it is needed most",
		lacks: "no probe of ours depends on the load",
	},
	{ // P14
		says:  "clients of a headless Service choose pods by DNS, and keep what they resolved",
		costs: "requests to pods that are gone",
		lacks: "clients request the Service's address",
	},
	{ // P15
		says:  "with externalTrafficPolicy Local a node without a ready pod drops what the load balancer sends",
		costs: "new connections through that node",
		lacks: "no load balancer checks the health of nodes here",
	},
	{ // P16
		says:  "with internalTrafficPolicy Local a node without a pod serves none",
		costs: "every request of clients on that node",
		lacks: "no Service of a scenario has it",
	},
	{ // P17
		says:      "with sessionAffinity a client stays with its pod until that has left the endpoints",
		costs:     "with pods that do not drain, all new connections of some clients",
		scenarios: []string{"rollout/affine-drained", "rollout/affine-undrained"},
	},
	{ // P18
		says:  "trafficDistribution sends to pods nearby, and falls back when they end",
		costs: "an uneven load",
		lacks: "kind's nodes have no zones",
	},
	{ // P19
		says:      "publishNotReadyAddresses keeps pods in the Service from start to end",
		costs:     "requests to pods that do not listen",
		scenarios: []string{"rollout/unready-published", "rollout/unready-unpublished", "termination/endpoint-published"},
	},
	{ // P20
		says:      "datagrams of one client stay with their pod as long as it serves",
		costs:     "datagrams",
		scenarios: []string{"regressions/udp-without-endpoints"},
		lacks:     "no rollout of an app that answers datagrams",
	},
	{ // P21
		says:      "a rollout that cannot succeed stands still, and nothing undoes it",
		costs:     "nothing with RollingUpdate; everything with Recreate",
		scenarios: []string{"rollout/stuck-image", "rollout/stuck-crashing", "rollout/stuck-recreated"},
	},
	{ // P22
		says:      "a rollout is undone midway",
		costs:     "nothing, if pods drain",
		scenarios: []string{"rollout/undone-drained", "rollout/undone-undrained"},
	},
	{ // P23
		says:      "an update begins before the last one is done",
		costs:     "nothing, if pods drain; three ReplicaSets have pods",
		scenarios: []string{"rollout/overtaken-drained", "rollout/overtaken-undrained"},
	},
	{ // P24
		says:      "a paused Deployment stands still, and cannot be undone",
		costs:     "both versions serve meanwhile",
		scenarios: []string{"rollout/paused", "rollout/paused-sizes"},
	},
	{ // P25
		says:      "the only pod of an app is replaced",
		costs:     "an outage without a surge, if the next pod takes longer to start than the old pod takes to stop",
		scenarios: []string{"rollout/single-surged", "rollout/single-unsurged"},
	},
	{ // P26
		says:      "a quota leaves no room for a surge",
		costs:     "nothing; the rollout stands still",
		scenarios: []string{"rollout/surge-under-quota", "rollout/full-surge-under-quota"},
	},
	{ // P27
		says:      "the surge finds no node",
		costs:     "nothing; the rollout stands still",
		scenarios: []string{"rollout/stuck-pending"},
	},
	{ // P28
		says:      "a ConfigMap is changed, and nothing rolls it out",
		costs:     "the new content, until pods are replaced; another name is a rollout",
		scenarios: []string{"rollout/config-map"},
	},
	{ // P29
		says:      "scaling in takes pods of the least deletion cost first, and else the newest",
		costs:     "pods that somebody wanted to keep",
		scenarios: []string{"rollout/scaled-in-by-cost"},
	},
	{ // P30
		says:      "a label that is changed takes a pod out of its Service and its ReplicaSet",
		costs:     "nothing; the pod goes on",
		scenarios: []string{"rollout/taken-out-by-label"},
	},
	{ // P31
		says:      "a StatefulSet whose new pod is broken stands still, and setting the template back does not help",
		costs:     "the share of the broken pod",
		scenarios: []string{"statusgap/broken-set-ordered", "statusgap/broken-set-parallel"},
	},
	{ // P32
		says:      "a drain meets a PodDisruptionBudget that lets no pod go",
		costs:     "the drain, or requests",
		scenarios: []string{"disruption/drain-blocked", "disruption/drain-budgeted", "disruption/drain-unbudgeted"},
	},
	{ // P33
		says:  "a node under pressure ends pods with a grace of 1 s",
		costs: "what a drain of the pod would have saved",
		lacks: "a node under pressure is the host's, which others use",
	},
	{ // P34
		says:      "a node dies",
		costs:     "its share of new connections, for 35 s to a minute",
		scenarios: []string{"disruption/node-off", "disruption/node-cut", "disruption/node-frozen"},
	},
	{ // P35
		says:      "kube-proxy is down while pods are replaced",
		costs:     "its node's clients are sent to pods that are gone",
		scenarios: []string{"disruption/proxy-restarted", "disruption/proxy-down-in-rollout"},
	},
	{ // P36
		says:      "kube-proxy's mode is changed on a live node",
		costs:     "new connections, until its rules are written",
		scenarios: []string{"disruption/mode-switched"},
		lacks: "that no rules of the other mode are left is not asserted; case m12 of `make cases` shows what is " +
			"lost",
	},
	{ // P37
		says:      "the control plane is down",
		costs:     "nothing, until a pod ends",
		scenarios: []string{"disruption/api-server-away", "disruption/etcd-stopped", "disruption/controller-manager-stopped-at-deletion"},
	},
	{ // P38
		says:      "the control plane is upgraded, or has another leader, in a rollout",
		costs:     "nothing",
		scenarios: []string{"upgrade/drained-upgrade"},
		lacks:     "the rollouts are before and after it",
	},
	{ // P39
		says:      "an upgrade drains node after node",
		costs:     "nothing if each drain waits for the watches, else requests",
		scenarios: []string{"upgrade/drained-upgrade", "upgrade/hurried-upgrade", "upgrade/undrained-upgrade"},
	},
	{ // P40
		says:      "a node does not hear from the API server in a rollout",
		costs:     "requests to pods that have ended, from clients on that node",
		scenarios: []string{"disruption/api-server-cut-off-in-rollout", "disruption/api-server-cut-off-outlasted"},
	},
	{ // P41
		says:      "a node's connection table is full",
		costs:     "new connections of that node",
		scenarios: []string{"mutants/conntrack-full"},
	},
	{ // P42
		says:      "client or app get too little CPU",
		costs:     "replies that are late for no fault of the rollout",
		scenarios: []string{"mutants/host-starved"},
	},
	{ // P43
		says:      "a rollout is begun again, or an autoscaler works, in its middle",
		costs:     "nothing, if pods drain",
		scenarios: []string{"autoscale/grown-in-rollout-drained", "autoscale/grown-in-rollout-undrained", "rollout/overtaken-drained"},
	},
	{ // P44
		says:  "an Ingress, a gateway or a mesh follows the endpoints by itself",
		costs: "requests that the Service would have served",
		lacks: "none is installed; `during --url` asks through yours",
	},
	{ // P45
		says:      "another number of a named port is each version's own, and of a numeric one nobody's",
		costs:     "everything until it is changed back",
		scenarios: []string{"regressions/udp-target-port"},
		lacks:     "case n12 of `make cases` shows both for users' apps",
	},
	{ // P46
		says:      "required anti-affinity leaves no node for a surge",
		costs:     "nothing; the rollout stands still",
		scenarios: []string{"rollout/surge-apart"},
	},
	{ // P47
		says:      "more than 100 endpoints are in several slices, which change one after the other",
		costs:     "nothing",
		scenarios: []string{"dataplane/several-slices-drained", "dataplane/several-slices-undrained"},
	},
	{ // P48
		says:      "a finalizer keeps the object of a pod that has ended",
		costs:     "a StatefulSet's next pod",
		scenarios: []string{"rollout/finalizer-of-deployment", "rollout/finalizer-of-stateful-set"},
	},
	{ // P49
		says:      "the selector of a Deployment is changed",
		costs:     "the whole manifest is refused",
		scenarios: []string{"rollout/selector"},
	},
	{ // P50
		says:      "rules that somebody deleted on a node come back only with a change of the Service",
		costs:     "every request that needs them",
		scenarios: []string{"disruption/rules-lost"},
		lacks:     "kube-proxy is restarted; that it repairs nothing before is not asserted",
	},
	{ // P51
		says:      "a preStop hook that a rollout adds does not protect the old pods of that rollout",
		costs:     "that rollout loses requests",
		scenarios: []string{"rollout/hook-added", "rollout/hook-added-before"},
	},
	{ // P52
		says:      "the progress deadline is for each step, not for the rollout",
		costs:     "a reported failure of a rollout that goes on and succeeds",
		scenarios: []string{"rollout/deadline-renewed", "rollout/deadline-exceeded"},
	},
	{ // P53
		says:      "an app crashes in the middle of a rollout",
		costs:     "availability below what maxUnavailable allows, until its kubelet has started it again",
		scenarios: []string{"disruption/app-killed-midway"},
	},
	{ // P54
		says:  "the controller manager restarts within minReadySeconds",
		costs: "nothing",
		lacks: "it is never restarted in a rollout with minReadySeconds",
	},
	{ // P55
		says:  "liveness probes are not asked while a pod ends",
		costs: "nothing",
		lacks: "no app of ours fails its liveness probe while it drains",
	},
	{ // P56
		says:      "an app exits with something other than 0 at SIGTERM",
		costs:     "pods that count as failed",
		scenarios: []string{"termination/grace-unused", "termination/grace-drained"},
	},
	{ // P57
		says: "rollout status follows the object's name, so it can report success for someone else's change; for a " +
			"DaemonSet it waits until old pods have ended",
		costs:     "a false success",
		scenarios: []string{"statusgap/status-follows", "statusgap/daemon-set-surged", "statusgap/daemon-set"},
	},
	{ // P58
		says:      "a Service is deleted with its pods",
		costs:     "the whole drain",
		scenarios: []string{"switchover/deleted-with-service", "switchover/deleted-before-service"},
	},
}

const pitfallsHead = `# Pitfalls

Ways in which rollouts go wrong that the [seed claims](CLAIMS.md) do not name, and the scenarios that show them: where there are two,
one loses what the other does not. ` + "`rollcall explain <scenario>`" + ` has more. Of %d, %d are shown, %d in part, and %d not.

`

const pitfallsFoot = `
Users also ask about: scaling in under load (` + "`rollout/scaled-in-drained`, `rollout/scaled-in-undrained`" + `), two of four pods at a time
(` + "`rollout/unavailable-drained`, `rollout/unavailable-undrained`" + `), a DaemonSet (` + "`statusgap/daemon-set-undrained`" + `), a StatefulSet of which
several pods end together (` + "`statusgap/stateful-set-unavailable-two`, `statusgap/stateful-set-unavailable-all`" + `), what kubectl prints of a
rollout (` + "`rollout/conditions`, `rollout/events-in-order`" + `), an undo to a named revision (` + "`rollout/undo-to-revision`" + `), blue/green with a test
before the switch (` + "`switchover/blue-green-tested`, `switchover/blue-green-refused`, `switchover/blue-green-untested`" + `), and a canary for some
users (` + "`switchover/canary-by-header`, `switchover/canary-by-header-broken`" + `).
`

// The guide to pitfalls names scenarios that there are.
func TestPitfalls(t *testing.T) {
	known := map[string]bool{}
	for suite, scenarios := range suites.All() {
		for _, s := range scenarios {
			known[suite+"/"+s.ID] = true
		}
	}
	for _, m := range mutants.All() {
		known["mutants/"+m.ID] = true
	}
	var table strings.Builder
	table.WriteString(reports.Head("pitfall", "in one sentence", "what it costs", "shown", "scenarios", "what is not shown"))
	counts := map[string]int{}
	for i, p := range pitfalls {
		var names []string
		for _, name := range p.scenarios {
			if !known[name] {
				t.Errorf("P%d: there is no scenario %s", i+1, name)
			}
			names = append(names, "`"+name+"`")
		}
		counts[p.shown()]++
		table.WriteString(reports.Row(fmt.Sprintf("P%d", i+1), p.says, p.costs, p.shown(), strings.Join(names, ", "), p.lacks))
	}
	golden.File(t, "PITFALLS.md", fmt.Sprintf(pitfallsHead, len(pitfalls), counts["yes"], counts["in part"], counts["no"])+table.String()+
		pitfallsFoot)
}

func (p pitfall) shown() string {
	switch {
	case len(p.scenarios) == 0:
		return "no"
	case p.lacks != "":
		return "in part"
	default:
		return "yes"
	}
}
