package standstill

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe/message"
)

// kept is about a pod whose containers have all ended, so that only a finalizer keeps it.
func kept(_ view, pod *corev1.Pod) (Obstacle, bool) {
	return Obstacle{Message: strings.Join(pod.Finalizers, ", "), ForGood: true}, held(pod)
}

// held reports whether all containers of a deleted pod have ended, so that only a finalizer keeps it.
func held(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp != nil && len(pod.Finalizers) > 0 && len(pod.Status.ContainerStatuses) > 0 &&
		!slices.ContainsFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool { return c.State.Terminated == nil })
}

// unscheduled is about a pod that no node takes. It does not stay if an autoscaler adds a node, another pod is ended for it, or its claim
// may still be bound.
func (v view) unscheduled(pod *corev1.Pod) (o Obstacle, is bool) {
	for _, c := range pod.Status.Conditions {
		if c.Type != corev1.PodScheduled || c.Status != corev1.ConditionFalse || c.Reason != corev1.PodReasonUnschedulable {
			continue
		}
		o = Obstacle{Reason: c.Reason, Message: message.WithoutPreemption(printable(c.Message)),
			Lacks:   message.Of("Pod", "FailedScheduling", c.Message).Lacks,
			ForGood: !v.nodeComes(pod) && pod.Status.NominatedNodeName == "" && !message.ClaimMayBind(c.Message)}
		o.Absent, _ = message.AbsentIn(c.Message)
		return o, true
	}
	return Obstacle{}, false
}

// nodeComes reports whether an autoscaler said of a pod, last, that it adds a node for it.
func (v view) nodeComes(pod *corev1.Pod) bool {
	last := v.last(pod, func(e *corev1.Event) bool {
		kind := reportOf(e).Kind
		return kind == message.NodeComes || kind == message.NoNodeComes
	})
	return last != nil && reportOf(last).Kind == message.NodeComes
}

// unfit are what pods lack that no pod which ends makes room for.
var unfit = []evidence.Lack{message.LacksLabels, message.LacksUntainted}

func (v view) noNode(pod *corev1.Pod) (Obstacle, bool) {
	o, is := v.unscheduled(pod)
	return o, is && o.Absent.Kind == "" && slices.Contains(unfit, o.Lacks)
}

func (v view) noRoom(pod *corev1.Pod) (Obstacle, bool) {
	o, is := v.unscheduled(pod)
	return o, is && o.Absent.Kind == "" && !slices.Contains(unfit, o.Lacks)
}

// missing is about what a pod names and that does not exist: a scheduler says so of its claim, a kubelet of the Secrets and ConfigMaps of
// its containers, by their state, and of its volumes, by an Event.
func (v view) missing(pod *corev1.Pod) (o Obstacle, is bool) {
	if o, is = v.unscheduled(pod); is {
		o.ForGood = true
		return o, o.Absent.Kind != ""
	}
	o, is = waiting(pod, func(w *corev1.ContainerStateWaiting) bool {
		_, missing := message.AbsentIn(w.Message)
		return w.Reason == configError && missing
	})
	if is {
		o.Absent, _ = message.AbsentIn(o.Message)
		return o, true
	}
	last := v.last(pod, func(e *corev1.Event) bool {
		_, missing := message.AbsentIn(e.Message)
		return reportOf(e).Kind == message.NotMounted && missing
	})
	if last == nil || slices.ContainsFunc(statusesOf(pod), begun) {
		return Obstacle{}, false
	}
	o = Obstacle{Reason: last.Reason, Message: printable(last.Message), ForGood: true}
	o.Absent, _ = message.AbsentIn(last.Message)
	return o, true
}

// begun reports whether a container has run, for which the pod's volumes had to be there.
func begun(c corev1.ContainerStatus) bool {
	return c.State.Running != nil || c.State.Terminated != nil || c.LastTerminationState.Terminated != nil
}

// noVolume is about a volume that another of the pods has.
func (v view) noVolume(pod *corev1.Pod) (Obstacle, bool) {
	last := v.last(pod, func(e *corev1.Event) bool { return reportOf(e).Kind == message.NotAttached })
	if last == nil {
		return Obstacle{}, false
	}
	users := message.VolumeUsers(last.Message)
	used := slices.ContainsFunc(v.pods, func(p *corev1.Pod) bool { return slices.Contains(users, p.Name) })
	return Obstacle{Reason: last.Reason, Message: printable(last.Message), ForGood: used}, true
}
