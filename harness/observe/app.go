package observe

import (
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// An App is one of somebody else: the pods that a Service selects. Their version is what their workload calls the template that they
// are made from, or of those that have none the images that they run.
type App struct {
	Namespace string
	Selector  labels.Selector
}

// templateHashes are the labels by which workloads name the template of a pod: Deployments, StatefulSets and DaemonSets (and CloneSets,
// which do as they do), and Argo Rollouts.
var templateHashes = []string{appsv1.DefaultDeploymentUniqueLabelKey, appsv1.ControllerRevisionHashLabelKey, "rollouts-pod-template-hash"}

// versions tell from the labels and the spec of a pod which version it has, and whether it is of the app at all.
type versions func(of map[string]string, spec corev1.PodSpec) (version string, ofApp bool)

// byLabel are the versions of pods that have a label.
func byLabel(label string) versions {
	return func(of map[string]string, _ corev1.PodSpec) (version string, ofApp bool) {
		version, ofApp = of[label]
		return version, ofApp
	}
}

// version is that of a pod with these labels.
func (a App) version(of map[string]string, spec corev1.PodSpec) (version string, ofApp bool) {
	if !a.Selector.Matches(labels.Set(of)) {
		return "", false
	}
	return VersionOf(of, spec), true
}

// VersionOf is the version of a pod of somebody else's app. Its images are as the spec has them: what a tag leads to is not known when a
// pod is made.
func VersionOf(of map[string]string, spec corev1.PodSpec) string {
	for _, label := range templateHashes {
		if hash := of[label]; hash != "" {
			return hash
		}
	}
	var images []string
	for _, c := range spec.Containers {
		images = append(images, short(c.Image))
	}
	return strings.Join(images, " and ")
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
