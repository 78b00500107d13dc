package reports

import (
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/reports/model"
)

// An Observer sees every recording while Load joins and judges it, so that a page does not have to read it again.
type Observer interface {
	// Reading is called before a recording is joined; the function that it returns is called as [timeline.JoinShowing] says.
	Reading(evidence.Run) func(evidence.Hit, error)
	// Judged is called with each scenario; the error says that it could not be read or joined, and that there is no recording.
	Judged(model.Scenario, Recording, error)
}

// A Recording is what a scenario was judged from.
type Recording struct {
	Run      evidence.Run
	Timeline timeline.Timeline
}
