package observe

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// Names returns readable names of two versions: the differences between the templates of their pods. It returns none if there is no
// difference that may be named, or if no pod of one version was seen.
func (w *Watch) Names(old, next string) map[string]string {
	w.journal.mu.Lock()
	if next == old { // the rollout could not end, or was rolled back
		rolled := maps.Clone(w.pods.samples)
		maps.DeleteFunc(rolled, func(_ string, p *corev1.Pod) bool { return !w.rolled(p) })
		next = newestExcept(old, rolled)
	}
	a, b := w.pods.samples[old], w.pods.samples[next]
	w.journal.mu.Unlock()
	if a == nil || b == nil {
		return nil
	}
	before, after := difference(a, b)
	if before == after {
		return nil
	}
	return map[string]string{old: before, next: after}
}

// newestExcept returns the version, other than the old one, whose first pod was created last; empty if there is none.
func newestExcept(old string, samples map[string]*corev1.Pod) (version string) {
	for _, v := range slices.Sorted(maps.Keys(samples)) {
		if v != old && (version == "" || samples[version].CreationTimestamp.Before(&samples[v].CreationTimestamp)) {
			version = v
		}
	}
	return version
}

// difference returns a name for each of two pods with different templates: their images or, if these are the same, the environment
// variables and labels that differ, or else when they were restarted.
func difference(a, b *corev1.Pod) (before, after string) {
	if changed := differing(images(a), images(b)); len(changed) > 0 {
		var of, than []string
		for _, container := range changed {
			x, y := images(a)[container], images(b)[container]
			if short(x) != short(y) {
				x, y = short(x), short(y)
			}
			of, than = append(of, x), append(than, y)
		}
		return strings.Join(of, " and "), strings.Join(than, " and ")
	}
	variables := differing(environment(a), environment(b))
	labels := differing(templateLabels(a.Labels), templateLabels(b.Labels))
	if before, after := byValues(a, b, variables, labels); before != after {
		return before, after
	}
	var what []string
	for _, of := range []struct {
		kind    string
		changed []string
	}{{"env ", variables}, {"label ", labels}} {
		if len(of.changed) > 0 {
			what = append(what, of.kind+strings.Join(of.changed, ", "))
		}
	}
	if len(what) > 0 {
		return "old " + strings.Join(what, " and "), "new " + strings.Join(what, " and ")
	}
	return restarted(a), restarted(b)
}

// differing returns the sorted keys whose values differ, or that only one map has.
func differing[V any](a, b map[string]V) []string {
	all := map[string]V{}
	maps.Copy(all, a)
	maps.Copy(all, b)
	maps.DeleteFunc(all, func(name string, _ V) bool {
		x, inA := a[name]
		y, inB := b[name]
		return inA == inB && reflect.DeepEqual(x, y)
	})
	return slices.Sorted(maps.Keys(all))
}

func images(of *corev1.Pod) map[string]string {
	found := map[string]string{}
	for _, c := range slices.Concat(of.Spec.InitContainers, of.Spec.Containers) {
		found[c.Name] = c.Image
	}
	return found
}

// short returns an image without its registry, and with the first digits of its digest.
func short(image string) string {
	image = image[strings.LastIndexByte(image, '/')+1:]
	const algorithm, digits = "@sha256:", 12
	if at := strings.Index(image, algorithm); at >= 0 {
		image = image[:min(len(image), at+len(algorithm)+digits)]
	}
	return image
}

func environment(of *corev1.Pod) map[string][]corev1.EnvVar {
	found := map[string][]corev1.EnvVar{}
	for _, c := range slices.Concat(of.Spec.InitContainers, of.Spec.Containers) {
		for _, v := range c.Env {
			found[v.Name] = append(found[v.Name], v)
		}
	}
	return found
}

// addedLabels are labels that workloads add to those of the pod template (apps/v1, types.go; a DaemonSet's is
// extensions/v1beta1, DaemonSetTemplateGenerationKey).
var addedLabels = append([]string{appsv1.StatefulSetPodNameLabel, appsv1.PodIndexLabel, "pod-template-generation"}, templateHashes...)

func templateLabels(labels map[string]string) map[string]string {
	labels = maps.Clone(labels)
	maps.DeleteFunc(labels, func(key, _ string) bool { return slices.Contains(addedLabels, key) })
	return labels
}

// restartedAt is the annotation that `kubectl rollout restart` sets (k8s.io/kubectl v0.37, pkg/polymorphichelpers/objectrestarter.go).
const restartedAt = "kubectl.kubernetes.io/restartedAt"

func restarted(pod *corev1.Pod) string {
	at := pod.Annotations[restartedAt]
	if at == "" {
		return "before the restart"
	}
	if t, err := time.Parse(time.RFC3339, at); err == nil {
		at = t.UTC().Format(time.TimeOnly)
	}
	return "restarted " + at
}
