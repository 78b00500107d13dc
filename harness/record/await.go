package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"rollcall/harness/observe"
)

// awaitSet returns when the pods of a DaemonSet are ready, one on each node, and gives them in the order of the nodes.
func awaitSet(ctx context.Context, pods typedcorev1.PodInterface, set *appsv1.DaemonSet, nodes []string) (ready []corev1.Pod, err error) {
	late := errors.New("none was seen")
	which := metav1.ListOptions{LabelSelector: metav1.FormatLabelSelector(set.Spec.Selector)}
	err = untilPods(ctx, pods, which, func(seen []corev1.Pod) bool {
		ready, late = oneOnEach(nodes, seen)
		return late == nil
	})
	if err != nil {
		return nil, fmt.Errorf("pods of %s: %w", set.Name, errors.Join(late, err))
	}
	return ready, nil
}

// untilPods watches pods, those there are already first, and returns when the condition holds for those seen so far, or ctx
// ends, whose cause is then the error.
func untilPods(ctx context.Context, pods typedcorev1.PodInterface, which metav1.ListOptions, holds func([]corev1.Pod) bool) error {
	for ctx.Err() == nil {
		watching, err := pods.Watch(ctx, which)
		if err != nil {
			return cmp.Or(context.Cause(ctx), err)
		}
		seen := map[string]corev1.Pod{}
		for event := range watching.ResultChan() {
			pod, ok := event.Object.(*corev1.Pod)
			if !ok {
				break // an error of the watch, which begins anew
			}
			if seen[pod.Name] = *pod; event.Type == watch.Deleted {
				delete(seen, pod.Name)
			}
			if holds(slices.Collect(maps.Values(seen))) {
				watching.Stop()
				return nil
			}
		}
		watching.Stop()
	}
	return context.Cause(ctx)
}

// oneOnEach gives the pods in the order of the nodes. The error says of every node that has no ready one, and only that, why.
func oneOnEach(nodes []string, pods []corev1.Pod) (sorted []corev1.Pod, late error) {
	sorted = make([]corev1.Pod, len(nodes))
	for _, pod := range pods {
		i := slices.Index(nodes, pod.Spec.NodeName)
		switch {
		case pod.Spec.NodeName == "":
			late = errors.Join(late, fmt.Errorf("pod %s has no node yet", pod.Name))
			continue
		case i < 0:
			late = errors.Join(late, fmt.Errorf("pod %s is on %s, where none is wanted", pod.Name, pod.Spec.NodeName))
			continue
		case sorted[i].Name != "":
			late = errors.Join(late, fmt.Errorf("pods %s and %s are both on %s", sorted[i].Name, pod.Name, nodes[i]))
		case !observe.Ready(&pod):
			late = errors.Join(late, errors.New(phaseOf(&pod)))
		}
		sorted[i] = pod
	}
	for i, node := range nodes {
		if sorted[i].Name == "" {
			late = errors.Join(late, fmt.Errorf("%s has no pod", node))
		}
	}
	return sorted, late
}
