package reports

import (
	"slices"

	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports/model"
)

// A skip is scenarios that were skipped in a mode for the same reason.
type skip struct {
	mode, because string
	names         []string // suite/id
	all           bool     // of the mode's
}

// skipsOf gathers what was skipped, in the order in which it was first met.
func skipsOf(scenarios []model.Scenario) []skip {
	var skips []skip
	of := make(map[string]int) // scenarios of a mode
	for _, s := range scenarios {
		of[s.Mode]++
		if s.Outcome != verdict.Skipped {
			continue
		}
		i := slices.IndexFunc(skips, func(k skip) bool { return k.mode == s.Mode && k.because == s.Because })
		if i < 0 {
			i = len(skips)
			skips = append(skips, skip{mode: s.Mode, because: s.Because})
		}
		skips[i].names = append(skips[i].names, s.Name())
	}
	for i := range skips {
		skips[i].all = len(skips[i].names) == of[skips[i].mode]
	}
	return skips
}
