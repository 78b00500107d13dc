package during

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/harness/observe"
)

// isRolled reports whether a pod may be rolled out: it is of the workload that a change of ours rolls out, or of any without one. A Job's
// pod, which may be behind the Service too, is never.
func (a *userApp) isRolled(pod *corev1.Pod) bool {
	return !ofJob(pod) && (a.rolls.Has == nil || a.rolls.Has(pod))
}

func ofJob(pod *corev1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == "Job"
}

// rolled returns the pods that may be rolled out, or all if none may be.
func (a *userApp) rolled(pods []corev1.Pod) []corev1.Pod {
	some := slices.DeleteFunc(slices.Clone(pods), func(p corev1.Pod) bool { return !a.isRolled(&p) })
	if len(some) == 0 {
		return pods
	}
	return some
}

// workload returns the workload that is rolled out; false if it is not known or not read.
func (a *userApp) workload() (found workload, known bool) {
	for _, w := range a.workloads {
		if w.kind == "Job" || w.kind == "CronJob" || a.rolls.Name != "" && (w.kind != a.rolls.Kind || w.name != a.rolls.Name) {
			continue
		}
		if known {
			return workload{}, false
		}
		found, known = w, true
	}
	return found, known
}

// ofVersion returns a pod of a version that one of them has.
func ofVersion(pods []corev1.Pod, version string) corev1.Pod {
	return pods[slices.IndexFunc(pods, func(p corev1.Pod) bool { return observe.VersionOf(p.Labels, p.Spec) == version })]
}

// commonest returns the version that most pods have.
func commonest(pods []corev1.Pod) string {
	var versions []string
	for _, pod := range pods {
		versions = append(versions, observe.VersionOf(pod.Labels, pod.Spec))
	}
	return observe.Commonest(versions)
}
