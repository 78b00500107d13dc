package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"example.com/rollcall/harness/poll"
)

// awaitSet waits until the pods of a DaemonSet are up, one on each node, and returns them in the order of the nodes.
func awaitSet(ctx context.Context, pods typedcorev1.PodInterface, set *appsv1.DaemonSet, nodes []string, up func(*corev1.Pod) bool) (
	found []corev1.Pod, err error) {
	late := errors.New("none was seen")
	which := metav1.ListOptions{LabelSelector: metav1.FormatLabelSelector(set.Spec.Selector)}
	err = poll.Until(ctx, requestEvery, func() (bool, error) {
		seen, err := pods.List(ctx, which)
		if err != nil {
			return false, cmp.Or(context.Cause(ctx), err)
		}
		found, late = oneOnEach(nodes, seen.Items, up)
		return late == nil, nil
	})
	if err != nil {
		return nil, fmt.Errorf("pods of %s: %w", set.Name, errors.Join(late, err))
	}
	return found, nil
}

// oneOnEach returns the pods in the order of the nodes. The error says why, for each node whose pod is not up, and nothing else.
func oneOnEach(nodes []string, pods []corev1.Pod, up func(*corev1.Pod) bool) (sorted []corev1.Pod, late error) {
	sorted = make([]corev1.Pod, len(nodes))
	for _, pod := range pods {
		i := slices.Index(nodes, pod.Spec.NodeName)
		switch {
		case pod.Spec.NodeName == "":
			late = errors.Join(late, fmt.Errorf("pod %s has no node yet", pod.Name))
			continue
		case i < 0:
			late = errors.Join(late, fmt.Errorf("pod %s is on %s, which should have none", pod.Name, pod.Spec.NodeName))
			continue
		case sorted[i].Name != "":
			late = errors.Join(late, fmt.Errorf("pods %s and %s are both on %s", sorted[i].Name, pod.Name, nodes[i]))
		case !up(&pod):
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
