package harness

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"rollcall/harness/observe"
	"rollcall/harness/poll"
)

func awaitReady(ctx context.Context, pods typedcorev1.PodInterface, name string) (pod *corev1.Pod, err error) {
	err = poll.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		if pod, err = pods.Get(ctx, name, metav1.GetOptions{}); err != nil {
			return false, err
		}
		return observe.Ready(pod), nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", fate(context.WithoutCancel(ctx), pods, name), err)
	}
	return pod, nil
}

// awaitAgents returns when all agents of a Job are ready, and gives their pods, by index.
func awaitAgents(ctx context.Context, pods typedcorev1.PodInterface, job string, agents int) (ready []corev1.Pod, err error) {
	var late error
	err = poll.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		list, err := pods.List(ctx, metav1.ListOptions{LabelSelector: batchv1.JobNameLabel + "=" + job})
		if err != nil {
			return false, err
		}
		ready, late = agentsAmong(list.Items, agents)
		return late == nil, nil
	})
	if err != nil {
		return nil, fmt.Errorf("agents of %s: %w", job, errors.Join(late, err))
	}
	return ready, nil
}

// agentsAmong gives an Indexed Job's pods, by index. The error says of every agent that is not
// ready why that is so.
func agentsAmong(pods []corev1.Pod, agents int) (sorted []corev1.Pod, late error) {
	sorted = make([]corev1.Pod, agents)
	for _, pod := range pods {
		index, err := strconv.Atoi(pod.Labels[batchv1.JobCompletionIndexAnnotation])
		switch {
		case err != nil || index < 0 || index >= agents:
			late = errors.Join(late, fmt.Errorf("pod %s is none of the %d agents", pod.Name, agents))
			continue
		case sorted[index].Name != "":
			late = errors.Join(late, fmt.Errorf("pods %s and %s are both agent %d", sorted[index].Name, pod.Name, index))
		case !observe.Ready(&pod):
			late = errors.Join(late, errors.New(state(&pod)))
		}
		sorted[index] = pod
	}
	for index := range sorted {
		if sorted[index].Name == "" {
			late = errors.Join(late, fmt.Errorf("agent %d has no pod", index))
		}
	}
	return sorted, late
}
