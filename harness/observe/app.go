package observe

import (
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// An App is a user's app: the pods that a Service selects. Their version is the hash by which their workload identifies the pod
// template or, for pods without one, their images.
type App struct {
	Namespace string
	Selector  labels.Selector
	Rolled    func(*corev1.Pod) bool // reports whether a pod may be rolled out; others are behind the Service too; nil: each may be
}

// templateHashes are the labels with the hash of a pod's template: of Deployments, StatefulSets and DaemonSets (and CloneSets,
// which use the same), and Argo Rollouts.
var templateHashes = []string{appsv1.DefaultDeploymentUniqueLabelKey, appsv1.ControllerRevisionHashLabelKey, "rollouts-pod-template-hash"}

// A versions function returns the version of a pod from its labels and spec, and whether the pod belongs to the app.
type versions func(of map[string]string, spec corev1.PodSpec) (version string, ofApp bool)

// byLabel takes the value of a label as the version.
func byLabel(label string) versions {
	return func(of map[string]string, _ corev1.PodSpec) (version string, ofApp bool) {
		version, ofApp = of[label]
		return version, ofApp
	}
}

// version is the versions function of the app.
func (a App) version(of map[string]string, spec corev1.PodSpec) (version string, ofApp bool) {
	if !a.Selector.Matches(labels.Set(of)) {
		return "", false
	}
	return VersionOf(of, spec), true
}

// VersionOf returns the version of a pod of a user's app. Images are as in the spec: when a pod is created, it is not known which image
// a tag refers to.
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

// Commonest returns the most frequent version; empty if there are none.
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
