package record

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	typedappsv1 "k8s.io/client-go/kubernetes/typed/apps/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
)

// observers are the pods, one on each node, that observe the nodes' rules. They have a namespace of
// their own, since the scenario's namespace admits only restricted pods.
type observers struct {
	sets   typedappsv1.DaemonSetInterface
	set    *appsv1.DaemonSet
	pods   typedcorev1.PodInterface
	nodes  []string
	lacks  string // why a node has no rules to observe; empty: all have
	some   bool   // the rules of at least one node are observed
	mode   string // of the observed kube-proxies, if all have the same
	listen bool   // whether they listen to connections too
	failed error  // why an observer cannot observe
}

// observable returns the nodes whose rules can be observed, and which cannot: what is not ready runs no observer, and a virtual node runs
// none of a DaemonSet and has no kube-proxy.
func observable(ctx context.Context, client kubernetes.Interface) (names []string, lacking []evidence.Feature, err error) {
	list, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, nil, err
	}
	for _, node := range list.Items {
		because := ""
		switch {
		case !cluster.NodeReady(node):
			because = "it is not ready"
		case virtual(node):
			because = "it is a virtual node"
		default:
			names = append(names, node.Name)
			continue
		}
		lacking = append(lacking, evidence.Feature{Name: evidence.NodeRules + " of node " + node.Name, Because: because})
	}
	slices.Sort(names)
	return names, lacking, nil
}

// virtual reports whether no machine is behind a node, by the label type that Virtual Kubelet sets, or by that of AWS Fargate (EKS user
// guide, "Define which Pods use AWS Fargate").
func virtual(node corev1.Node) bool {
	return node.Labels["type"] == "virtual-kubelet" || node.Labels["eks.amazonaws.com/compute-type"] == "fargate"
}

// follow waits until each node's rules are observed or it has no kube-proxy, and its connections are listened to or cannot be, or
// until ctx ends.
func (o *observers) follow(ctx context.Context, watch *observe.Watch) error {
	there := func(*corev1.Pod) bool { return true } // follow waits for those that do not run yet
	pods, err := awaitSet(ctx, o.pods, o.set, o.nodes, there)
	if err != nil {
		return err
	}
	for i, node := range o.nodes {
		watch.FollowRules(node, o.pods, pods[i].Name)
	}
	err = watch.Until(ctx, func(s observe.State) bool {
		for _, node := range slices.Sorted(maps.Keys(s.Proxyless)) {
			o.lacks = fmt.Sprintf("%s has no kube-proxy: %s", node, s.Proxyless[node])
		}
		o.some, o.mode = len(s.Observed) > 0, ""
		if modes := slices.Compact(slices.Sorted(maps.Values(s.Observed))); len(modes) == 1 {
			o.mode = modes[0]
		}
		for node, why := range s.Unobserved {
			o.failed = fmt.Errorf("%s: %w", node, why)
		}
		listening := !o.listen || len(s.Listened) >= len(s.Observed)
		return o.failed != nil || len(s.Observed)+len(s.Proxyless) == len(o.nodes) && listening
	})
	return errors.Join(o.failed, err)
}

// stop deletes the observers, which then write their last line.
func (o *observers) stop(ctx context.Context) error {
	which := fixtures.Ours()
	if run := fixtures.OwnerOf(o.set).ID; run != "" {
		which = fixtures.OfRun(run)
	}
	err := o.sets.DeleteCollection(ctx, metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationBackground)}, which)
	if err == nil {
		err = o.pods.DeleteCollection(ctx, metav1.DeleteOptions{}, which)
	}
	if err != nil {
		return fmt.Errorf("stop the observers of rules: %w", err)
	}
	return nil
}
