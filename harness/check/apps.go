// Package check reads manifests for what they say about rollouts and drains, before anything runs.
package check

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/manifest"
)

// An App is a workload, with one of the Services that lead to its pods.
type App struct {
	Reading  evidence.Reading
	Workload manifest.Object // its Object is nil where a Service leads to no pods
	Service  manifest.Object // its Object is nil where no Service leads to the pods
	Budget   manifest.Object // that never allows an eviction, likewise
}

// Apps returns the apps of manifests, in their order: a workload stands once for each Service that leads to its pods, and once where none
// does. Then come Services that lead to no pods, where there are workloads beside them. base has the manifests of the version before; with
// none, nothing is compared. Hooks that run in no upgrade, such as tests, are not looked at.
func Apps(objects, base []manifest.Object) (apps []App) {
	objects = slices.DeleteFunc(slices.Clone(objects), func(o manifest.Object) bool { return !manifest.InUpgrades(o) })
	for _, o := range objects {
		if _, hook := manifest.HookOf(o); hook || !manifest.Rollable(o) {
			continue
		}
		services := leadingTo(o, objects)
		if len(services) == 0 {
			services = []manifest.Object{{}}
		}
		for _, s := range services {
			app := App{Workload: o, Service: s}
			app.read(objects, base)
			apps = append(apps, app)
		}
	}
	for _, o := range objects {
		if service, is := manifest.ServiceOf(o); is && leadsNowhere(service, objects) {
			selector := labels.SelectorFromSet(service.Spec.Selector).String()
			apps = append(apps, App{Service: o, Reading: evidence.Reading{Unmatched: selector}})
		}
	}
	return apps
}

// leadsNowhere reports whether a Service selects no pods, by labels that templates may have, and there are workloads in its namespace.
func leadsNowhere(service corev1.Service, objects []manifest.Object) bool {
	if len(stable(service.Spec.Selector)) == 0 {
		return false
	}
	workloads := false
	for _, o := range objects {
		pods, has := manifest.PodLabels(o)
		if !has || o.Namespace() != service.Namespace {
			continue
		}
		if selects(service, pods) {
			return false
		}
		workloads = workloads || manifest.Rollable(o)
	}
	return workloads
}

// leadingTo returns the Services with a cluster IP that select the pods of a workload.
func leadingTo(workload manifest.Object, objects []manifest.Object) (services []manifest.Object) {
	pods, _ := manifest.PodLabels(workload)
	for _, o := range objects {
		if service, is := manifest.ServiceOf(o); is && service.Namespace == workload.Namespace() && selects(service, pods) {
			services = append(services, o)
		}
	}
	return services
}

// setLater lists labels of pods that no template has, since a controller sets them.
var setLater = []string{"statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index"}

// selects reports whether a Service may lead to pods with these labels.
func selects(service corev1.Service, pods labels.Set) bool {
	by := stable(service.Spec.Selector)
	return len(by) > 0 && labels.SelectorFromSet(by).Matches(pods)
}

// stable returns the labels of a selector that templates may have.
func stable(selector map[string]string) labels.Set {
	of := labels.Set{}
	for label, value := range selector {
		if !slices.Contains(setLater, label) {
			of[label] = value
		}
	}
	return of
}
