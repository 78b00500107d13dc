package timeline

import (
	"maps"
	"math"
	"slices"
	"time"

	"rollcall/harness/evidence"
)

// endpointRemovals maps each old pod to when its endpoint left ready for good. A pod whose endpoint was not
// ready for a while, or not ready yet, counts as there.
func (t Timeline) endpointRemovals() map[string]time.Duration {
	left := make(map[string]time.Duration)
	begun, ok := t.Mark(evidence.RolloutBegun)
	if !ok {
		return left
	}
	for _, e := range t.Events {
		switch e.Kind {
		case evidence.EndpointReady:
			delete(left, e.By.Pod)
		case evidence.EndpointNotReady, evidence.EndpointGone:
			if _, already := left[e.By.Pod]; !already && e.At >= begun {
				left[e.By.Pod] = e.At
			}
		}
	}
	for _, p := range t.Pods {
		if p.Version != "" && p.Version != t.Old {
			delete(left, p.Pod)
		}
	}
	return left
}

// EndpointsLeft maps each old pod whose endpoint left ready for good to when it did.
func (t Timeline) EndpointsLeft() map[string]time.Duration { return t.endpointRemovals() }

// RemovedEndpoints lists the old pods whose endpoint left ready for good during the rollout, by name.
func (t Timeline) RemovedEndpoints() []string { return slices.Sorted(maps.Keys(t.endpointRemovals())) }

// noReadyEndpoints lists when no endpoint was ready any more, until one was again or the recording ended.
func (t Timeline) noReadyEndpoints() (windows []Window) {
	ready := map[string]bool{}
	var since time.Duration
	empty := false
	for _, e := range t.Events {
		switch e.Kind {
		case evidence.EndpointReady:
			ready[e.By.Pod] = true
			if empty {
				windows = append(windows, Window{From: since, To: e.At})
				empty = false
			}
		case evidence.EndpointNotReady, evidence.EndpointGone:
			if ready[e.By.Pod] && len(ready) == 1 {
				empty, since = true, e.At
			}
			delete(ready, e.By.Pod)
		}
	}
	if empty {
		windows = append(windows, Window{From: since, To: math.MaxInt64})
	}
	return windows
}
