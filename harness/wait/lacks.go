package wait

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"

	"example.com/rollcall/harness/observe"
	"example.com/rollcall/harness/verdict/phrase"
)

// A view is what the API server has at one time.
type view struct {
	workload
	selector  labels.Selector // of the Service
	pods      []corev1.Pod    // of the workload that run, or will
	endpoints []discoveryv1.Endpoint
}

// lacks lists what there is still to wait for; nothing: only ready pods of the current revision are behind the Service, and no other pod of
// the workload runs. It returns an error for what does not come by waiting.
func (v view) lacks() (list []string, stuck error) {
	if v.stuck != nil {
		return nil, v.stuck
	}
	if v.revision == "" {
		list = append(list, v.String()+" has no revision of its template yet")
	}
	if v.rollsOut != "" {
		list = append(list, v.rollsOut)
	}
	if len(v.pods) == 0 {
		list = append(list, v.String()+" has no pods")
	}
	said := map[string]string{} // of pods that are not as they should be
	for _, p := range v.pods {
		switch {
		case p.DeletionTimestamp != nil:
			said[p.Name] = "terminating"
		case p.Labels[v.label] != v.revision:
			said[p.Name] = "of another revision"
		case !observe.Ready(&p):
			said[p.Name] = "not ready" + waiting(p)
		}
	}
	if v.kept != "" && (v.revision == "" || slices.Contains(slices.Collect(maps.Values(said)), "of another revision")) {
		return nil, fmt.Errorf("%s replaces no more pods by itself: %s", v, v.kept)
	}
	v.compareSlices(said)
	for _, name := range slices.Sorted(maps.Keys(said)) {
		list = append(list, name+" is "+said[name])
	}
	return list, nil
}

// compareSlices adds what the Service's EndpointSlices have that they should not have, and do not have.
func (v view) compareSlices(said map[string]string) {
	ready := map[string]bool{}
	for _, e := range v.endpoints {
		name := strings.Join(e.Addresses, ", ")
		if e.TargetRef != nil {
			name = e.TargetRef.Name
		}
		ours := slices.ContainsFunc(v.pods, func(p corev1.Pod) bool { return p.Name == name })
		switch {
		case said[name] != "":
		case !ours:
			said[name] = "an endpoint, and no pod of " + v.String()
		case ptr.Deref(e.Conditions.Ready, true):
			ready[name] = true
		default:
			said[name] = "an endpoint that is not ready"
		}
	}
	for _, p := range v.pods {
		if said[p.Name] == "" && !ready[p.Name] && v.selector.Matches(labels.Set(p.Labels)) {
			said[p.Name] = "not an endpoint yet"
		}
	}
}

// waiting returns why a container of a pod does not run, such as ": container app: CrashLoopBackOff"; empty if each does.
func waiting(p corev1.Pod) string {
	for _, c := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
		if c.State.Waiting != nil && c.State.Waiting.Reason != "" {
			return ": container " + c.Name + ": " + phrase.Printable(c.State.Waiting.Reason)
		}
	}
	return ""
}
