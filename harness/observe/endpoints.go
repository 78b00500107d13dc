package observe

import (
	discoveryv1 "k8s.io/api/discovery/v1"

	"rollcall/harness/evidence"
)

func (w *Watch) seeSlice(s *discoveryv1.EndpointSlice) {
	if s.Labels[discoveryv1.LabelServiceName] != w.service {
		return
	}
	ready := map[string]bool{}
	for _, e := range s.Endpoints {
		if e.TargetRef != nil && e.TargetRef.Kind == "Pod" {
			// A nil condition is to be read as true (discovery/v1 EndpointConditions.Ready).
			ready[e.TargetRef.Name] = e.Conditions.Ready == nil || *e.Conditions.Ready
		}
	}
	w.locked(func() { w.slices[s.Name] = ready; w.noteEndpoints() })
}

func (w *Watch) loseSlice(s *discoveryv1.EndpointSlice) {
	w.locked(func() { delete(w.slices, s.Name); w.noteEndpoints() })
}

// noteEndpoints notes what changed for a pod over all slices of the Service: it may be listed in two
// for a moment, and is ready if it is in one.
func (w *Watch) noteEndpoints() {
	now := map[string]bool{}
	for _, slice := range w.slices {
		for name, ready := range slice {
			now[name] = now[name] || ready
		}
	}
	for name, ready := range now {
		if was, listed := w.endpoints[name]; !listed && !ready || listed && was == ready {
			continue
		}
		kind := evidence.EndpointNotReady
		if ready {
			kind = evidence.EndpointReady
		}
		w.note(evidence.Event{Kind: kind, By: w.serverOf(name)})
	}
	for name := range w.endpoints {
		if _, listed := now[name]; !listed {
			w.note(evidence.Event{Kind: evidence.EndpointGone, By: w.serverOf(name)})
		}
	}
	w.endpoints = now
}

// serverOf is what is known about a pod; of one that is no longer in the API, its name.
func (w *Watch) serverOf(name string) evidence.Server {
	if p := w.pods[name]; p != nil {
		return p.by
	}
	return evidence.Server{Pod: name}
}
