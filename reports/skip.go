package reports

import (
	"path"

	"rollcall/harness/verdict"
	"rollcall/reports/model"
)

// A skip is scenarios that were skipped in a mode for the same reason.
type skip struct {
	mode, because string
	names         []string // suite/id
	all           bool     // of the mode's
}

// skipsOf gathers what was skipped, in the order in which it was first met.
func skipsOf(scenarios []model.Scenario) []skip {
	type reason struct{ mode, because string }
	var skips []skip
	place, of := make(map[reason]int), make(map[string]int)
	for _, s := range scenarios {
		of[s.Mode]++
		if s.Outcome != verdict.Skipped {
			continue
		}
		why := reason{s.Mode, s.Because}
		if _, met := place[why]; !met {
			place[why] = len(skips)
			skips = append(skips, skip{mode: s.Mode, because: s.Because})
		}
		i := place[why]
		skips[i].names = append(skips[i].names, path.Join(s.Suite, s.ID))
	}
	for i := range skips {
		skips[i].all = len(skips[i].names) == of[skips[i].mode]
	}
	return skips
}
