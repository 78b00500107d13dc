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
	Workload manifest.Object
	Service  manifest.Object // its Object is nil where no Service leads to the pods
	Budget   manifest.Object // that never allows an eviction, likewise
}

// Apps returns the apps of manifests, in their order: a workload stands once for each Service that leads to its pods, and once where none
// does. base has the manifests of the version before; with none, nothing is compared.
func Apps(objects, base []manifest.Object) (apps []App) {
	for _, o := range objects {
		if !manifest.Rollable(o) {
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
	return apps
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
	stable := labels.Set{}
	for label, value := range service.Spec.Selector {
		if !slices.Contains(setLater, label) {
			stable[label] = value
		}
	}
	return len(stable) > 0 && labels.SelectorFromSet(stable).Matches(pods)
}
