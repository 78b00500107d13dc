package regressions

import (
	"context"
	"fmt"
	"strings"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rollcall/fixtures"
	"rollcall/harness"
	"rollcall/harness/evidence"
	"rollcall/harness/observe"
	"rollcall/harness/verdict"
)

// udpWithoutEndpoints: a node translates the datagrams of a socket as it did the first, by an entry of its connection table, until
// kube-proxy deletes that. Releases from 1.32 on delete none of a Service that has no endpoints, so that its clients send to a pod that
// is gone, and wait in silence (Kubernetes v1.36.4, pkg/proxy/conntrack/cleanup.go, CleanStaleEntries; v1.37.0 deletes them). The first
// new endpoint mends it on every release. A new socket has no entry, and is refused.
func udpWithoutEndpoints() harness.Scenario {
	const (
		kept     = "datagrams of a socket from before that are refused while no pod serves"
		fresh    = "datagrams of new sockets that are refused while no pod serves"
		again    = "datagrams of the socket from before that are answered when a pod serves again"
		unserved = 18 * time.Second
		// settled is for how long a node may route as before: kube-proxy's minSyncPeriod is 1 s, and 2 s beside it are the harness's own.
		settled = 3 * time.Second
	)
	app := fixtures.App{Replicas: 1, UDP: true, OnTerm: fixtures.Exit}
	return harness.Scenario{
		ID:    "udp-without-endpoints",
		Claim: "datagrams to a Service without endpoints are refused, also those of a socket that was answered before",
		App:   app,
		Lasts: 45 * time.Second,
		Bug: byFact(kept, evidence.Bug{
			Issue: 139628, Component: kubeProxy, Affected: []evidence.Releases{{Since: "1.32.0", Before: "1.37.0"}}, Fixed: "1.37.0",
		}),
		Steps: func(ctx context.Context, steps *harness.Steps) error {
			if err := steps.Deploy(ctx, app, "v1"); err != nil {
				return err
			}
			workers, err := steps.Workers(ctx)
			if err != nil {
				return err
			}
			service, err := steps.Client.CoreV1().Services(steps.Namespace).Get(ctx, app.ResourceName(), metav1.GetOptions{})
			if err != nil {
				return err
			}
			oneSocket, newSockets, err := askInDatagrams(ctx, steps, app)
			if err == nil {
				err = pause(ctx, settled) // in which the socket is answered, which makes the entry
			}
			if err == nil {
				err = scale(ctx, steps, app, 0)
			}
			if err == nil {
				err = steps.Until(ctx, func(s observe.State) bool { return s.Count("v1") == 0 && len(s.Endpoints) == 0 })
			}
			if err != nil {
				return err
			}
			none := time.Now()
			if err := pause(ctx, unserved); err != nil {
				return err
			}
			entries, served := conntrackOf(ctx, steps, workers[0], service.Spec.ClusterIP), time.Now()
			if err := scale(ctx, steps, app, 1); err != nil {
				return err
			}
			if err := steps.Until(ctx, func(s observe.State) bool { return s.Available("v1") == 1 }); err != nil {
				return err
			}
			ready := time.Now()
			if err := pause(ctx, 2*settled); err != nil {
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
			said := tally(during(before, none.Add(settled), served), refused)
			if said != all {
				said += entries
			}
			steps.Note(kept, said)
			steps.Note(fresh, tally(during(others, none.Add(settled), served), refused))
			steps.Note(again, tally(during(before, ready.Add(settled), time.Now()), harness.Good))
			return nil
		},
		Expect: []evidence.Expectation{
			verdict.ByClients(verdict.Fact(kept, all)), verdict.ByClients(verdict.Fact(fresh, all)), verdict.ByClients(verdict.Fact(again, all)),
		},
	}
}

// scale sets how many replicas the app's Deployment has.
func scale(ctx context.Context, steps *harness.Steps, app fixtures.App, replicas int32) error {
	name := app.ResourceName()
	_, err := steps.Client.AppsV1().Deployments(steps.Namespace).UpdateScale(ctx, name, &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{Namespace: steps.Namespace, Name: name}, Spec: autoscalingv1.ScaleSpec{Replicas: replicas},
	}, metav1.UpdateOptions{})
	return err
}

// conntrackOf says which entries a node has for datagrams to an address, where it can be asked.
func conntrackOf(ctx context.Context, steps *harness.Steps, node, address string) string {
	own, err := steps.Own()
	if err != nil {
		return ""
	}
	entries, err := own.Exec(ctx, node, "conntrack --dump --proto udp --orig-dst "+address+" 2>/dev/null || true")
	if err != nil {
		return ""
	}
	if entries == "" {
		return "; conntrack has no entry"
	}
	lines := strings.Split(entries, "\n")
	return fmt.Sprintf("; conntrack has %d, the first: %s", len(lines), strings.Join(strings.Fields(lines[0]), " "))
}
