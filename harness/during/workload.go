package during

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/observe"
)

// A workload is an object that makes pods: a Deployment, StatefulSet or DaemonSet, or of another kind with the same fields.
type workload struct {
	api        dynamic.ResourceInterface
	kind, name string
}

// String returns kind and name, like "deployment web".
func (w workload) String() string { return strings.ToLower(w.kind) + " " + w.name }

// mostOwners is how many controllers above each other are looked at; a Deployment's pod has two. Some may own each other.
const mostOwners = 10

// workloadsOf returns the topmost controllers of pods that we may read. It says which are of a kind that the cluster does not have.
func workloadsOf(ctx context.Context, c cluster.APIServer, namespace string, pods []corev1.Pod, say func(string)) (
	all []workload, err error) {
	client, err := dynamic.NewForConfig(c.REST())
	if err != nil {
		return nil, err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(c.Client().Discovery()))
	return topmost(pods, say, func(owner metav1.OwnerReference) (workload, *unstructured.Unstructured, error) {
		return read(ctx, client, mapper, namespace, owner)
	})
}

// topmost returns the topmost controllers of pods, as read finds them.
func topmost(pods []corev1.Pod, say func(string), read func(metav1.OwnerReference) (workload, *unstructured.Unstructured, error)) (
	all []workload, err error) {
	seen, unknown := map[string]bool{}, map[string]bool{}
	for _, pod := range pods {
		var top *workload
		owner := metav1.GetControllerOf(&pod)
		for n := 0; owner != nil && n < mostOwners; n++ {
			w, object, err := read(*owner)
			if meta.IsNoMatchError(err) && !unknown[owner.Kind] {
				unknown[owner.Kind] = true
				say(fmt.Sprintf("%s %s, which owns pods, is not watched: the cluster has no such kind", owner.Kind, owner.Name))
			}
			if err != nil && !meta.IsNoMatchError(err) {
				return nil, err
			}
			if object == nil {
				break
			}
			top, owner = &w, metav1.GetControllerOf(object)
		}
		if top != nil && !seen[top.String()] {
			seen[top.String()] = true
			all = append(all, *top)
		}
	}
	return all, nil
}

// read returns the object of an owner reference; nil if it does not exist or we may not read it.
func read(ctx context.Context, client dynamic.Interface, mapper meta.RESTMapper, namespace string, owner metav1.OwnerReference) (
	workload, *unstructured.Unstructured, error) {
	kind := schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind)
	mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return workload{}, nil, fmt.Errorf("%s %s: %w", owner.Kind, owner.Name, err)
	}
	w := workload{client.Resource(mapping.Resource).Namespace(namespace), owner.Kind, owner.Name}
	object, err := w.api.Get(ctx, owner.Name, metav1.GetOptions{})
	if apierrors.IsForbidden(err) || apierrors.IsNotFound(err) {
		return w, nil, nil
	}
	return w, object, err
}

// lacks says what a workload still has to do; empty when its rollout is over.
func (w workload) lacks(ctx context.Context) string {
	object, err := w.api.Get(ctx, w.name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return ""
	case err != nil:
		return silence(err)
	}
	return w.lacksOf(object.Object)
}

// seenLacking is lacks by what a watch has seen; empty for a kind that is not watched.
func (w workload) seenLacking(by *observe.Objects) string {
	var object any
	var err error
	switch w.kind {
	case "Deployment":
		object, err = by.Deployment(w.name)
	case "StatefulSet":
		object, err = by.StatefulSet(w.name)
	default:
		return ""
	}
	if err != nil {
		return ""
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return ""
	}
	return w.lacksOf(fields)
}

func (w workload) lacksOf(object map[string]any) string {
	if lacks := LacksOf(w.kind, object); lacks != "" {
		return w.String() + " " + lacks
	}
	return ""
}

// LacksOf says what a workload still has to do, by its status. Deployments, StatefulSets and similar kinds count replicas, DaemonSets
// nodes (apps/v1, types.go); Argo Rollouts write observedGeneration as text.
func LacksOf(kind string, object map[string]any) string {
	number := func(fallback int64, paths ...string) int64 {
		for _, path := range paths {
			if n, found, _ := unstructured.NestedInt64(object, strings.Split(path, ".")...); found {
				return n
			}
		}
		return fallback
	}
	ours := slices.Contains([]string{"Deployment", "StatefulSet", "DaemonSet"}, kind)
	seen, observed, _ := unstructured.NestedFieldNoCopy(object, "status", "observedGeneration")
	if ours && !observed || observed && fmt.Sprint(seen) != fmt.Sprint(number(0, "metadata.generation")) {
		return "has a change that its controller has not seen yet"
	}
	const updatedPods, updatedNodes = "status.updatedReplicas", "status.updatedNumberScheduled"
	if !ours && number(-1, "spec.replicas") < 0 {
		return "" // it says nothing of pods
	}
	paused, _, _ := unstructured.NestedBool(object, "spec", "paused")
	strategy, _, _ := unstructured.NestedString(object, "spec", "updateStrategy", "type")
	wanted := number(1, "status.desiredNumberScheduled", "spec.replicas")
	updated := wanted - number(0, "spec.updateStrategy.rollingUpdate.partition")
	if paused || strategy == "OnDelete" || !ours && number(-1, updatedPods) < 0 {
		updated = 0
	}
	for _, of := range []struct {
		has, least int64
		what       string
	}{
		{number(0, updatedNodes, updatedPods), updated, "updated"},
		{number(0, "status.numberAvailable", "status.availableReplicas"), wanted, "available"},
	} {
		if of.has < of.least {
			return fmt.Sprintf("has %d of %d pods %s", of.has, of.least, of.what)
		}
	}
	if all := number(wanted, "status.currentNumberScheduled", "status.replicas"); all > wanted && !paused {
		return fmt.Sprintf("has %d pods, %d too many", all, all-wanted)
	}
	return ""
}
