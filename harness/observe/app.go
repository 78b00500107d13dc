package observe

import (
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// An App is one of somebody else: the pods that a Service selects. Their version is what their workload calls the template that they
// are made from.
type App struct {
	Namespace string
	Selector  labels.Selector
}

// templateHashes are the labels by which workloads name the template of a pod: Deployments, StatefulSets and DaemonSets (and CloneSets,
// which do as they do), and Argo Rollouts.
var templateHashes = []string{appsv1.DefaultDeploymentUniqueLabelKey, appsv1.ControllerRevisionHashLabelKey, "rollouts-pod-template-hash"}

// noTemplate is the version of pods that no workload made.
const noTemplate = "no-template"

// versions tell from the labels of a pod which version it has, and whether it is of the app at all.
type versions func(of map[string]string) (version string, ofApp bool)

// byLabel are the versions of pods that have a label.
func byLabel(label string) versions {
	return func(of map[string]string) (version string, ofApp bool) {
		version, ofApp = of[label]
		return version, ofApp
	}
}

// version is that of a pod with these labels.
func (a App) version(of map[string]string) (version string, ofApp bool) {
	if !a.Selector.Matches(labels.Set(of)) {
		return "", false
	}
	return VersionOf(of), true
}

// VersionOf is the version of a pod of somebody else's app, by its labels.
func VersionOf(of map[string]string) string {
	for _, label := range templateHashes {
		if hash := of[label]; hash != "" {
			return hash
		}
	}
	return noTemplate
}

// Commonest is the version that most have; empty if there are none.
func Commonest(versions []string) (version string) {
	counts := map[string]int{}
	for _, v := range versions {
		counts[v]++
	}
	for _, v := range slices.Sorted(maps.Keys(counts)) {
		if counts[v] > counts[version] {
			version = v
		}
	}
	return version
}
