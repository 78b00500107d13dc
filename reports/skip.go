package reports

import (
	"slices"

	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports/model"
)

// A skip is the scenarios that were skipped in one mode for one reason.
type skip struct {
	mode, because string
	names         []string // suite/id
	all           bool     // these are all scenarios of the mode
}

// skipsOf groups the skipped scenarios, in the order in which each reason first comes.
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
