package observe

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"rollcall/harness/evidence"
)

// A pod is an app pod as last seen, also after it has left the API. The Watch's lock guards it.
type pod struct {
	by        evidence.Server
	addresses map[string]bool // that it was seen to have
	ready     bool
	deleting  bool
	gone      bool // it left the API, which does not mean that its process has ended

	container    string       // the app's; the first of the pod
	runs         int          // how often the container has been started
	unbegun      map[int]bool // runs whose process never began
	ended        bool         // the last run has ended
	endFollowing context.CancelFunc
}

func (w *Watch) seePod(p *corev1.Pod) {
	version, ours := p.Labels[w.versionLabel]
	if !ours {
		return
	}
	w.locked(func() {
		seen := w.pods[p.Name]
		by := evidence.Server{Version: version, Pod: p.Name, Node: p.Spec.NodeName}
		created := seen == nil
		if created {
			seen = &pod{}
			w.pods[p.Name] = seen
			w.note(evidence.Event{Kind: evidence.PodCreated, By: by})
		}
		seen.by = by
		for _, ip := range p.Status.PodIPs {
			w.seeAddress(seen, ip.IP)
		}
		seen.seeRuns(p)
		if created && !w.mute {
			w.follow(seen)
		}
		if ready := Ready(p); ready != seen.ready {
			seen.ready = ready
			kind := evidence.PodUnready
			if ready {
				kind = evidence.PodReady
			}
			w.note(evidence.Event{Kind: kind, By: by})
		}
		if p.DeletionTimestamp != nil && !seen.deleting {
			seen.deleting = true
			w.note(evidence.Event{Kind: evidence.PodDeleting, By: by})
		}
	})
}

func (w *Watch) losePod(p *corev1.Pod) {
	w.locked(func() {
		if seen := w.pods[p.Name]; seen != nil {
			delete(w.pods, p.Name)
			seen.seeRuns(p)
			seen.gone = true
			w.note(evidence.Event{Kind: evidence.PodGone, By: seen.by})
		}
	})
}

// Ready reports whether the API shows a pod as ready.
func Ready(p *corev1.Pod) bool {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// seeRuns notes how often the app's container was started, and whether it runs.
func (p *pod) seeRuns(object *corev1.Pod) {
	for _, c := range object.Spec.Containers[:min(1, len(object.Spec.Containers))] {
		p.container = c.Name
	}
	for _, s := range object.Status.ContainerStatuses {
		// While a container waits for its next run, the status still counts the last one.
		if s.Name == p.container && (s.State.Waiting == nil || s.LastTerminationState.Terminated != nil) {
			p.runs, p.ended = int(s.RestartCount)+1, s.State.Running == nil
			last := p.runs - 1 // the run that the last state tells of
			if s.State.Waiting == nil {
				last--
			}
			p.seeUnbegun(p.runs-1, s.State)
			p.seeUnbegun(last, s.LastTerminationState)
		}
	}
}

// seeUnbegun notes a run whose container could not be started: it has no log, and while it waits to be tried again the
// kubelet may already give the log of the next (containerd v2, internal/cri/server/container_start.go, errorStartReason).
func (p *pod) seeUnbegun(run int, state corev1.ContainerState) {
	if state.Terminated == nil || state.Terminated.Reason != "StartError" {
		return
	}
	if p.unbegun == nil {
		p.unbegun = map[int]bool{}
	}
	p.unbegun[run] = true
}

// over reports whether no more is to be expected of a run: it has ended, or the API shows the pod no
// longer. A pod that was removed by force may serve on for its grace.
func (p *pod) over(run int) bool { return p.gone || p.runs > run+1 || p.ended }

// Knows reports whether a pod of the scope has been seen, by name.
func (w *Watch) Knows(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pods[name] != nil
}
