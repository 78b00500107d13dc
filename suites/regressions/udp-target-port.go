package regressions

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

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
