package harness

import (
	"context"
	"time"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
)

// InSteps is the [Kind] of scenarios without load: steps on the API. The scenario's App only says which
// Service's endpoints are watched.
type InSteps struct {
	Do func(context.Context, *Steps)
	// Observed has the nodes' rules observed during the steps, and the app reachable from outside.
	Observed bool
	// Outside does the same for steps that can do without the rules: clients alone decide.
	Outside bool
	// Lasts is about how long the steps take on 2 cores; 0 is 35 s.
	Lasts time.Duration
}

func (in InSteps) occupancy() Occupancy {
	if in.Outside {
		return FromOutside
	}
	return WithoutLoad
}

func (in InSteps) observesNodes() bool { return in.Observed || in.Outside }

func (in InSteps) requires(changed bool) (features []string) {
	if changed {
		features = append(features, cluster.ClusterChanges)
	}
	if changed || in.observesNodes() {
		features = append(features, cluster.OutsideLane)
		if !in.Outside {
			features = append(features, evidence.NodeRules)
		}
	}
	return features
}
