package standstill

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/harness/observe"
)

// A row says of one kind of obstacles how it is recognised and said, and when it counts as one that stays.
type row struct {
	kind Kind
	// find returns the obstacle of a pod if it has one. It is ForGood if it stays until somebody takes it away, as far as one look tells.
	find func(view, *corev1.Pod) (o Obstacle, found bool)
	say  func(Obstacle) string
	// after is how long it has to have been there. A row without it has waited long enough with stillFor.
	after time.Duration
	alone bool // no end of another pod takes it away
	logs  bool // the container's last lines may say why
}

// rows has the obstacles, the most telling first. Paths are Kubernetes v1.37's.
var rows = []row{
	{kind: Kept, find: kept, say: sayKept},
	// Somebody may still create it, such as a Job of the same manifests. The kubelet looks for it again after 10 to 15 s
	// (pkg/kubelet/pod_workers.go, completeWork), and for that of a volume after 0.5 s, 1 s and so on
	// (pkg/util/goroutinemap/exponentialbackoff).
	{kind: Missing, find: view.missing, say: sayMissing, after: stillFor, alone: true},
	{kind: NoImage, find: noImage, say: sayWaits, alone: true},
	{kind: NotPulled, find: notPulled, say: sayWaits, after: triedFor, alone: true},
	{kind: SlowStart, find: view.slowStart, say: saySlowStart, alone: true, logs: true},
	{kind: Exited, find: view.exited, say: sayExited, alone: true, logs: true},
	{kind: NotMade, find: notMade, say: sayWaits, after: triedFor, alone: true},
	{kind: NoNode, find: view.noNode, say: sayNoNode, alone: true},
	{kind: NoRoom, find: view.noRoom, say: sayNoNode},
	{kind: NoVolume, find: view.noVolume, say: sayNoVolume},
	{kind: ProbeFails, find: view.probeFails, say: sayProbeFails, logs: true},
	{kind: Starting, find: view.starting, say: sayStarting},
	{kind: Refused, say: sayRefused},
}

// triedFor is longer than the kubelet takes to begin three tries: it pulls an image again after 10 s and then 20 s
// (pkg/kubelet/kubelet.go, imageBackOffPeriod, v1.37), and creates a container again after 10 s (backOffPeriod), each up to half as long
// again (pkg/kubelet/pod_workers.go, workerBackOffPeriodJitterFactor). A registry may be away for a moment.
const triedFor = 50 * time.Second

// of returns the obstacle of this kind that a pod has.
func (r row) of(v view, pod *corev1.Pod) (o Obstacle, found bool) {
	if r.find == nil || r.kind != Kept && (ended(pod) || observe.Ready(pod) || pod.DeletionTimestamp != nil || v.outdated[pod.UID]) {
		return Obstacle{}, false
	}
	o, found = r.find(v, pod)
	o.Kind, o.Pod = r.kind, pod.Name
	return o, found
}

// ended reports whether no container of a pod is started again.
func ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}
