package observe

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubectl/pkg/util/podutils"

	"example.com/rollcall/harness/evidence"
)

// A pod is an app pod as last seen, even after it has left the API. The journal's lock guards it.
type pod struct {
	server    evidence.Server
	uid       types.UID
	addresses map[string]bool // all addresses that it has had
	ready     bool
	deleting  bool
	deletion  time.Time             // when its deletion was requested, in seconds of the API's clock; zero: it was not
	ends      map[containerEnd]bool // that were noted, or before the watch
	gone      bool                  // it left the API; its process may still run

	container     string       // name of the app's container: the first of the pod
	runs          int          // how often the container was started
	failedStarts  map[int]bool // runs whose process never began
	ended         bool         // the last run has ended
	stopFollowing context.CancelFunc
}

// A podMeta says why a pod is behind a Service, whether a workload controls it, and whether it terminates.
type podMeta struct {
	labels, node         string
	controlled, deleting bool
}

// A podTracker notes when pods of the app are created, become ready or unready, are deleted and leave the API.
type podTracker struct {
	*journal
	version versions
	byName  map[string]*pod            // pods of the app in the API
	metas   map[string]podMeta         // by name, of all pods of the namespace in the API
	byUID   map[string]evidence.Server // all pods of the namespace, also those that are gone
	samples map[string]*corev1.Pod     // first pod seen of each version
	// Hooks, called under the lock; created may be nil.
	created   func(*pod)
	addressed func(address string, server evidence.Server) // for each new address of a pod
	unused    func(address, pod string)                    // for each address of a pod that left the API
}

func newPodTracker(j *journal, version versions) *podTracker {
	return &podTracker{journal: j, version: version, byName: map[string]*pod{}, metas: map[string]podMeta{},
		byUID: map[string]evidence.Server{}, samples: map[string]*corev1.Pod{}}
}

// see takes in a pod in one change: one that is known in part looks like a stray behind the Service.
func (t *podTracker) see(p *corev1.Pod, existed bool) {
	version, ofApp := t.version(p.Labels, p.Spec)
	server := evidence.Server{Version: version, Pod: p.Name, Node: p.Spec.NodeName}
	owner := metav1.GetControllerOf(p)
	meta := podMeta{labels.FormatLabels(p.Labels), p.Spec.NodeName, owner != nil, p.DeletionTimestamp != nil}
	t.storeUID(p)
	t.change(func() {
		begunToEnd := meta.deleting && !t.metas[p.Name].deleting
		t.metas[p.Name] = meta
		switch {
		case ofApp:
			t.seeOfApp(p, server, existed)
		case begunToEnd && owner != nil && owner.Kind != "Job": // a Job's pod serves no requests, and CronJobs delete old ones at any time
			t.note(evidence.Event{Kind: evidence.OtherPodDeleting, By: server, Object: controllerOf(p)})
		}
	})
}

// controllerOf returns the kind and name of a pod's controller, such as ReplicaSet/web-7f9c; empty without one.
func controllerOf(p *corev1.Pod) string {
	owner := metav1.GetControllerOf(p)
	if owner == nil {
		return ""
	}
	return owner.Kind + "/" + owner.Name
}

// disrupts returns the reason of a pod's condition DisruptionTarget, if it has that. Whoever disrupts a pod sets it before the deletion:
// the eviction API (addConditionAndDeletePod in pkg/registry/core/pod/storage/eviction.go, v1.37), the scheduler and controllers.
func disrupts(p *corev1.Pod) string {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue {
			return c.Reason
		}
	}
	return ""
}

