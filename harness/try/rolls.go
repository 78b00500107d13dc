package try

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
)

// checkRolls returns an error for a workload that ends no pod by itself when its template changes: the rollout would never end.
func checkRolls(a *App, change Change) error {
	o := a.workload
	if i := slices.IndexFunc(change.objects, o.Same); i >= 0 {
		o = change.objects[i]
	}
	strategy, _, _ := unstructured.NestedString(o.Object, "spec", "updateStrategy", "type")
	paused, _, _ := unstructured.NestedBool(o.Object, "spec", "paused")
	partition, _, _ := unstructured.NestedInt64(o.Object, "spec", "updateStrategy", "rollingUpdate", "partition")
	replicas, given, _ := unstructured.NestedInt64(o.Object, "spec", "replicas")
	if !given {
		replicas = 1
	}
	remedy := fmt.Sprintf("delete its pods in a command: rollcall during --service=%s/%s -- COMMAND", a.service.Namespace, a.service.Name)
	because := ""
	switch kind := o.GetKind(); {
	case strategy == string(appsv1.OnDeleteStatefulSetStrategyType): // that of DaemonSets has the same name
		because = "its updateStrategy OnDelete ends no pod by itself"
	case kind == "ReplicaSet" || kind == "ReplicationController":
		because = fmt.Sprintf("a %s ends no pod when its template changes", kind)
	case paused:
		because, remedy = "it is paused, so that nothing is rolled out", "leave spec.paused out"
	case partition >= replicas && partition > 0:
		because, remedy = fmt.Sprintf("its partition %d keeps each of its pods as it is", partition), "give it a lower partition"
	default:
		return nil
	}
	return usage.New(fmt.Sprintf("%s (%s)", o, o.At), because, remedy)
}

// owns reports whether a pod has the labels by which the workload selects its own.
func (a *App) owns(pod *corev1.Pod) bool {
	selector := labels.SelectorFromSet(a.template.Labels)
	content, has, _ := unstructured.NestedMap(a.workload.Object, "spec", "selector")
	if by, err := userapp.Selector(content); has && err == nil && !by.Empty() {
		selector = by
	}
	return selector.Matches(labels.Set(pod.Labels))
}
