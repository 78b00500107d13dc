package harness

import (
	"slices"

	"example.com/rollcall/harness/evidence"
)

// A Twin is how one scenario differs from others with the same base. Where one twin has to lose requests and the other must not, the
// second shows what helps, and the first that a loss would have been seen.
type Twin struct {
	ID, Claim string
	Change    func(*Scenario)        // edits the base; nil: no edit
	Kind      Kind                   // instead of the base's; nil: the base's
	Expect    []evidence.Expectation // beside those of the base
}

// Twins returns a copy of the base scenario s for each twin, with its changes.
func (s Scenario) Twins(twins ...Twin) []Scenario {
	all := make([]Scenario, len(twins))
	for i, twin := range twins {
		of := s
		of.ID, of.Claim, of.Expect = twin.ID, twin.Claim, slices.Concat(s.Expect, twin.Expect)
		if twin.Kind != nil {
			of.Kind = twin.Kind
		}
		if twin.Change != nil {
			twin.Change(&of)
		}
		all[i] = of
	}
	return all
}
