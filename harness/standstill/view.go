package standstill

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/observe/message"
)

// A view is what is seen of an app's pods at one moment.
type view struct {
	pods     []*corev1.Pod
	about    map[types.UID][]*corev1.Event // Events about pods, by name
	outdated map[types.UID]bool            // pods whose workload has made pods of another version since
	exits    map[part]int                  // of containers, when their pods were last seen ready
}

// A part is a container of a pod.
type part struct {
	pod       types.UID
	container string
}

func viewOf(pods []*corev1.Pod, events []*corev1.Event, exits map[part]int) view {
	v := view{pods, map[types.UID][]*corev1.Event{}, outdated(pods), exits}
	for _, e := range events {
		if of := e.InvolvedObject; of.Kind == "Pod" {
			v.about[of.UID] = append(v.about[of.UID], e)
		}
	}
	return v
}

// outdated returns the pods of a version that is not the one of which their workload made a pod last: these are on their way out, whatever
// is the matter with them.
func outdated(pods []*corev1.Pod) map[types.UID]bool {
	type version struct{ maker, of string }
	versionOf := func(pod *corev1.Pod) version {
		if owner := metav1.GetControllerOf(pod); owner != nil {
			return version{owner.Kind + makerOf(owner.Kind, owner.Name), observe.VersionOf(pod.Labels, pod.Spec)}
		}
		return version{maker: string(pod.UID)}
	}
	made, last := map[version]time.Time{}, map[string]time.Time{} // the newest pod of each version, and of each workload
	for _, pod := range pods {
		is, at := versionOf(pod), pod.CreationTimestamp.Time
		made[is], last[is.maker] = latest(made[is], at), latest(last[is.maker], at)
	}
	old := map[types.UID]bool{}
	for _, pod := range pods {
		is := versionOf(pod)
		old[pod.UID] = made[is].Before(last[is.maker])
	}
	return old
}

func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }

// makerOf returns the workload that makes pods, by their controller: a Deployment's ReplicaSet has its name and the hash of the template
// (pkg/controller/deployment/sync.go, v1.37).
func makerOf(kind, name string) string {
	if end := strings.LastIndexByte(name, '-'); kind == "ReplicaSet" && end > 0 {
		return name[:end]
	}
	return name
}

// last returns the newest Event about a pod that fits; nil: none does.
func (v view) last(pod *corev1.Pod, fits func(*corev1.Event) bool) (last *corev1.Event) {
	for _, e := range v.about[pod.UID] {
		if fits(e) && (last == nil || !observe.LastReported(e).Before(observe.LastReported(last))) {
			last = e
		}
	}
	return last
}

// reportOf returns what an Event says.
func reportOf(e *corev1.Event) evidence.Report {
	return message.Of(e.InvolvedObject.Kind, e.Reason, e.Message)
}

// timesOf returns the count of an Event.
func timesOf(e *corev1.Event) int {
	if e.Series != nil {
		return int(e.Series.Count)
	}
	return max(1, int(e.Count))
}

// containerOf returns the container that an Event is about; empty: none (pkg/kubelet/container/ref.go, v1.37: spec.containers{web}).
func containerOf(e *corev1.Event) string {
	_, name, _ := strings.Cut(e.InvolvedObject.FieldPath, "{")
	return strings.TrimSuffix(name, "}")
}
