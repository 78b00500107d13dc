package harness

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"rollcall/fixtures"
	"rollcall/harness/evidence"
	"rollcall/harness/observe"
)

// observers are the pods, one on each node, that watch the nodes' rules. They live in a namespace of
// their own, since the scenario's admits only restricted pods.
type observers struct {
	client    kubernetes.Interface
	namespace string
	pods      typedcorev1.PodInterface
}

// startObservers returns when every node's rules are observed, or ctx ends.
func startObservers(ctx context.Context, client kubernetes.Interface, namespace, session string, nodes []string, watch *observe.Watch) (*observers, error) {
	o := &observers{client: client, namespace: namespace, pods: client.CoreV1().Pods(namespace)}
	if _, err := client.CoreV1().Namespaces().Create(ctx, fixtures.ObserverNamespace(namespace, session), metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	for _, node := range nodes {
		pod, err := o.pods.Create(ctx, fixtures.ObserverPod(namespace, node), metav1.CreateOptions{})
		if err != nil {
			return o, err
		}
		watch.FollowRules(node, o.pods, pod.Name)
	}
	return o, watch.Until(ctx, func(s observe.State) bool { return len(s.Observed) == len(nodes) })
}

// end tells the observers to write their last line.
func (o *observers) end(ctx context.Context) error {
	if err := o.pods.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return fmt.Errorf("end the observers of rules: %w", err)
	}
	return nil
}

// shareClocks gives each node whose clock was not read the readings of one that runs on the same boot of the
// same kernel, as all nodes of a kind cluster do: it has the same clock.
func shareClocks(readings []evidence.ClockReading, boots map[string]string) []evidence.ClockReading {
	read := map[string]bool{}
	byBoot := map[string][]evidence.ClockReading{}
	for _, r := range readings {
		read[r.Node] = true
		if boot := boots[r.Node]; boot != "" {
			byBoot[boot] = append(byBoot[boot], r)
		}
	}
	for node, boot := range boots {
		if read[node] {
			continue
		}
		for _, r := range byBoot[boot] {
			r.Node = node
			readings = append(readings, r)
		}
	}
	return readings
}
