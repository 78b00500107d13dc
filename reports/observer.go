package reports

import (
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict/kept"
	"example.com/rollcall/reports/model"
)

// An Observer sees every recording while it is joined and judged, so that a page does not have to read it again. It may see several at a
// time.
type Observer interface {
	// Reading is called before a recording is joined. Of what it returns, show is called as [timeline.JoinShowing] says, and judged with
	// the scenario, unless it cannot be joined.
	Reading(evidence.Run) (show func(evidence.Hit, error), judged func(model.Scenario, kept.Recording))
	// Unread is called with each scenario that cannot be read or joined.
	Unread(model.Scenario, error)
}

// nobody observes nothing.
type nobody struct{}

func (nobody) Reading(evidence.Run) (show func(evidence.Hit, error), judged func(model.Scenario, kept.Recording)) {
	return func(evidence.Hit, error) {}, func(model.Scenario, kept.Recording) {}
}

func (nobody) Unread(model.Scenario, error) {}
