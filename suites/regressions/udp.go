package regressions

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// sendDatagrams makes a worker send datagrams to an app's Service over one socket, and over a new socket each time. It returns when both
// were answered: the node's connection table has an entry for the one socket then. Both send less often than once a second, which is how
// often a node tells one peer that a port is unreachable (Linux, net.ipv4.icmp_ratelimit).
func sendDatagrams(ctx context.Context, steps *harness.Steps, app fixtures.App) (oneSocket, newSockets *harness.RequestPod) {
	const every = "1500ms"
	workers := steps.Workers(ctx)
	service := harness.Must(steps.Client.CoreV1().Services(steps.Namespace).Get(ctx, app.ResourceName(), metav1.GetOptions{}))
	url := "udp://" + net.JoinHostPort(service.Spec.ClusterIP, "80")
	oneSocket = steps.RequestFrom(ctx, workers[0], "-every", every, url)
	newSockets = steps.RequestFrom(ctx, workers[0], "-every", every, "-new-socket", url)
	for _, client := range []*harness.RequestPod{oneSocket, newSockets} {
		client.Await(ctx, harness.Good)
	}
	return oneSocket, newSockets
}

// refusals waits until datagrams of new sockets are refused, which shows that the node's rules are in force, and returns what then
// becomes of datagrams of the old socket: all, or a tally. If none of a new socket is refused, the steps end, since a node may
// silently drop what leads nowhere.
func refusals(ctx context.Context, steps *harness.Steps, oneSocket, newSockets *harness.RequestPod) string {
	const (
		limit = time.Minute
		// settled is how long the connection table may lag behind the rules, which kube-proxy writes first in the same sync; its next
		// sync may be a minSyncPeriod of 1 s later. The rest is our own margin.
		settled = 3 * time.Second
		sent    = 12 * time.Second
	)
	limited, cancel := context.WithTimeoutCause(ctx, limit,
		errors.New("no datagram of a new socket was refused in a minute: what others get shows nothing"))
	defer cancel()
	fresh := newSockets.Await(limited, harness.Refused)
	steps.Pause(ctx, settled+sent)
	before := oneSocket.Requests(ctx)
	// Both clients are on one node, and so have the same clock.
	return tally(since(before, fresh[len(fresh)-1].At.Add(settled)), harness.Refused)
}

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

// udpTargetPort: when a Service changes the target port of its pods, its clients follow. Releases 1.32 and 1.33 compare the entries
// of a node's connection table with the endpoints' addresses but not with their ports, so that a socket which was answered before
// asks the old port for as long as it asks at all (Kubernetes v1.33.6, pkg/proxy/conntrack/cleanup.go, CleanStaleEntries; v1.34.0
// compares the ports too). Nobody listens on the new port: refused datagrams show that they went there.
func udpTargetPort() harness.Scenario {
	const (
		kept    = "datagrams of a socket from before that follow the Service to a port where they are refused"
		unheard = fixtures.AppPort + 2
	)
	app := fixtures.App{Replicas: 1, UDP: true, OnTerm: fixtures.Drain}
	return harness.Scenario{
		ID:    "udp-target-port",
		Claim: "datagrams follow a Service to another port of its pods, also those of a socket that was answered before",
		App:   app,
		// A node's limit of refusals per second is shared by all of its clients (Linux, net.ipv4.icmp_msgs_per_sec).
		Exclusive: true,
		Bug: byFact(kept, evidence.Bug{
			Issue: 130542, Component: kubeProxy, Affected: []evidence.Releases{{Since: "1.32.0", Before: "1.34.0"}}, Fixed: "1.34.0",
		}),
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			steps.Deploy(ctx, app, "v1")
			oneSocket, newSockets := sendDatagrams(ctx, steps, app)
			harness.Must(rollout.Edit(ctx, steps.Client.CoreV1().Services(steps.Namespace), app.ResourceName(), func(live *corev1.Service) {
				for i := range live.Spec.Ports {
					if port := &live.Spec.Ports[i]; port.Protocol == corev1.ProtocolUDP {
						port.TargetPort = intstr.FromInt32(unheard)
					}
				}
			}))
			steps.Note(kept, refusals(ctx, steps, oneSocket, newSockets))
		}},
		Expect: []evidence.Expectation{verdict.Fact(kept, all).ByClients()},
	}
}
