package reports

import (
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/reports/model"
)

// An Observer sees every recording while Load joins and judges it, so that a page about them need not do so again.
type Observer interface {
	// Reading is told of a recording that is about to be joined; what it returns is shown what [timeline.JoinShowing] shows.
	Reading(evidence.Run) func(evidence.Hit, error)
	// Judged is told of each scenario; the error is for one that could not be read or joined, which has no recording.
	Judged(model.Scenario, Recording, error)
}

// A Recording is what a scenario was judged from.
type Recording struct {
	Run      evidence.Run
	Timeline timeline.Timeline
}
