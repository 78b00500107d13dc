package page

import (
	"slices"

	"example.com/rollcall/harness/timeline"
)

// A legendEntry names a kind of points, and says how many there are of it.
type legendEntry struct {
	Name  string
	Count int
	Of    int // number of the kind
	Glyph string
}

// A phase is a phase of a pod, and how thick it is drawn.
type phase struct {
	Of        int     `json:"-"`
	Name      string  `json:"name"`
	Thickness float64 `json:"thickness"`
}

// phases returns all phases, by number.
func phases() []phase {
	all := make([]phase, timeline.PodGone+1)
	for i := range all {
		all[i] = phase{Of: i, Name: timeline.PodPhase(i).String(), Thickness: thickness[i]}
	}
	return all
}

var thickness = [timeline.PodGone + 1]float64{
	timeline.PodStarting: 2, timeline.PodServing: 9, timeline.PodDeleting: 9, timeline.PodLeaving: 6, timeline.PodSignaled: 3.5,
	timeline.PodExited: 1,
}

// Drawn returns the phases that any pod was in, in the order of a pod's life.
func (c *chart) Drawn() []phase {
	var all []phase
	for _, p := range c.Phases {
		in := func(s step) bool { return s.Phase == p.Of && p.Thickness > 0 }
		if slices.ContainsFunc(c.Pods, func(row pod) bool { return slices.ContainsFunc(row.Steps, in) }) {
			all = append(all, p)
		}
	}
	return all
}
