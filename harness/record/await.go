package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"rollcall/harness/observe"
)

// awaitReady returns when a pod is ready.
func awaitReady(ctx context.Context, pods typedcorev1.PodInterface, name string) (pod *corev1.Pod, err error) {
	only := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, name).String()}
	err = untilPods(ctx, pods, only, func(seen []corev1.Pod) bool {
		if len(seen) == 0 || !observe.Ready(&seen[0]) {
			return false
		}
		pod = &seen[0]
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", podStatus(context.WithoutCancel(ctx), pods, name), err)
	}
	return pod, nil
}

// awaitAgents returns when all agents of a Job are ready, and gives their pods, by index.
func awaitAgents(ctx context.Context, pods typedcorev1.PodInterface, job string, agents int) (ready []corev1.Pod, err error) {
	late := errors.New("none was seen")
	err = untilPods(ctx, pods, metav1.ListOptions{LabelSelector: batchv1.JobNameLabel + "=" + job}, func(seen []corev1.Pod) bool {
		ready, late = agentsAmong(seen, agents)
		return late == nil
	})
	if err != nil {
		return nil, fmt.Errorf("agents of %s: %w", job, errors.Join(late, err))
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
			late = errors.Join(late, errors.New(phaseOf(&pod)))
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
