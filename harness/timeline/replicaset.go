package timeline

import (
	"slices"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A Scaling is one change of a ReplicaSet's size.
type Scaling struct {
	Version string // of the ReplicaSet's pods
	Size    int
	At      time.Duration
}

// resize enters a new size of a ReplicaSet. If it is smaller, the ReplicaSet owes that many deletions.
func (p *pass) resize(e evidence.Event) {
	for range p.active[e.Object] - e.Count {
		p.owed[e.Object] = append(p.owed[e.Object], e.At)
	}
	p.total += e.Count - p.active[e.Object]
	p.active[e.Object] = e.Count
	p.mostActive = max(p.mostActive, p.total)
	p.sizes = append(p.sizes, Scaling{Version: e.Detail, Size: e.Count, At: e.At})
}

// Scalings lists the sizes that ReplicaSets were given since the rollout began, in order. It is absent
// without that mark.
func (t Timeline) Scalings() (sizes []Scaling, ok bool) {
	begun, ok := t.Mark(evidence.RolloutBegun)
	return slices.DeleteFunc(slices.Clone(t.sizes), func(s Scaling) bool { return s.At < begun }), ok
}

// MaxActive returns the most pods that all ReplicaSets asked for together. It is absent when no ReplicaSet was seen.
func (t Timeline) MaxActive() (most int, ok bool) { return t.mostActive, len(t.sizes) > 0 }

// A Rescale is a size that an autoscaler gave the Deployment, according to its Event.
type Rescale struct {
	Size int
	At   time.Duration // when the Event was seen, which is after the write
}

// Rescales lists the sizes that autoscalers gave since the rollout began.
func (t Timeline) Rescales() []Rescale {
	begun, _ := t.Mark(evidence.RolloutBegun)
	return slices.DeleteFunc(slices.Clone(t.rescales), func(r Rescale) bool { return r.At < begun })
}
