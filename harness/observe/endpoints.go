package observe

import (
	"context"
	"slices"

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
}

// A Stray is a pod behind the Service that is not part of the rollout.
type Stray struct {
	evidence.Server        // without a version if its labels have none
	Slice           string // the EndpointSlice that lists it
	Labels          string
}

// AwaitStray waits until a pod in the API is a ready endpoint but has none of the versions or no controller, so that no rollout ends it.
func (w *Watch) AwaitStray(ctx context.Context, versions []string) (stray Stray, err error) {
	found := false
	err = w.journal.wait(ctx, func() bool {
		stray, found = w.endpoints.stray(versions)
		return found
	})
	return stray, err
}

// stray returns the stray that comes first by name, if there is any; the caller holds the lock.
func (t *endpointTracker) stray(versions []string) (first Stray, found bool) {
	for slice, listed := range t.slices {
		for name, ready := range listed {
			server := t.pods.server(name)
			meta, there := t.pods.metas[name]
			if !there || !ready || meta.controlled && slices.Contains(versions, server.Version) || found && first.Pod <= name {
				continue
			}
			server.Node = meta.node
			first, found = Stray{server, slice, meta.labels}, true
		}
	}
	return first, found
}
