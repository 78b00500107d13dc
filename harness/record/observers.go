package record

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"rollcall/fixtures"
	"rollcall/harness/namespace"
	"rollcall/harness/observe"
)

// observers are the pods, one on each node, that watch the nodes' rules. They have a namespace of
// their own, since the scenario's admits only restricted pods.
type observers struct {
	pods   typedcorev1.PodInterface
	lacks  string // why not every node's rules are observed; empty if they are
	some   bool   // those of other nodes are
	failed error  // why an observer does not observe
}

// startObservers returns when every node's rules are observed or known to be none of kube-proxy's, or ctx ends.
func startObservers(ctx context.Context, client kubernetes.Interface, lease namespace.Lease, images fixtures.ImageSources, session string,
	nodes []string, sparing bool, watch *observe.Watch) (*observers, error) {
	name := lease.Observers()
	into := fixtures.Destination{Namespace: name, Images: images}
	o := &observers{pods: client.CoreV1().Pods(name)}
	if err := lease.CreateForObservers(ctx, client, session); err != nil {
		return o, err
	}
	for _, node := range nodes {
		pod, err := o.pods.Create(ctx, fixtures.ObserverPod(into, node, sparing), metav1.CreateOptions{})
		if err != nil {
			return o, err
		}
		watch.FollowRules(node, o.pods, pod.Name)
	}
	err := watch.Until(ctx, func(s observe.State) bool {
		for node, why := range s.Proxyless {
			o.lacks = fmt.Sprintf("%s has no kube-proxy: %s", node, why)
		}
		o.some = len(s.Observed) > 0
		for node, why := range s.Unobserved {
			o.failed = fmt.Errorf("%s: %w", node, why)
		}
		return o.failed != nil || len(s.Observed)+len(s.Proxyless) == len(nodes)
	})
	return o, errors.Join(o.failed, err)
}

// stop has the observers write their last line.
func (o *observers) stop(ctx context.Context) error {
	if err := o.pods.DeleteCollection(ctx, metav1.DeleteOptions{}, fixtures.Ours()); err != nil {
		return fmt.Errorf("stop the observers of rules: %w", err)
	}
	return nil
}
