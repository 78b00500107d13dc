package timeline

import (
	"fmt"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
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

// A Rescale is a size that an autoscaler says to have given the Deployment.
type Rescale struct {
	Size int
	At   time.Duration // when it was seen to say so, which is after the write
}

// Rescales lists what autoscalers gave from the rollout's begin on, by their Events (Kubernetes v1.37.2,
// pkg/controller/podautoscaler/horizontal.go, reconcileAutoscaler).
func (t Timeline) Rescales() (given []Rescale) {
	begun, _ := t.Mark(evidence.RolloutBegun)
	for _, e := range t.Events {
		size := 0
		if e.Kind != evidence.Reported || e.At < begun || !strings.HasPrefix(e.Object, "HorizontalPodAutoscaler/") {
			continue
		}
		if _, err := fmt.Sscanf(e.Detail, "SuccessfulRescale: New size: %d;", &size); err == nil {
			given = append(given, Rescale{Size: size, At: e.At})
		}
	}
	return given
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
