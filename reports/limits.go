package reports

import (
	"fmt"
	"slices"

	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

// A Limit is something that scenarios of a mode did not look at.
type Limit struct {
	model.Limit
	Mode      string
	Scenarios []string // names
}

// NotLookedAt lists the limits of scenarios; those of a mode that have the same share it.
func NotLookedAt(scenarios []model.Scenario) (all []Limit) {
	for _, s := range scenarios {
		for _, l := range s.Limits {
			i := slices.IndexFunc(all, func(of Limit) bool { return of.Mode == s.Mode && of.Limit == l })
			if i < 0 {
				i = len(all)
				all = append(all, Limit{Limit: l, Mode: s.Mode})
			}
			if !slices.Contains(all[i].Scenarios, s.Name()) {
				all[i].Scenarios = append(all[i].Scenarios, s.Name())
			}
		}
	}
	return all
}

// shared reports whether more than one scenario has the limit.
func (l Limit) shared() bool { return len(l.Scenarios) > 1 }

// sharedLimits returns a line for each limit that several scenarios share.
func sharedLimits(limits []Limit) (lines []string) {
	for _, l := range limits {
		if l.shared() {
			lines = append(lines, fmt.Sprintf("limit of %s in %s: %s", phrase.Count(len(l.Scenarios), "scenario"), l.Mode, l.Text))
		}
	}
	return lines
}
