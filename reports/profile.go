package reports

import (
	"fmt"
	"strings"

	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

// profileLine says which profile was run, what it left out and how long the run took against what was expected; empty if
// none of it is known.
func profileLine(r model.Report) string {
	var parts []string
	if p := r.Run.Profile; p != "" && r.Run.LeftOut > 0 {
		parts = append(parts, fmt.Sprintf("profile %s: %s of each mode left out, --profile=%s runs all", p,
			phrase.Count(r.Run.LeftOut, "scenario"), model.FullProfile))
	} else if p != "" {
		parts = append(parts, "profile "+p)
	}
	if r.Run.Expected > 0 {
		took := "and has not ended"
		if r.Summary.Seconds > 0 {
			took = fmt.Sprintf("took %.0f s", r.Summary.Seconds)
		}
		parts = append(parts, fmt.Sprintf("expected %.0f s, %s", r.Run.Expected, took))
	}
	return strings.Join(parts, "; ")
}
