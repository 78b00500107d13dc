package timeline

import (
	"time"

	"rollcall/harness/evidence"
)

// A Scaling is a ReplicaSet being given a size.
type Scaling struct {
	Version string // of the ReplicaSet's pods
	Size    int
	At      time.Duration
}

// Scalings lists the sizes that ReplicaSets were given from the rollout's begin on, in order. It is absent
// without that mark.
func (t Timeline) Scalings() (sizes []Scaling, ok bool) {
	begun, ok := t.Mark(evidence.RolloutBegun)
	for _, e := range t.Events {
		if e.Kind == evidence.ReplicaSetScaled && e.At >= begun {
			sizes = append(sizes, Scaling{Version: e.Detail, Size: e.Count, At: e.At})
		}
	}
	return sizes, ok
}

// MaxActive is the most pods that all ReplicaSets asked for together; it is absent when none was seen.
func (t Timeline) MaxActive() (most int, ok bool) {
	sizes, total := map[string]int{}, 0
	for _, e := range t.Events {
		if e.Kind == evidence.ReplicaSetScaled {
			total += e.Count - sizes[e.Object]
			sizes[e.Object] = e.Count
			most, ok = max(most, total), true
		}
	}
	return most, ok
}
