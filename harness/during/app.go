package during

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"

	"rollcall/harness"
	"rollcall/harness/cluster"
	"rollcall/harness/observe"
	"rollcall/harness/rollout"
	"rollcall/harness/staging"
	"rollcall/harness/usage"
	"rollcall/harness/verdict"
	"rollcall/harness/verdict/phrase"
)

// A userApp is one of somebody else, behind a Service: its pods, and the workloads that make them.
type userApp struct {
	client    kubernetes.Interface
	namespace string
	selector  labels.Selector
	workloads []workload
}

// watchApp has the pods behind the Service of the scenario watched, where that is allowed, and their rollout waited for.
func (m *maintenance) watchApp(ctx context.Context, c cluster.Cluster, s *harness.Scenario) error {
	service := s.Elsewhere.Service
	thing := fmt.Sprintf("service %s/%s", service.Namespace, service.Name)
	if len(service.Spec.Selector) == 0 {
		m.screen.say(thing + " has no selector: which pods answer is not known, nor when their rollout is over")
		return nil
	}
	lacks, err := staging.LacksToRead(ctx, c.Client(), service.Namespace)
	if err != nil {
		return err
	}
	if lacks != "" {
		m.screen.say("which pods answer is not known, nor when their rollout is over: " + lacks)
		return nil
	}
	a := &userApp{client: c.Client(), namespace: service.Namespace, selector: labels.SelectorFromSet(service.Spec.Selector)}
	pods, err := a.pods(ctx)
	if err != nil {
		return err
	}
	if len(pods) == 0 {
		return usage.New(thing, fmt.Sprintf("its selector %s matches no pod%s", a.selector, a.near(ctx, service.Spec.Selector)),
			"correct the selector, or start the app")
	}
	if a.workloads, err = workloadsOf(ctx, c, service.Namespace, pods); err != nil {
		return err
	}
	m.screen.say(fmt.Sprintf("%s: %s of %s", thing, phrase.Count(len(pods), "pod"), a.madeBy()))
	m.app = a
	s.Elsewhere.Pods = &observe.App{Namespace: a.namespace, Selector: a.selector}
	s.Rollout = rollout.There(commonest(pods), service)
	if len(m.command) > 0 && m.until == "" && m.lasts == 0 { // else it is said when all is over
		s.Expect = append(s.Expect, verdict.SomethingChanged())
	}
	return nil
}

func (a *userApp) pods(ctx context.Context) ([]corev1.Pod, error) {
	list, err := a.client.CoreV1().Pods(a.namespace).List(ctx, metav1.ListOptions{LabelSelector: a.selector.String()})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// near says which values pods have for the labels of a selector that matches none; nothing if none has any.
func (a *userApp) near(ctx context.Context, selector map[string]string) string {
	list, err := a.client.CoreV1().Pods(a.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return ""
	}
	found := map[string]bool{}
	for _, pod := range list.Items {
		for label := range selector {
			if value, has := pod.Labels[label]; has {
				found[label+"="+value] = true
			}
		}
	}
	if len(found) == 0 {
		return ""
	}
	return "; pods there have " + strings.Join(slices.Sorted(maps.Keys(found)), ", ")
}

// commonest is the version that most pods have.
func commonest(pods []corev1.Pod) (version string) {
	counts := map[string]int{}
	for _, pod := range pods {
		counts[observe.VersionOf(pod.Labels)]++
	}
	for _, v := range slices.Sorted(maps.Keys(counts)) {
		if counts[v] > counts[version] {
			version = v
		}
	}
	return version
}

// madeBy says of which workloads the app's pods are.
func (a *userApp) madeBy() string {
	var names []string
	for _, w := range a.workloads {
		names = append(names, w.String())
	}
	if len(names) == 0 {
		return "no workload"
	}
	return strings.Join(names, " and ")
}

// lacks says what is not yet as the workloads want it; empty when their rollout is over.
func (a *userApp) lacks(ctx context.Context) string {
	for _, w := range a.workloads {
		if lacks := w.lacks(ctx); lacks != "" {
			return lacks
		}
	}
	pods, err := a.pods(ctx)
	if err != nil {
		return "the API server does not answer"
	}
	for _, pod := range pods {
		ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
		switch {
		case pod.DeletionTimestamp != nil:
			return "pod " + pod.Name + " is terminating"
		case !ended && !observe.Ready(&pod):
			return "pod " + pod.Name + " is not ready"
		}
	}
	return ""
}
