package during

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/usage"
)

// A Standstill watches for a rollout that no wait ends: nothing of the app or the nodes changes any more, and what keeps its pods from
// running stays until somebody does something about it.
type Standstill struct {
	client    kubernetes.Interface
	namespace string
	selector  labels.Selector
	workloads []string          // names
	before    map[string]string // nodes that were unfit already

	is      string // the pods and the nodes, as last seen
	since   time.Time
	refused int // pods, when stillFor was over; -1: it is not
}

// stillFor is for how long nothing has to change before it counts as a standstill. By then whoever reacts to a change has: the scheduler
// tries a pod again, when one ended or a node came, after a backoff of at most 10 s (pkg/scheduler/apis/config/v1/defaults.go, v1.37),
// and an autoscaler that adds a node looks for pods without one every 10 s (cluster-autoscaler, --scan-interval) and says so.
const stillFor = 30 * time.Second

// NewStandstill is about the pods that a selector selects and workloads make, before what may stop their rollout.
func NewStandstill(ctx context.Context, client kubernetes.Interface, namespace string, selector labels.Selector,
	workloads ...string) *Standstill {
	s := &Standstill{client: client, namespace: namespace, selector: selector, workloads: workloads, since: time.Now(), refused: -1}
	s.before, _ = unfit(ctx, client) // of an API that is silent nothing is decided later either
	return s
}

// Because says what stops the rollout; empty while waiting may still help, or if that is not known. It is asked again and again.
func (s *Standstill) Because(ctx context.Context) string {
	listed, err := s.client.CoreV1().Pods(s.namespace).List(ctx, metav1.ListOptions{LabelSelector: s.selector.String()})
	if err != nil {
		return ""
	}
	nodes, err := s.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return ""
	}
	if is, moving := state(listed.Items, nodes.Items, s.before); moving || is != s.is {
		s.is, s.since, s.refused = is, time.Now(), -1
	}
	if time.Since(s.since) < stillFor {
		return ""
	}
	events, err := s.client.CoreV1().Events(s.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return ""
	}
	for _, pod := range listed.Items {
		if because := stops(pod, listed.Items, events.Items); because != "" {
			return because
		}
	}
	// The controller tries again after twice the time each time, and may not have since the last change (client-go,
	// DefaultTypedControllerRateLimiter): only a refusal of later on tells.
	refused, why := s.refusals(events.Items)
	if s.refused >= 0 && refused > s.refused {
		return why
	}
	s.refused = refused
	return s.timedOut(ctx)
}

// held reports whether a pod has ended, and only a finalizer keeps it.
func held(pod corev1.Pod) bool {
	return pod.DeletionTimestamp != nil && len(pod.Finalizers) > 0 && len(pod.Status.ContainerStatuses) > 0 &&
		!slices.ContainsFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool { return c.State.Terminated == nil })
}

// state is what has to stay for a standstill. While a pod ends, or a node is away that was not, something will change.
func state(pods []corev1.Pod, nodes []corev1.Node, before map[string]string) (is string, moving bool) {
	var all []string
	for _, pod := range pods {
		moving = moving || pod.DeletionTimestamp != nil && !held(pod)
		all = append(all, fmt.Sprint(pod.UID, pod.Name, pod.Spec.NodeName, observe.Ready(&pod)))
	}
	for _, node := range nodes {
		moving = moving || lacking(node) != "" && before[node.Name] == ""
		all = append(all, node.Name)
	}
	slices.Sort(all)
	return strings.Join(all, " "), moving
}

// refusals are how often the API server refused a pod of the workloads, by quota, limits or another policy, and the last one's words.
func (s *Standstill) refusals(events []corev1.Event) (count int, why string) {
	var last time.Time
	for _, e := range events {
		maker := e.InvolvedObject.Name
		if end := strings.LastIndexByte(maker, '-'); e.InvolvedObject.Kind == "ReplicaSet" && end > 0 {
			maker = maker[:end] // without the hash of its template (pkg/controller/deployment/sync.go, v1.37)
		}
		if e.Reason != "FailedCreate" || !slices.Contains(s.workloads, maker) || !strings.Contains(e.Message, "is forbidden: ") {
			continue
		}
		count += times(e)
		if at := e.LastTimestamp.Time; !at.Before(last) {
			last, why = at, e.Reason+": "+usage.JoinLines(e.Message)
		}
	}
	return count, why
}

