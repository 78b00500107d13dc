package regressions

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/verdict"
)

// reusedAddress: a pod may get the address of a pod that has ended and is still listed as terminating. Of two endpoints with one
// address kube-proxy takes the first, or the one on its own node; if that is the terminating one, the node routes to neither
// (Kubernetes v1.35.3, pkg/proxy/endpointslicecache.go, addEndpoints; v1.36.0 prefers the one that does not terminate). The steps
// write the slices themselves, so that the shared address is not left to chance.
func reusedAddress() harness.Scenario {
	const (
		reached = "workers whose clients reach a ready pod with the address of one that has ended"
		// watched is our own choice: kube-proxy writes its rules a second after a change by default, and after 10 s with some providers.
		watched = 15 * time.Second
	)
	app := fixtures.App{Replicas: 1, OnTerm: fixtures.Drain}
	return harness.Scenario{
		ID:    "reused-address",
		Claim: "every node routes to a ready pod although a terminating endpoint of the same Service has its address",
		App:   app,
		Uses:  []string{harness.Slices},
		Bug: byFact(reached, evidence.Bug{
			Issue: 135266, Component: kubeProxy, Affected: []evidence.Releases{{Before: "1.36.0"}}, Fixed: "1.36.0",
		}),
		Kind: harness.InSteps{Do: func(ctx context.Context, steps *harness.Steps) {
			workers := steps.Workers(ctx)
			if len(workers) < 2 {
				harness.Check(&cluster.Unsupported{Because: "it needs two nodes that carry load: --load-nodes"})
			}
			service := app.Service(steps.Into, 0)
			service.Spec.Selector = nil // so that no controller writes its slices
			service = harness.Must(steps.Client.CoreV1().Services(steps.Namespace).Create(ctx, service, metav1.CreateOptions{}))
			on := app
			on.Nodes = workers[1:2]
			harness.Must(steps.Client.AppsV1().Deployments(steps.Namespace).Create(ctx, on.Deployment(steps.Into, "v1"), metav1.CreateOptions{}))
			steps.Until(ctx, func(s observe.State) bool { return s.Available("v1") == 1 })
			pod := onlyPod(ctx, steps)
			listed := steps.Client.DiscoveryV1().EndpointSlices(steps.Namespace)
			ready := sliceOf(steps.Into, service, "ready", pod, workers[1], discoveryv1.EndpointConditions{
				Ready: new(true), Serving: new(true), Terminating: new(false)})
			harness.Must(listed.Create(ctx, ready, metav1.CreateOptions{}))
			clients := requestFromWorkers(ctx, steps, fixtures.HTTPURL(service))
			before := make([]int, len(clients)) // requests while there was one endpoint with the address
			for i, client := range clients {
				before[i] = len(client.Await(ctx, harness.Good))
			}
			ended := sliceOf(steps.Into, service, "ended", pod, workers[0], discoveryv1.EndpointConditions{
				Ready: new(false), Serving: new(false), Terminating: new(true)})
			harness.Must(listed.Create(ctx, ended, metav1.CreateOptions{}))
			steps.Pause(ctx, watched)
			var last observe.State
			steps.Within(ctx, 0, func(s observe.State) bool { last = s; return true })
			var not []string
			for i, client := range clients {
				if said := tally(client.Requests(ctx)[before[i]:], harness.Good); said != all {
					not = append(not, fmt.Sprintf("%s (%s%s)", workers[i], said, ruleText(last, workers[i], pod.Name)))
				}
			}
			steps.Note(reached, allBut(len(workers), not))
		}},
		Expect: []evidence.Expectation{verdict.Fact(reached, all).ByClients()},
	}
}

// ruleText says whether the rules of a node route to a pod; empty if they were not observed.
func ruleText(s observe.State, node, pod string) string {
	routed, observed := s.Rules[node]
	switch {
	case !observed:
		return ""
	case slices.ContainsFunc(routed, func(p evidence.Server) bool { return p.Pod == pod }):
		return "; its rules route there"
	}
	return "; its rules do not route there"
}

// onlyPod returns the app's only pod.
func onlyPod(ctx context.Context, steps *harness.Steps) *corev1.Pod {
	pods := steps.Pods(ctx)
	if len(pods) != 1 {
		harness.Check(fmt.Errorf("the app has %d pods, want 1", len(pods)))
	}
	return &pods[0]
}

// sliceOf returns a slice of a Service with one endpoint: a pod, as if it were on the given node.
func sliceOf(
	to fixtures.Destination, service *corev1.Service, name string, pod *corev1.Pod, node string, is discoveryv1.EndpointConditions,
) *discoveryv1.EndpointSlice {
	port := fixtures.HTTPPort(service)
	meta := to.Object(service.Name, discoveryv1.LabelServiceName, service.Name, discoveryv1.LabelManagedBy, fixtures.Owner)
	meta.Name += "-" + name
	// Deleted with the Service, so that it takes no right to delete slices.
	meta.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Service", Name: service.Name, UID: service.UID}}
	return &discoveryv1.EndpointSlice{
		ObjectMeta:  meta,
		AddressType: discoveryv1.AddressTypeIPv4,
		Ports: []discoveryv1.EndpointPort{{
			Name: new(port.Name), Port: new(int32(fixtures.AppPort)), Protocol: new(corev1.ProtocolTCP)}},
		Endpoints: []discoveryv1.Endpoint{{
			Addresses: []string{pod.Status.PodIP}, NodeName: new(node), Conditions: is,
			TargetRef: &corev1.ObjectReference{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
		}},
	}
}
