package timeline

import (
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A PodCondition is the state of the pod that a request went to, when it was sent. The set is closed.
type PodCondition string

// The conditions of pods.
const (
	ConditionUnknown     PodCondition = "unknown"        // which pod it went to is not known, and is not guessed
	ConditionNone        PodCondition = "none"           // it went to no pod
	ConditionStarting    PodCondition = "starting"       // not ready
	ConditionReady       PodCondition = "ready"          // ready, and it had given a good reply since
	ConditionNotAble     PodCondition = "not-able"       // ready, and it had given no good reply since
	ConditionTerminating PodCondition = "terminating"    // being deleted, its process ended included
	ConditionKilled      PodCondition = "killed"         // a container of it had been killed: at the end of its grace period, or for its memory
	ConditionOther       PodCondition = "other-workload" // it is not of the app's workload
)

// conditionWords has the words for pods in a condition.
var conditionWords = map[PodCondition]string{
	ConditionUnknown: "pods", ConditionNone: "addresses of no pod", ConditionStarting: "starting pods", ConditionReady: "ready pods",
	ConditionNotAble: "ready pods that had not answered well yet", ConditionTerminating: "terminating pods", ConditionKilled: "killed pods",
	ConditionOther: "pods of another workload",
}

// setCondition sets the condition of the pod that the request went to.
func (l *lost) setCondition() {
	switch {
	case l.pod == nil && l.toNoPod():
		l.condition = ConditionNone
	case l.pod == nil && l.byStaleRule():
		l.condition = ConditionTerminating
	case l.pod == nil:
		l.condition = ConditionUnknown
	case l.t.ofOther(l.pod):
		l.condition = ConditionOther
	case l.killed():
		l.condition = ConditionKilled
	case l.ending:
		l.condition = ConditionTerminating
	case l.phase < PodServing:
		l.condition = ConditionStarting
	case l.served():
		l.condition = ConditionReady
	default:
		l.condition = ConditionNotAble
	}
}

// toNoPodsAddress reports whether the request was routed to an address that no pod behind the Service had, of an app whose pods were
// watched.
func (l *lost) toNoPodsAddress() bool {
	return l.Routed.Routing == RoutedToPod && l.Routed.Pod == "" && !l.t.Unwatched
}

// ofOther reports whether a pod behind the Service is of another workload than the app's: it is no part of the rollout, or a Job's.
func (t *Timeline) ofOther(p *Pod) bool {
	return t.isStray(p.Pod) || strings.HasPrefix(p.Controller, "Job/")
}

// sigkilled is the exit code of a container that SIGKILL ended: 128 and the number of the signal.
const sigkilled = 137

// Killed reports whether an event is the end of a container that the kernel or the kubelet killed.
func Killed(e evidence.Event) bool {
	return e.Kind == evidence.ContainerEnded && (e.Count == sigkilled || e.Detail == evidence.OOMKilled)
}

// killed reports whether a container of the pod was killed before the request was over, and no later one got ready since. The API tells of
// an end as late as of a deletion.
func (l *lost) killed() (is bool) {
	for _, e := range l.pod.Events {
		switch {
		case e.At > l.told() && !l.endedBy(e):
		case Killed(e):
			is = true
		case e.Kind == evidence.PodReady && e.At < l.Sent:
			is = false
		}
	}
	return is
}

// endedBy reports whether a stream ended when a container was killed of which the API tells later: it says how long after the deletion that
// was, in whole seconds.
func (l *lost) endedBy(e evidence.Event) bool {
	deleted, is := l.pod.first(evidence.PodDeleting, nil)
	return is && l.streamed() && Killed(e) && e.For > 0 && l.End() >= deleted.At+e.For-time.Second-noticed
}

// served reports whether the pod had given a good reply before, to any client.
func (l *lost) served() bool {
	first, any := l.t.firstGood[evidence.Server{Pod: l.pod.Pod, Version: l.version()}]
	return any && first < l.Sent
}

// version returns the version of the pod that the request went to: a StatefulSet gives a name again.
func (l *lost) version() string {
	if by := reached(l.Hit); by.Version != "" {
		return by.Version
	}
	return l.pod.Version
}

// laterGood reports whether the pod of a request gave a good reply later.
func (t *Timeline) laterGood(l *lost) bool {
	_, any := t.firstGood[evidence.Server{Pod: l.pod.Pod, Version: l.version()}]
	return any
}
