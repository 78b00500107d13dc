package evidence

import (
	"fmt"
	"slices"
	"time"
)

// A Part is what a session spends time on.
type Part string

// The parts. No span has IdlePart: it is the time without any span.
const (
	ImagePart   Part = "image"    // building or pulling images, and loading them
	ClusterPart Part = "cluster"  // making a cluster, or attaching to one
	DeployPart  Part = "deploy"   // deploying the app and its clients
	SteadyPart  Part = "steady"   // load before anything changes
	RolloutPart Part = "rollout"  // load during the rollout
	SettlePart  Part = "settle"   // load after the rollout
	CleanUpPart Part = "clean-up" // removing what a scenario created
	IdlePart    Part = "idle"
)

// A Span is time spent on a part, for the mode, suite or scenario that it names, if any.
type Span struct {
	Part     Part      `json:"part"`
	Mode     string    `json:"mode,omitempty"`
	Suite    string    `json:"suite,omitempty"`
	Scenario string    `json:"scenario,omitempty"`
	Began    time.Time `json:"began"`
	Seconds  float64   `json:"seconds"`
}

// Parts lists the parts in the order in which a session reaches them.
func Parts() []Part {
	return []Part{ImagePart, ClusterPart, DeployPart, SteadyPart, RolloutPart, SettlePart, CleanUpPart, IdlePart}
}

// Check returns an error for a span that is impossible.
func (s Span) Check() error {
	switch {
	case s.Part == IdlePart || !slices.Contains(Parts(), s.Part):
		return fmt.Errorf("unknown part %q", s.Part)
	case s.Seconds < 0:
		return fmt.Errorf("%s took %g s", s.Part, s.Seconds)
	default:
		return nil
	}
}
