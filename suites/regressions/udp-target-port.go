package regressions

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/edit"
	"rollcall/harness/evidence"
	"rollcall/harness/verdict"
)

// udpTargetPort: when a Service leads to another port of its pods, its clients are led there too. Releases 1.32 and 1.33 compare the
// entries of a node's connection table with the endpoints' addresses and not with their ports, so that a socket which was answered before
// goes on to ask the old port for as long as it asks at all (Kubernetes v1.33.6, pkg/proxy/conntrack/cleanup.go, CleanStaleEntries;
// v1.34.0 compares the ports too). Nobody listens on the new port: that its datagrams are refused shows where they went.
func udpTargetPort() harness.Scenario {
	const (
		kept    = "datagrams of a socket from before that follow the Service to a port where they are refused"
		fresh   = "datagrams of new sockets that follow the Service to a port where they are refused"
		unheard = fixtures.AppPort + 2
		asked   = 15 * time.Second
		settled = 3 * time.Second // kube-proxy's minSyncPeriod is 1 s, and 2 s beside it are the harness's own
	)
	app := fixtures.App{Replicas: 1, UDP: true, OnTerm: fixtures.Drain}
	return harness.Scenario{
		ID:    "udp-target-port",
		Claim: "datagrams follow a Service to another port of its pods, also those of a socket that was answered before",
		App:   app,
		Bug: byFact(kept, evidence.Bug{
			Issue: 130542, Component: kubeProxy, Affected: []evidence.Releases{{Since: "1.32.0", Before: "1.34.0"}}, Fixed: "1.34.0",
		}),
		Steps: func(ctx context.Context, steps *harness.Steps) error {
			if err := steps.Deploy(ctx, app, "v1"); err != nil {
				return err
			}
			oneSocket, newSockets, err := askInDatagrams(ctx, steps, app)
			if err == nil {
				err = pause(ctx, settled) // in which the socket is answered, which makes the entry
			}
			if err != nil {
				return err
			}
			_, err = edit.Live(ctx, steps.Client.CoreV1().Services(steps.Namespace), app.ResourceName(), func(live *corev1.Service) {
				for i := range live.Spec.Ports {
					if port := &live.Spec.Ports[i]; port.Protocol == corev1.ProtocolUDP {
						port.TargetPort = intstr.FromInt32(unheard)
					}
				}
			})
			if err != nil {
				return err
			}
			changed := time.Now()
			if err := pause(ctx, asked); err != nil {
				return err
			}
			before, err := oneSocket.Answers(ctx)
			if err != nil {
				return err
			}
			others, err := newSockets.Answers(ctx)
			if err != nil {
				return err
			}
			steps.Note(kept, tally(during(before, changed.Add(settled), time.Now()), refused))
			steps.Note(fresh, tally(during(others, changed.Add(settled), time.Now()), refused))
			return nil
		},
		Expect: []evidence.Expectation{verdict.ByClients(verdict.Fact(kept, all)), verdict.ByClients(verdict.Fact(fresh, all))},
	}
}

// refused is the outcome of a question that is refused.
const refused = "refused"

// askInDatagrams has a worker ask an app's Service over one socket, and over a new one each time. Both are slower than a node tells one
// peer that a port is unreachable, once a second (Linux, net.ipv4.icmp_ratelimit).
func askInDatagrams(ctx context.Context, steps *harness.Steps, app fixtures.App) (oneSocket, newSockets *harness.Asking, err error) {
	const every = "1500ms"
	workers, err := steps.Workers(ctx)
	if err != nil {
		return nil, nil, err
	}
	service, err := steps.Client.CoreV1().Services(steps.Namespace).Get(ctx, app.ResourceName(), metav1.GetOptions{})
	if err != nil {
		return nil, nil, err
	}
	url := "udp://" + service.Spec.ClusterIP + ":80"
	if oneSocket, err = steps.Ask(ctx, workers[0], "-every", every, url); err != nil {
		return nil, nil, err
	}
	newSockets, err = steps.Ask(ctx, workers[0], "-every", every, "-new-socket", url)
	return oneSocket, newSockets, err
}
