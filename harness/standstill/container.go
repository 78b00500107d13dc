package standstill

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/harness/observe/message"
	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/verdict/phrase"
)

// statusesOf returns the statuses of a pod's containers, init containers first.
func statusesOf(pod *corev1.Pod) []corev1.ContainerStatus {
	return slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses)
}

// Reasons for which a container waits (pkg/kubelet/images/types.go and pkg/kubelet/kuberuntime/kuberuntime_container.go, v1.37; the
// registry's are of cri-api, pkg/errors).
var (
	pullReasons = []string{"ErrImagePull", "ImagePullBackOff", "ImageInspectError", "RegistryUnavailable", "SignatureValidationFailed"}
	makeReasons = []string{configError, "CreateContainerError", "PreCreateHookError", "PreStartHookError", "RunContainerError"}
)

const configError = "CreateContainerConfigError"

// waiting returns the obstacle of the first container that waits for what fits.
func waiting(pod *corev1.Pod, fits func(*corev1.ContainerStateWaiting) bool) (o Obstacle, found bool) {
	for _, c := range statusesOf(pod) {
		if w := c.State.Waiting; w != nil && fits(w) {
			return Obstacle{Container: c.Name, Reason: w.Reason, Message: printable(w.Message), ForGood: true}, true
		}
	}
	return Obstacle{}, false
}

func noImage(_ view, pod *corev1.Pod) (Obstacle, bool) {
	return waiting(pod, func(w *corev1.ContainerStateWaiting) bool { return message.NeverPulled(w.Reason, w.Message) })
}

func notPulled(_ view, pod *corev1.Pod) (Obstacle, bool) {
	return waiting(pod, func(w *corev1.ContainerStateWaiting) bool {
		return slices.Contains(pullReasons, w.Reason) && !message.NeverPulled(w.Reason, w.Message)
	})
}

// notMade is about a container that never ran, or whose settings no longer fit; what it names may be missing.
func notMade(_ view, pod *corev1.Pod) (Obstacle, bool) {
	return waiting(pod, func(w *corev1.ContainerStateWaiting) bool {
		_, missing := message.AbsentIn(w.Message)
		return slices.Contains(makeReasons, w.Reason) && !missing
	})
}

// exitsOf returns how often a container has exited. While it waits for its next run, its count of restarts is still that of the last one.
func exitsOf(c corev1.ContainerStatus) int {
	n := int(c.RestartCount)
	if c.State.Terminated != nil || c.State.Waiting != nil && c.LastTerminationState.Terminated != nil {
		n++
	}
	return n
}

// exitsBefore is the exit with which a container that did not get its pod ready counts as one that never will. Many exit once or twice
// until what they need is there. The kubelet starts a container again 10 s, 20 s and 40 s after its exits, and so on
// (pkg/kubelet/kubelet.go, initialCrashLoopBackOff, v1.37): by the third, half a minute or more has passed since the first.
const exitsBefore = 3

// exited is about the container that has exited most since its pod was last seen ready. One that runs again may get ready.
func (v view) exited(pod *corev1.Pod) (worst Obstacle, found bool) {
	for _, c := range statusesOf(pod) {
		last := cmp.Or(c.State.Terminated, c.LastTerminationState.Terminated)
		times := exitsOf(c) - v.exits[part{pod.UID, c.Name}]
		if c.Ready || last == nil || times <= worst.Times { // an init container is ready once it has ended well
			continue
		}
		worst = Obstacle{Container: c.Name, Times: times, ExitCode: last.ExitCode, Reason: last.Reason,
			Message: phrase.Printable(secret.Script(last.Message)), Runs: c.State.Running != nil, waits: c.State.Waiting != nil}
		worst.ForGood = times >= exitsBefore && !worst.Runs
	}
	return worst, worst.Times > 0
}

// restartsBefore is after how many restarts by its probe a container counts as one that cannot start in time, since it has the same time
// at each start: our own choice.
const restartsBefore = 3

func (v view) slowStart(pod *corev1.Pod) (o Obstacle, found bool) {
	for _, e := range v.about[pod.UID] {
		kind := reportOf(e).Kind
		if times := timesOf(e); (kind == message.KilledByLiveness || kind == message.KilledByStartup) && times > o.Times {
			o = Obstacle{Container: containerOf(e), Times: times, Reason: e.Reason, Message: printable(e.Message), ForGood: times >= restartsBefore}
		}
	}
	o.waits = slices.ContainsFunc(statusesOf(pod), func(c corev1.ContainerStatus) bool {
		return c.Name == o.Container && c.State.Waiting != nil
	})
	return o, o.Times > 0
}

func (v view) probeFails(pod *corev1.Pod) (Obstacle, bool) {
	for _, c := range statusesOf(pod) {
		if c.State.Running == nil || c.Ready {
			continue
		}
		last := v.last(pod, func(e *corev1.Event) bool { return message.ProbeFailed(reportOf(e).Kind) && containerOf(e) == c.Name })
		if last != nil {
			return Obstacle{Container: c.Name, Reason: last.Reason, Message: inSentence(printable(last.Message)), Runs: true}, true
		}
	}
	return Obstacle{}, false
}

// inSentence begins a message, which has at least one letter, with a small one.
func inSentence(message string) string { return strings.ToLower(message[:1]) + message[1:] }

// starting is about the first container that is not ready, or a gate that is not. The pod's last Event may warn, or say what is being done.
func (v view) starting(pod *corev1.Pod) (Obstacle, bool) {
	o := Obstacle{Message: "it is " + string(pod.Status.Phase)}
	for _, gate := range pod.Spec.ReadinessGates {
		if !slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == gate.ConditionType && c.Status == corev1.ConditionTrue
		}) {
			o.Message = fmt.Sprintf("its readiness gate %s is not true", gate.ConditionType)
		}
	}
	for _, c := range statusesOf(pod) {
		if c.Ready {
			continue
		}
		o = Obstacle{Container: c.Name, Runs: c.State.Running != nil}
		if c.State.Waiting != nil {
			o.Reason, o.Message = c.State.Waiting.Reason, printable(c.State.Waiting.Message)
		}
		break
	}
	last := v.last(pod, func(*corev1.Event) bool { return true })
	if last != nil && !o.Runs && (last.Type == corev1.EventTypeWarning || last.Reason == pulling) {
		o.Message = printable(last.Message)
	}
	return o, true
}

// pulling is the reason of the Event that an image is being pulled (pkg/kubelet/events/event.go, v1.37).
const pulling = "Pulling"