// times is how often an Event says that something happened.
func times(e corev1.Event) int {
	if e.Series != nil {
		return int(e.Series.Count)
	}
	return max(1, int(e.Count))
}

// mayChange are what an Unschedulable pod's condition says of what others do, some time after the pod: a volume is made for it.
const mayChange = "unbound immediate PersistentVolumeClaims"

// scalesUp are reasons of Events by which an autoscaler says that a node comes for a pod: cluster-autoscaler and Karpenter.
var scalesUp = []string{"TriggeredScaleUp", "Nominated"}

// restartsBefore is after how many restarts by its probe a container counts as one that never starts in the time that it has, which is
// the same each time: our own choice.
const restartsBefore = 3

// stops says what keeps a pod from being ready, or from going, for good; empty if nothing is known to.
func stops(pod corev1.Pod, all []corev1.Pod, events []corev1.Event) string {
	if held(pod) {
		return fmt.Sprintf("pod %s has ended and stays, since nobody takes its finalizer away: %s", pod.Name, strings.Join(pod.Finalizers, ", "))
	}
	if pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed || observe.Ready(&pod) {
		return ""
	}
	about := slices.DeleteFunc(slices.Clone(events), func(e corev1.Event) bool {
		return e.InvolvedObject.Kind != "Pod" || e.InvolvedObject.UID != pod.UID
	})
	for _, c := range pod.Status.Conditions {
		if c.Type != corev1.PodScheduled || c.Status != corev1.ConditionFalse || c.Reason != corev1.PodReasonUnschedulable {
			continue
		}
		comes := slices.ContainsFunc(about, func(e corev1.Event) bool { return slices.Contains(scalesUp, e.Reason) })
		if comes || pod.Status.NominatedNodeName != "" || strings.Contains(c.Message, mayChange) {
			return ""
		}
		why, _, _ := strings.Cut(usage.JoinLines(c.Message), ". ") // what preemption would do follows
		return fmt.Sprintf("no node takes pod %s: %s", pod.Name, strings.TrimSuffix(why, "."))
	}
	for _, c := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if w := c.State.Waiting; w != nil && neverPulled(*w) {
			return fmt.Sprintf("pod %s has no image for container %s: %s", pod.Name, c.Name, cmp.Or(usage.JoinLines(w.Message), w.Reason))
		}
	}
	for _, e := range about {
		switch {
		case e.Reason == "Killing" && strings.HasSuffix(e.Message, " probe, will be restarted") && times(e) >= restartsBefore:
			return fmt.Sprintf("pod %s does not get ready: %s (%d times)", pod.Name, e.Message, times(e))
		case e.Reason == "FailedAttachVolume" && usedBy(e.Message, all):
			return fmt.Sprintf("pod %s gets no volume: %s", pod.Name, usage.JoinLines(e.Message))
		}
	}
	return ""
}

// neverPulled reports whether a container waits for an image that is nowhere; a registry that does not answer may do so later.
func neverPulled(w corev1.ContainerStateWaiting) bool {
	switch w.Reason {
	case "InvalidImageName", "ErrImageNeverPull": // pkg/kubelet/images/types.go, v1.37
		return true
	case "ErrImagePull", "ImagePullBackOff": // with the words of the runtime, after those of a registry
		return strings.HasSuffix(w.Message, ": not found")
	}
	return false
}

// usedBy reports whether a volume waits for one of the pods (pkg/controller/volume/attachdetach/reconciler/reconciler.go, v1.37).
func usedBy(message string, pods []corev1.Pod) bool {
	_, users, used := strings.Cut(message, "Volume is already used by pod(s) ")
	return used && slices.ContainsFunc(pods, func(p corev1.Pod) bool {
		return slices.Contains(strings.FieldsFunc(users, func(r rune) bool { return r == ',' || r == ' ' }), p.Name)
	})
}

// timedOut is what a Deployment says of itself after its progressDeadlineSeconds.
func (s *Standstill) timedOut(ctx context.Context) string {
	deployments, err := s.client.AppsV1().Deployments(s.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return ""
	}
	for _, d := range deployments.Items {
		if slices.Contains(s.workloads, d.Name) && slices.ContainsFunc(d.Status.Conditions, func(c appsv1.DeploymentCondition) bool {
			return c.Type == appsv1.DeploymentProgressing && c.Status == corev1.ConditionFalse && c.Reason == "ProgressDeadlineExceeded"
		}) {
			return fmt.Sprintf("deployment %s made no progress for its progressDeadlineSeconds", d.Name)
		}
	}
	return ""
}
