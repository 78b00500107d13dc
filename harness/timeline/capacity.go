package timeline

import (
	"cmp"
	"slices"
	"time"

	"rollcall/harness/evidence"
)

// A Capacity is how many pods of the app there were from a moment on. A ready pod that is being
// deleted is not available, though it is still one of the total.
type Capacity struct {
	At        time.Duration
	Available int
	Total     int
}

// Capacities lists every moment pods changed, one entry per moment. Pods of a version that is
// neither old nor new are not counted.
func (t Timeline) Capacities() []Capacity {
	type pod struct{ ready, deleting bool }
	pods := make(map[string]pod)
	var steps []Capacity
	for _, e := range t.Events {
		if !t.rolled(e.By) {
			continue
		}
		p := pods[e.By.Pod]
		switch e.Kind {
		case evidence.PodCreated:
		case evidence.PodReady:
			p.ready = true
		case evidence.PodUnready:
			p.ready = false
		case evidence.PodDeleting:
			p.deleting = true
		case evidence.PodGone:
		default:
			continue
		}
		pods[e.By.Pod] = p
		if e.Kind == evidence.PodGone {
			delete(pods, e.By.Pod)
		}
		step := Capacity{At: e.At, Total: len(pods)}
		for _, p := range pods {
			if p.ready && !p.deleting {
				step.Available++
			}
		}
		if n := len(steps); n > 0 && steps[n-1].At == e.At {
			steps[n-1] = step
		} else {
			steps = append(steps, step)
		}
	}
	return steps
}

// rolled reports whether it is a pod of the versions that are rolled out.
func (t Timeline) rolled(by evidence.Server) bool {
	return by.Pod != "" && (by.Version == "" || by.Version == t.Old || by.Version == t.New)
}

// MinAvailable is the first moment with the fewest available pods, from the beginning of the
// rollout until the last old pod is gone. It is absent when no pod was seen before the rollout,
// or a mark is missing.
func (t Timeline) MinAvailable() (Capacity, bool) {
	steps := t.rolloutCapacities()
	if len(steps) == 0 {
		return Capacity{}, false
	}
	return slices.MinFunc(steps, func(a, b Capacity) int { return cmp.Compare(a.Available, b.Available) }), true
}

// MaxPods is the first moment with the most pods, terminating ones included; over the same span
// and absent for the same reasons as [Timeline.MinAvailable].
func (t Timeline) MaxPods() (Capacity, bool) {
	steps := t.rolloutCapacities()
	if len(steps) == 0 {
		return Capacity{}, false
	}
	return slices.MaxFunc(steps, func(a, b Capacity) int { return cmp.Compare(a.Total, b.Total) }), true
}

// rolloutCapacities is what there was when the rollout began, then every change up to its end.
func (t Timeline) rolloutCapacities() []Capacity {
	begun, marked := t.Mark(evidence.RolloutBegun)
	gone, ended := t.Mark(t.rolloutEnd())
	if !marked || !ended {
		return nil
	}
	return t.capacitiesBetween(begun, gone)
}

// PodChanges is at how many moments of the rollout pods were created, got ready or unready, were deleted or went.
func (t Timeline) PodChanges() int { return max(0, len(t.rolloutCapacities())-1) }

func (t Timeline) capacitiesBetween(begun, until time.Duration) (steps []Capacity) {
	for _, step := range t.Capacities() {
		switch {
		case step.At <= begun:
			step.At = begun
			steps = []Capacity{step}
		case step.At <= until && len(steps) > 0:
			steps = append(steps, step)
		}
	}
	return steps
}
