package during

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/observe/message"
	"example.com/rollcall/harness/verdict/phrase"
)

// A Standstill finds out whether a rollout cannot end by waiting: nothing of the app or the nodes changes any more, and the obstacle to
// its pods stays until somebody removes it.
type Standstill struct {
	seen      *observe.Objects
	selector  labels.Selector
	workloads []string          // names
	before    map[string]string // nodes that were unfit before the rollout, and why

	is      string    // the pods and the nodes, as last seen
	since   time.Time // of the last change of is
	refused int       // how many pods had been rejected when stillFor was over; -1: it is not over
}

// stillFor is how long nothing may change before it counts as a standstill. By then controllers have reacted to the last change: the
// scheduler tries a pod again, after a pod ended or a node came, within a backoff of 10 s (pkg/scheduler/apis/config/v1/defaults.go,
// v1.37), and an autoscaler looks for pods without a node every 10 s (cluster-autoscaler, --scan-interval) and reports the new node.
const stillFor = 30 * time.Second

// NewStandstill looks at the rollout of workloads and of the pods that a selector selects. It has to be called before the rollout.
func NewStandstill(seen *observe.Objects, selector labels.Selector, workloads ...string) *Standstill {
	return &Standstill{seen: seen, selector: selector, workloads: workloads, before: unfit(seen.Nodes()), since: time.Now(), refused: -1}
}

// Because says what stops the rollout; empty while waiting may still help, or if it is not known. Call it repeatedly.
func (s *Standstill) Because() string {
	pods := s.seen.Pods(s.selector)
	if is, moving := state(pods, s.seen.Nodes(), s.before); moving || is != s.is {
		s.is, s.since, s.refused = is, time.Now(), -1
	}
	if time.Since(s.since) < stillFor {
		return ""
	}
	events := s.seen.Events()
	for _, pod := range pods {
		if because := stops(pod, pods, events); because != "" {
			return because
		}
	}
	// A controller doubles its backoff with each try (client-go, DefaultTypedControllerRateLimiter) and may not have tried since the
	// last change: only a later rejection counts.
	refused, why := s.refusals(events)
	if s.refused >= 0 && refused > s.refused {
		return why
	}
	s.refused = refused
	return s.timedOut()
}

// held reports whether all containers of a deleted pod have ended, so that only a finalizer keeps it.
func held(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp != nil && len(pod.Finalizers) > 0 && len(pod.Status.ContainerStatuses) > 0 &&
		!slices.ContainsFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool { return c.State.Terminated == nil })
}

// state returns a text of the pods and nodes that stays the same in a standstill. moving reports whether it will change: a pod is
// terminating, or a node is unfit that was not before.
func state(pods []*corev1.Pod, nodes []*corev1.Node, before map[string]string) (is string, moving bool) {
	var all []string
	for _, pod := range pods {
		moving = moving || pod.DeletionTimestamp != nil && !held(pod)
		all = append(all, fmt.Sprint(pod.UID, pod.Name, pod.Spec.NodeName, observe.Ready(pod)))
	}
	for _, node := range nodes {
		moving = moving || lacking(node) != "" && before[node.Name] == ""
		all = append(all, node.Name)
	}
	slices.Sort(all)
	return strings.Join(all, " "), moving
}

// refusals returns how often the API server rejected a pod of the workloads, by quota, limits or another policy, and its last message.
func (s *Standstill) refusals(events []*corev1.Event) (count int, why string) {
	var last time.Time
	for _, e := range events {
		maker := e.InvolvedObject.Name
		if end := strings.LastIndexByte(maker, '-'); e.InvolvedObject.Kind == "ReplicaSet" && end > 0 {
			maker = maker[:end] // the Deployment: without the hash of the template (pkg/controller/deployment/sync.go, v1.37)
		}
		report := reportOf(e)
		rejected := report.Lacks == message.LacksQuota || report.Lacks == message.LacksAdmission
		if report.Kind != message.NotCreated || !rejected || !slices.Contains(s.workloads, maker) {
			continue
		}
		count += times(e)
		if at := e.LastTimestamp.Time; !at.Before(last) {
			last, why = at, e.Reason+": "+phrase.Printable(e.Message)
		}
	}
	return count, why
}

// times returns the count of an Event.
func times(e *corev1.Event) int {
	if e.Series != nil {
		return int(e.Series.Count)
	}
	return max(1, int(e.Count))
}

// restartsBefore is after how many restarts by its probe a container counts as one that cannot start in time, since it has the same time
// at each start: our own choice.
const restartsBefore = 3

// stops says what keeps a pod from getting ready, or from being removed, for good; empty if nothing is known.
func stops(pod *corev1.Pod, all []*corev1.Pod, events []*corev1.Event) string {
	if held(pod) {
		return fmt.Sprintf("pod %s has ended and stays, since nobody takes its finalizer away: %s", pod.Name, strings.Join(pod.Finalizers, ", "))
	}
	if pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed || observe.Ready(pod) {
		return ""
	}
	about := slices.DeleteFunc(slices.Clone(events), func(e *corev1.Event) bool {
		return e.InvolvedObject.Kind != "Pod" || e.InvolvedObject.UID != pod.UID
	})
	for _, c := range pod.Status.Conditions {
		if c.Type != corev1.PodScheduled || c.Status != corev1.ConditionFalse || c.Reason != corev1.PodReasonUnschedulable {
			continue
		}
		comes := slices.ContainsFunc(about, func(e *corev1.Event) bool { return reportOf(e).Kind == message.NodeComes })
		if comes || pod.Status.NominatedNodeName != "" || message.ClaimMayBind(c.Message) {
			return ""
		}
		return fmt.Sprintf("no node takes pod %s: %s", pod.Name, message.WithoutPreemption(phrase.Printable(c.Message)))
	}
	for _, c := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if w := c.State.Waiting; w != nil && message.NeverPulled(w.Reason, w.Message) {
			return fmt.Sprintf("pod %s has no image for container %s: %s", pod.Name, c.Name, cmp.Or(phrase.Printable(w.Message), w.Reason))
		}
	}
	for _, e := range about {
		switch kind := reportOf(e).Kind; {
		case (kind == message.KilledByLiveness || kind == message.KilledByStartup) && times(e) >= restartsBefore:
			return fmt.Sprintf("pod %s does not get ready: %s (%d times)", pod.Name, phrase.Printable(e.Message), times(e))
		case kind == message.NotAttached && usedBy(e.Message, all):
			return fmt.Sprintf("pod %s gets no volume: %s", pod.Name, phrase.Printable(e.Message))
		}
	}
	return ""
}

// usedBy reports whether one of the pods uses the volume of an Event about another one.
func usedBy(text string, pods []*corev1.Pod) bool {
	users := message.VolumeUsers(text)
	return slices.ContainsFunc(pods, func(p *corev1.Pod) bool { return slices.Contains(users, p.Name) })
}

func reportOf(e *corev1.Event) evidence.Report {
	return message.Of(e.InvolvedObject.Kind, e.Reason, e.Message)
}

// timedOut says which Deployment's progressDeadlineSeconds are over; empty: none.
func (s *Standstill) timedOut() string {
	for _, name := range s.workloads {
		d, err := s.seen.Deployment(name)
		if err == nil && slices.ContainsFunc(d.Status.Conditions, func(c appsv1.DeploymentCondition) bool {
			return c.Type == appsv1.DeploymentProgressing && c.Status == corev1.ConditionFalse && c.Reason == "ProgressDeadlineExceeded"
		}) {
			return fmt.Sprintf("deployment %s made no progress for its progressDeadlineSeconds", name)
		}
	}
	return ""
}