// seeOfApp takes in a pod of the app. The caller holds the lock.
func (t *podTracker) seeOfApp(p *corev1.Pod, server evidence.Server, existed bool) {
	seen := t.byName[p.Name]
	if seen != nil && seen.uid != p.UID { // a StatefulSet made it anew while a watch was broken
		t.forget(seen)
		seen = nil
	}
	isNew := seen == nil
	if isNew {
		seen = &pod{uid: p.UID, addresses: map[string]bool{}, ends: map[containerEnd]bool{}}
		t.byName[p.Name] = seen
		if t.samples[server.Version] == nil {
			t.samples[server.Version] = p
		}
		t.note(evidence.Event{Kind: evidence.PodCreated, By: server, Object: controllerOf(p)})
	}
	seen.server = server
	for _, ip := range p.Status.PodIPs {
		// A pod that has ended may still show an address that another pod has by then: only the first time counts.
		if !seen.addresses[ip.IP] {
			seen.addresses[ip.IP] = true
			t.addressed(ip.IP, server)
		}
	}
	seen.updateRuns(p)
	if isNew && t.created != nil {
		t.created(seen)
	}
	if ready := Ready(p); ready != seen.ready {
		seen.ready = ready
		kind := evidence.PodUnready
		if ready {
			kind = evidence.PodReady
		}
		t.note(evidence.Event{Kind: kind, By: server})
	}
	if p.DeletionTimestamp != nil && !seen.deleting {
		seen.deleting = true
		t.note(evidence.Event{Kind: evidence.PodDeleting, By: server, Detail: disrupts(p)})
	}
	note := t.note
	if isNew && existed {
		note = func(evidence.Event) {} // they are older than the recording
	}
	seen.updateDeletion(p)
	seen.noteEnds(p, note)
}

// storeUID stores a pod by its uid, for its processes.
func (t *podTracker) storeUID(p *corev1.Pod) {
	version, _ := t.version(p.Labels, p.Spec)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byUID[string(p.UID)] = evidence.Server{Version: version, Pod: p.Name, Node: p.Spec.NodeName}
}

func (t *podTracker) lose(p *corev1.Pod) {
	t.change(func() {
		delete(t.metas, p.Name)
		if seen := t.byName[p.Name]; seen != nil {
			seen.updateRuns(p)
			seen.updateDeletion(p)
			seen.noteEnds(p, t.note)
			t.forget(seen)
		}
	})
}

// forget notes that a pod has left the API; the caller holds the lock.
func (t *podTracker) forget(p *pod) {
	delete(t.byName, p.server.Pod)
	p.gone = true
	for address := range p.addresses {
		t.unused(address, p.server.Pod)
	}
	t.note(evidence.Event{Kind: evidence.PodGone, By: p.server})
}

// server returns a pod by name, with nothing else if it is not in the API. The caller holds the lock.
func (t *podTracker) server(name string) evidence.Server {
	if p := t.byName[name]; p != nil {
		return p.server
	}
	return evidence.Server{Pod: name}
}

// fill adds the pods to a state; the caller holds the lock.
func (t *podTracker) fill(s *State) {
	for _, p := range t.byName {
		s.Pods = append(s.Pods, PodState{p.server, p.ready, p.deleting})
	}
}

// Ready reports whether the API shows a pod as ready.
func Ready(p *corev1.Pod) bool { return podutils.IsPodReady(p) }

// updateRuns updates how often the app's container was started, and whether it runs.
func (p *pod) updateRuns(object *corev1.Pod) {
	for _, c := range object.Spec.Containers[:min(1, len(object.Spec.Containers))] {
		p.container = c.Name
	}
	for _, s := range object.Status.ContainerStatuses {
		// While a container waits for its next run, the status still counts the last one.
		if s.Name == p.container && (s.State.Waiting == nil || s.LastTerminationState.Terminated != nil) {
			p.runs, p.ended = int(s.RestartCount)+1, s.State.Running == nil
			last := p.runs - 1 // the run that LastTerminationState describes
			if s.State.Waiting == nil {
				last--
			}
			p.updateFailedStart(p.runs-1, s.State)
			p.updateFailedStart(last, s.LastTerminationState)
		}
	}
}

// updateFailedStart notes a run whose container could not be started: it has no log, and the kubelet may return the
// next run's (containerd v2, internal/cri/server/container_start.go, errorStartReason).
func (p *pod) updateFailedStart(run int, state corev1.ContainerState) {
	if state.Terminated == nil || state.Terminated.Reason != "StartError" {
		return
	}
	if p.failedStarts == nil {
		p.failedStarts = map[int]bool{}
	}
	p.failedStarts[run] = true
}

// over reports whether a run has ended, or the pod has left the API. A pod that was removed by force may still serve for its
// grace period.
func (p *pod) over(run int) bool { return p.gone || p.runs > run+1 || p.ended }
