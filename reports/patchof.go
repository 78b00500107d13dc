package reports

import (
	"example.com/rollcall/harness/verdict/kept"
	"example.com/rollcall/reports/model"
)

// PatchOf returns the patch that advice on a recording has; nil if there is none.
func PatchOf(rec kept.Recording) *model.Patch {
	s := newScenario(placeOf(rec.Run))
	fill(&s, rec)
	return s.Patch
}
