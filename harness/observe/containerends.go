package observe

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"example.com/rollcall/harness/evidence"
)

// A containerEnd identifies one end of a container. A container that was not found any more has no id.
type containerEnd struct {
	container, id string
	second        int64 // when, since 1970
}

// noteEnds notes each end of a container of the pod once. The kubelet reports all ends before it removes the pod from the API
// (canBeDeleted in pkg/kubelet/status/status_manager.go, v1.37). The caller holds the lock.
func (p *pod) noteEnds(object *corev1.Pod, note func(evidence.Event)) {
	for _, s := range lastingContainers(object) {
		for _, state := range []corev1.ContainerState{s.LastTerminationState, s.State} {
			end := state.Terminated
			if end == nil {
				continue
			}
			is := containerEnd{s.Name, end.ContainerID, end.FinishedAt.Unix()}
			if p.ends[is] {
				continue
			}
			p.ends[is] = true
			note(evidence.Event{Kind: evidence.ContainerEnded, By: p.server, Object: s.Name, Count: int(end.ExitCode), Detail: end.Reason,
				For: p.sinceDeletion(end.FinishedAt.Time)})
		}
	}
}

// lastingContainers returns the statuses of the containers that run as long as the pod, sidecars first: those are init containers that are
// always restarted.
func lastingContainers(p *corev1.Pod) (statuses []corev1.ContainerStatus) {
	for _, s := range p.Status.InitContainerStatuses {
		if slices.ContainsFunc(p.Spec.InitContainers, func(c corev1.Container) bool {
			return c.Name == s.Name && ptr.Deref(c.RestartPolicy, "") == corev1.ContainerRestartPolicyAlways
		}) {
			statuses = append(statuses, s)
		}
	}
	return append(statuses, p.Status.ContainerStatuses...)
}

// updateDeletion stores when the deletion of the pod was requested, as its first update with a deletionTimestamp says: that is the end of
// its grace period, and moves when the period gets shorter (BeforeDelete in k8s.io/apiserver v0.37, pkg/registry/rest/delete.go).
func (p *pod) updateDeletion(object *corev1.Pod) {
	if object.DeletionTimestamp != nil && p.deletion.IsZero() {
		grace := time.Duration(ptr.Deref(object.DeletionGracePeriodSeconds, 0)) * time.Second
		p.deletion = object.DeletionTimestamp.Add(-grace)
	}
}

// sinceDeletion returns how long after the pod's deletion was requested a moment is; 0 if it is before.
func (p *pod) sinceDeletion(at time.Time) time.Duration {
	if p.deletion.IsZero() {
		return 0
	}
	return max(0, at.Sub(p.deletion))
}
