package manifest

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
)

// An Object is an object of a manifest.
type Object struct {
	*unstructured.Unstructured
	At   string // where it was read: file and line
	home string // its namespace if it names none; empty: default
	in   *source
}

// builtFrom says that the object's text was built from a file, so that it has no line there.
func (o Object) builtFrom(file string) { *o.in = source{file: file} }

// Place returns the file that the object was read from, and the line of a field, such as spec.containers[0].ports, or of the last of its
// parents that the file has. A container may be given by its name in the brackets. Of a kustomization it is the first line of its file; of
// a chart it is a line of the template.
func (o Object) Place(field string) (file string, line int) {
	return o.in.file, cmp.Or(o.in.near(o.in.within+indexed(o.Object, field)), o.in.begins())
}

// Rendered reports whether a chart's template has made the object.
func (o Object) Rendered() bool { return o.in != nil && o.in.lines != nil }

// Lines returns the lines of the object's document.
func (o Object) Lines() []string { return strings.Split(string(o.in.text), "\n") }

// Namespace returns the namespace that the object is in, or would be in if its kind had namespaces.
func (o Object) Namespace() string { return cmp.Or(o.GetNamespace(), o.home, metav1.NamespaceDefault) }

// String returns kind and name, like "Deployment web".
func (o Object) String() string { return o.GetKind() + " " + o.GetName() }

// Same reports whether both are the same object of a cluster.
func (o Object) Same(other Object) bool {
	return o.GroupVersionKind() == other.GroupVersionKind() && o.GetName() == other.GetName() &&
		o.Namespace() == other.Namespace()
}

// Rollable reports whether an object has a pod template whose change may be rolled out: a Job's may not change.
func Rollable(o Object) bool {
	_, has := TemplateOf(o)
	return has && o.GetKind() != "Job"
}

// PodLabels returns the labels of a pod, or of those that a workload or a CronJob makes.
func PodLabels(o Object) (of labels.Set, has bool) {
	template, has, _ := unstructured.NestedMap(o.Object, podAt(o)...)
	if !has {
		return nil, false
	}
	of, _, _ = unstructured.NestedStringMap(template, "metadata", "labels")
	return of, true
}

// podAt returns where an object has a pod's metadata and specification.
func podAt(o Object) []string {
	switch o.GetKind() {
	case "Pod":
		return nil
	case "CronJob":
		return []string{"spec", "jobTemplate", "spec", "template"}
	default:
		return []string{"spec", "template"}
	}
}

// ServiceOf returns an object as a Service with a cluster IP.
func ServiceOf(o Object) (service corev1.Service, is bool) {
	if o.GetKind() != "Service" || o.GetAPIVersion() != "v1" {
		return service, false
	}
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &service)
	service.Namespace = o.Namespace()
	return service, err == nil && service.Spec.ClusterIP != corev1.ClusterIPNone
}

// TemplateOf returns the pod template of a workload.
func TemplateOf(o Object) (template corev1.PodTemplateSpec, has bool) {
	content, has, _ := unstructured.NestedMap(o.Object, "spec", "template")
	if !has || runtime.DefaultUnstructuredConverter.FromUnstructured(content, &template) != nil {
		return template, false
	}
	return template, len(template.Spec.Containers) > 0
}

// PodOf returns the specification of a pod, or of those that a workload or a CronJob makes; it is empty for other kinds.
func PodOf(o Object) (pod corev1.PodSpec) {
	content, has, _ := unstructured.NestedMap(o.Object, append(podAt(o), "spec")...)
	if !has || runtime.DefaultUnstructuredConverter.FromUnstructured(content, &pod) != nil {
		return corev1.PodSpec{}
	}
	return pod
}

// ContainersOf returns all containers of a pod or a workload, init containers first.
func ContainersOf(o Object) []corev1.Container {
	pod := PodOf(o)
	return slices.Concat(pod.InitContainers, pod.Containers)
}
