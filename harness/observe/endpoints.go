package observe

import (
	discoveryv1 "k8s.io/api/discovery/v1"

	"example.com/rollcall/harness/evidence"
)

// An endpointTracker notes when pods become endpoints of the Service, change their readiness there and leave it.
type endpointTracker struct {
	*journal
	pods    *podTracker
	service string
	slices  map[string]map[string]bool // slice name -> pod name -> ready
	ready   map[string]bool            // pod name -> ready, over all slices
}

func newEndpointTracker(j *journal, pods *podTracker, service string) *endpointTracker {
	return &endpointTracker{j, pods, service, map[string]map[string]bool{}, map[string]bool{}}
}

func (t *endpointTracker) see(s *discoveryv1.EndpointSlice) {
	if s.Labels[discoveryv1.LabelServiceName] != t.service {
		return
	}
	ready := map[string]bool{}
	for _, e := range s.Endpoints {
		if e.TargetRef != nil && e.TargetRef.Kind == "Pod" {
			// A nil condition is to be read as true (discovery/v1 EndpointConditions.Ready).
			ready[e.TargetRef.Name] = e.Conditions.Ready == nil || *e.Conditions.Ready
		}
	}
	t.change(func() { t.slices[s.Name] = ready; t.noteChanges() })
}

func (t *endpointTracker) lose(s *discoveryv1.EndpointSlice) {
	t.change(func() { delete(t.slices, s.Name); t.noteChanges() })
}

// noteChanges notes the changes of each pod over all slices of the Service: a pod may be in two slices for a moment, and is
// ready if one of them lists it as ready.
func (t *endpointTracker) noteChanges() {
	now := map[string]bool{}
	for _, slice := range t.slices {
		for name, ready := range slice {
			now[name] = now[name] || ready
		}
	}
	for name, ready := range now {
		if was, listed := t.ready[name]; !listed && !ready || listed && was == ready {
			continue
		}
		kind := evidence.EndpointNotReady
		if ready {
			kind = evidence.EndpointReady
		}
		t.note(evidence.Event{Kind: kind, By: t.pods.server(name)})
	}
	for name := range t.ready {
		if _, listed := now[name]; !listed {
			t.note(evidence.Event{Kind: evidence.EndpointGone, By: t.pods.server(name)})
		}
	}
	t.ready = now
}

// fill adds the endpoints to a state; the caller holds the lock.
func (t *endpointTracker) fill(s *State) {
	for name, ready := range t.ready {
		s.Endpoints = append(s.Endpoints, EndpointState{t.pods.server(name), ready})
	}
	s.Backends = map[string]Backend{}
	for slice, listed := range t.slices {
		for name, ready := range listed {
			if meta, there := t.pods.metas[name]; there && ready {
				s.Backends[name] = Backend{Slice: slice, Labels: meta.labels, Node: meta.node, Controlled: meta.controlled}
			}
		}
	}
}
