package observe

import (
	"context"
	"slices"

	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/utils/ptr"

	"example.com/rollcall/harness/evidence"
)

// An endpointTracker notes when pods become endpoints of the Service, change their conditions there and leave it.
type endpointTracker struct {
	*journal
	pods    *podTracker
	service string
	slices  map[string]map[string]conditions // slice name -> pod name
	listed  map[string]conditions            // pod name -> over all slices
	edits   *specTracker[editedSlice]
}

// conditions are those of an endpoint that are noted.
type conditions struct{ ready, terminating bool }

// conditionsOf reads an endpoint's conditions. A nil ready is to be read as true (discovery/v1 EndpointConditions.Ready), a nil terminating
// as false (Terminating).
func conditionsOf(e discoveryv1.Endpoint) conditions {
	return conditions{ready: ptr.Deref(e.Conditions.Ready, true), terminating: ptr.Deref(e.Conditions.Terminating, false)}
}

func newEndpointTracker(j *journal, pods *podTracker, service string) *endpointTracker {
	return &endpointTracker{j, pods, service, map[string]map[string]conditions{}, map[string]conditions{}, newSliceEditTracker(j)}
}

func (t *endpointTracker) see(s *discoveryv1.EndpointSlice, existed bool) {
	if s.Labels[discoveryv1.LabelServiceName] != t.service {
		return
	}
	listed := map[string]conditions{}
	for _, e := range s.Endpoints {
		if e.TargetRef != nil && e.TargetRef.Kind == "Pod" {
			listed[e.TargetRef.Name] = conditionsOf(e)
		}
	}
	t.change(func() {
		t.seeEdits(s, existed)
		t.slices[s.Name] = listed
		t.noteChanges()
	})
}

func (t *endpointTracker) lose(s *discoveryv1.EndpointSlice) {
	t.change(func() {
		t.edits.lose(s.Name)
		delete(t.slices, s.Name)
		t.noteChanges()
	})
}

// noteChanges notes the changes of each pod over all slices of the Service: a pod may be in two slices for a moment, and a condition
// holds if it does in one of them.
func (t *endpointTracker) noteChanges() {
	now := map[string]conditions{}
	for _, slice := range t.slices {
		for name, c := range slice {
			now[name] = conditions{now[name].ready || c.ready, now[name].terminating || c.terminating}
		}
	}
	for name, c := range now {
		was := t.listed[name]
		if c.ready && !was.ready {
			t.note(evidence.Event{Kind: evidence.EndpointReady, By: t.pods.server(name)})
		}
		if was.ready && !c.ready {
			t.note(evidence.Event{Kind: evidence.EndpointNotReady, By: t.pods.server(name)})
		}
		if c.terminating && !was.terminating {
			t.note(evidence.Event{Kind: evidence.EndpointTerminating, By: t.pods.server(name)})
		}
	}
	for name := range t.listed {
		if _, listed := now[name]; !listed {
			t.note(evidence.Event{Kind: evidence.EndpointGone, By: t.pods.server(name)})
		}
	}
	t.listed = now
}

// fill adds the endpoints to a state; the caller holds the lock.
func (t *endpointTracker) fill(s *State) {
	for name, c := range t.listed {
		s.Endpoints = append(s.Endpoints, EndpointState{t.pods.server(name), c.ready, c.terminating})
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
		for name, c := range listed {
			server := t.pods.server(name)
			meta, there := t.pods.metas[name]
			if !there || !c.ready || meta.controlled && slices.Contains(versions, server.Version) || found && first.Pod <= name {
				continue
			}
			server.Node = meta.node
			first, found = Stray{server, slice, meta.labels}, true
		}
	}
	return first, found
}
