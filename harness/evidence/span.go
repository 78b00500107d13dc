package evidence

import (
	"fmt"
	"slices"
	"time"
)

// A Part is what a session spends time on.
type Part string

// The parts. IdlePart is no span's: it is the time in which none was under way.
const (
	ImagePart   Part = "image"    // building or pulling images, and loading them
	ClusterPart Part = "cluster"  // making a cluster, or attaching to one
	DeployPart  Part = "deploy"   // of the app and its clients
	SteadyPart  Part = "steady"   // load before anything changes
	RolloutPart Part = "rollout"  // load while it does
	SettlePart  Part = "settle"   // load after it
	CleanUpPart Part = "clean-up" // of what a scenario made
	IdlePart    Part = "idle"
)

// A Span is time spent on a part, by a mode's cluster, a suite or a scenario, as far as they are named.
type Span struct {
	Part     Part      `json:"part"`
	Mode     string    `json:"mode,omitempty"`
	Suite    string    `json:"suite,omitempty"`
	Scenario string    `json:"scenario,omitempty"`
	Began    time.Time `json:"began"`
	Seconds  float64   `json:"seconds"`
}

// Parts lists the parts in the order in which a session comes to them.
func Parts() []Part {
	return []Part{ImagePart, ClusterPart, DeployPart, SteadyPart, RolloutPart, SettlePart, CleanUpPart, IdlePart}
}

// Check returns an error for a span nobody can have measured.
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
