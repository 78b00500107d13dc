package termination

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/rollout"
	"example.com/rollcall/harness/verdict"
)

// nodeRules: the rules of a node, as its own tool prints them, before the deletion of a pod, while it terminates and when it is gone. Both
// pods are alike: their endpoints are not ready and serving (endpointslice v0.37.2, utils.go, podToEndpoint). kube-proxy leaves out the one
// that a rolling update has replaced, and keeps the last one of a Service until it has ended (KEP-1669; Kubernetes v1.37.2,
// pkg/proxy/topology.go, CategorizeEndpoints). The nodes have no tool for ipvs: there only the endpoints are judged.
func nodeRules() []harness.Scenario {
	replaced := func(ctx context.Context, steps *harness.Steps, app fixtures.App) {
		harness.Check(rollout.Update("v1", "v2").Begin(ctx, steps.Client, steps.Into, app))
	}
	last := func(ctx context.Context, steps *harness.Steps, app fixtures.App) {
		steps.Scale(ctx, app.ResourceName(), 0)
	}
	return []harness.Scenario{
		ruleOf("rule-of-replaced-pod",
			"a pod that a rolling update replaces is a serving endpoint that is not ready, and a node's rules lead to its successor instead",
			replaced,
			verdict.Fact(leadsToPod+meanwhile, "false"),
			verdict.Fact(leadsToPod+afterwards, "false"),
			verdict.Noted(entry+afterwards)),
		ruleOf("rule-of-last-pod",
			"the last pod of a Service is a serving endpoint that is not ready, too, and a node's rules lead to it until it has ended",
			last,
			verdict.Fact(leadsToPod+meanwhile, "true"),
			verdict.Fact(chain+afterwards, none),
			verdict.Fact(entry+afterwards, none)),
	}
}

// Facts about a node's rules, each at three moments, and about the pod's endpoint at the second.
const (
	chain      = "chain of the Service"
	entry      = "entry of the Service"
	leadsToPod = "the entry leads to the pod"

	beforehand = " before the deletion"
	meanwhile  = " while the pod terminates"
	afterwards = " when the pod is gone"
	none       = "none"

	endpointThen = "endpoint" + meanwhile
)

// ruleOf returns a scenario in which end deletes the only pod of an app at v1.
func ruleOf(id, claim string, end func(context.Context, *harness.Steps, fixtures.App), about ...evidence.Expectation) harness.Scenario {
	const follow = 4 * harness.UsualRuleLag // which rules may take
	app := fixtures.App{Replicas: 1, MinReady: time.Second, PreStopSleep: 15 * time.Second, OnTerm: fixtures.Drain}
	about = slices.Concat([]evidence.Expectation{
		verdict.Noted(chain + beforehand),
		verdict.Noted(entry + beforehand),
		verdict.Fact(leadsToPod+beforehand, "true"),
		verdict.Noted(entry + meanwhile),
	}, about)
	for i, x := range about {
		about[i] = x.In(dataplane.IPTables.Name).In(dataplane.NFTables.Name)
	}
	return harness.Scenario{
		ID: id, Claim: claim, App: app, Uses: []string{cluster.ClusterChanges},
		Kind: harness.InSteps{Observed: true, Lasts: 45 * time.Second, Do: func(ctx context.Context, steps *harness.Steps) {
			ours := harness.Must(steps.Changeable())
			steps.Deploy(ctx, app, "v1")
			steps.Steadily(ctx, steadily, func(s observe.State) bool { return s.ReachesEverywhere("v1", int(app.Replicas)) })
			pod := steps.Pods(ctx)[0]
			noteRule(ctx, steps, ours, pod, beforehand)
			steps.Mark(evidence.RolloutBegun)
			end(ctx, steps, app)
			steps.Until(ctx, func(s observe.State) bool { return s.Deleted(pod.Name) })
			steps.Within(ctx, follow, observe.State.RoutesToReady) // never, for the last pod
			noteRule(ctx, steps, ours, pod, meanwhile)
			steps.Note(endpointThen, endpointOf(ctx, steps, pod.Name)) // after the rules: it was no further when they were read
			steps.Until(ctx, func(s observe.State) bool { return s.Count("v1") == 0 && !s.Reaches("v1") })
			noteRule(ctx, steps, ours, pod, afterwards)
		}},
		Expect: append([]evidence.Expectation{
			verdict.Fact(endpointThen, "ready=false serving=true terminating=true").Decides("C36"),
		}, about...),
	}
}

// noteRule notes which chain of a worker's rules the Service's address leads to, by which rules that leads to endpoints, and whether the
// pod is one of them.
func noteRule(ctx context.Context, steps *harness.Steps, ours cluster.Changeable, pod corev1.Pod, when string) {
	plane := ours.Plane()
	if plane.List == nil {
		return
	}
	service := harness.Must(steps.Client.CoreV1().Services(steps.Namespace).Get(ctx, fixtures.DefaultName, metav1.GetOptions{}))
	address := netip.AddrPortFrom(netip.MustParseAddr(service.Spec.ClusterIP), uint16(fixtures.HTTPPort(service).Port))
	listed := harness.Must(ours.Exec(ctx, ours.NodeName(cluster.Worker), plane.List(address.Addr().Is6())))
	is := plane.Entry(listed, address)
	steps.Note(chain+when, cmp.Or(is.Chain, none))
	steps.Note(entry+when, cmp.Or(strings.Join(is.Rules, "; "), none))
	steps.Note(leadsToPod+when, slices.Contains(is.To, netip.AddrPortFrom(netip.MustParseAddr(pod.Status.PodIP), fixtures.AppPort)))
}

// endpointOf returns the conditions of a pod's endpoint, or that there is none.
func endpointOf(ctx context.Context, steps *harness.Steps, pod string) string {
	list := harness.Must(steps.Client.DiscoveryV1().EndpointSlices(steps.Namespace).List(ctx,
		metav1.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=" + fixtures.DefaultName}))
	for _, slice := range list.Items {
		for _, e := range slice.Endpoints {
			if e.TargetRef != nil && e.TargetRef.Name == pod {
				return fmt.Sprintf("ready=%t serving=%t terminating=%t", ptr.Deref(e.Conditions.Ready, true),
					ptr.Deref(e.Conditions.Serving, false), ptr.Deref(e.Conditions.Terminating, false))
			}
		}
	}
	return none
}
