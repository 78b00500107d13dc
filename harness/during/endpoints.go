package during

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/staging"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/harness/verdict/phrase"
)

// sameValue is the score of an equal label. It is more than any common prefix has: a label's value has 63 bytes at most.
const sameValue = 100

// nearest describes the labels of the pod that is nearest to a selector which matches none: the one with the most equal labels, or labels
// that begin alike. It is empty if no pod has any of them.
func (a *userApp) nearest(ctx context.Context, selector map[string]string) (said string) {
	list, err := a.client.CoreV1().Pods(a.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return ""
	}
	nearest := 0
	for _, pod := range list.Items {
		alike, has := 0, []string(nil)
		for _, label := range slices.Sorted(maps.Keys(selector)) {
			value, there := pod.Labels[label]
			switch {
			case !there:
				has = append(has, "no label "+label)
			case value == selector[label]:
				alike += sameValue
			default:
				alike += 1 + begunAlike(value, selector[label])
				has = append(has, label+"="+value)
			}
		}
		if alike > nearest {
			nearest, said = alike, fmt.Sprintf(": pod %s has %s", pod.Name, strings.Join(has, " and "))
		}
	}
	return said
}

// begunAlike returns the length of the common prefix, in bytes.
func begunAlike(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// unserved says why a Service that selects pods has no ready endpoint, and the remedy; empty if it has one.
func (a *userApp) unserved(ctx context.Context, service *corev1.Service, pods []corev1.Pod) (why, remedy string) {
	ready := slices.Clone(pods)
	if !service.Spec.PublishNotReadyAddresses {
		ready = slices.DeleteFunc(ready, func(p corev1.Pod) bool { return !observe.Ready(&p) })
	}
	if len(ready) == 0 {
		stays := func(p corev1.Pod) bool { return p.DeletionTimestamp == nil && p.Status.Phase != corev1.PodSucceeded }
		pod := pods[max(0, slices.IndexFunc(pods, stays))]
		why = fmt.Sprintf("none of its %s is ready: pod %s: %s", phrase.Count(len(pods), "pod"), pod.Name, staging.PodStatus(pod))
		if warning := staging.LastWarning(ctx, a.client, a.namespace, pod.Name); warning != "" {
			why += "; " + warning
		}
		return why, "have the app ready first"
	}
	target := fixtures.HTTPPort(service).TargetPort
	named := func(p corev1.Pod) bool { return userapp.PortNumber(p.Spec, target) != 0 }
	if target.StrVal == "" || slices.ContainsFunc(ready, named) {
		return "", ""
	}
	return fmt.Sprintf("its targetPort is %s, and pod %s has no port of that name", target.StrVal, ready[0].Name),
		"give a container's port that name, or fix targetPort"
}
