package harness

import (
	"slices"

	"example.com/rollcall/harness/evidence"
)

// A Twin is what a scenario has that its twins do not. Where one of them has to lose requests and another none, the second shows what
// avails, and the first that a loss would have been seen.
type Twin struct {
	ID, Claim string
	Change    func(*Scenario)        // what differs; nil: nothing
	Expect    []evidence.Expectation // beside those that all of them have
}

// Twins are scenarios that are the same in all but what each of them changes.
func (s Scenario) Twins(twins ...Twin) []Scenario {
	all := make([]Scenario, len(twins))
	for i, twin := range twins {
		of := s
		of.ID, of.Claim, of.Expect = twin.ID, twin.Claim, slices.Concat(s.Expect, twin.Expect)
		if twin.Change != nil {
			twin.Change(&of)
		}
		all[i] = of
	}
	return all
}
