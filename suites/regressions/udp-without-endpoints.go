package regressions

import (
	"context"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/verdict"
)

// udpWithoutEndpoints: a node translates the datagrams of a socket like its first one, by an entry of its connection table, until
// kube-proxy deletes the entry. Releases from 1.32 on delete no entry of a Service without endpoints, so that its clients send to a
// pod that is gone, and wait without an error (Kubernetes v1.36.4, pkg/proxy/conntrack/cleanup.go, CleanStaleEntries; v1.37.0
// deletes them). On every release the first new endpoint repairs this, and a new socket, which has no entry, is refused.
func udpWithoutEndpoints() harness.Scenario {
	const kept = "datagrams of a socket from before that are refused while no pod serves"
	app := fixtures.App{Replicas: 1, UDP: true, OnTerm: fixtures.Exit}
	return harness.Scenario{
		ID:    "udp-without-endpoints",
		Claim: "datagrams to a Service without endpoints are refused, also those of a socket that was answered before",
		App:   app,
		// A node's limit of refusals per second is shared by all of its clients (Linux, net.ipv4.icmp_msgs_per_sec).
		Exclusive: true,
		Bug: byFact(kept, evidence.Bug{
			Issue: 139628, Component: kubeProxy, Affected: []evidence.Releases{{Since: "1.32.0", Before: "1.37.0"}}, Fixed: "1.37.0",
		}),
		Kind: harness.InSteps{Lasts: 35 * time.Second, Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			oneSocket, newSockets := sendDatagrams(ctx, steps, app)
			steps.Scale(ctx, app.ResourceName(), 0)
			steps.Until(ctx, func(s observe.State) bool { return s.Count("v1") == 0 && len(s.Endpoints) == 0 })
			became := refusals(ctx, steps, oneSocket, newSockets)
			if became != all {
				became += conntrackOf(ctx, steps, oneSocket.Node, app)
			}
			steps.Note(kept, became)
		}},
		Expect: []evidence.Expectation{verdict.Fact(kept, all).ByClients()},
	}
}

// conntrackOf returns which entries a node has for datagrams to an app's Service; empty if commands cannot be run on the node.
func conntrackOf(ctx context.Context, steps *harness.Steps, node string, app fixtures.App) string {
	ours, err := steps.Changeable()
	if err != nil {
		return ""
	}
	service := harness.Must(steps.Client.CoreV1().Services(steps.Namespace).Get(ctx, app.ResourceName(), metav1.GetOptions{}))
	entries := harness.Must(ours.Exec(ctx, node, "conntrack --dump --proto udp --orig-dst "+service.Spec.ClusterIP+" 2>/dev/null || true"))
	if entries == "" {
		return "; conntrack has no entry"
	}
	lines := strings.Split(entries, "\n")
	return fmt.Sprintf("; conntrack has %d, the first: %s", len(lines), strings.Join(strings.Fields(lines[0]), " "))
}
