package reports

import (
	"fmt"
	"slices"
	"strings"

	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

// About returns the lines about a run that every report for people has: the needed preStop sleep, and how the run went.
func About(r model.Report) []string {
	return slices.DeleteFunc(append([]string{neededLine(r)}, HowItWent(r)...), func(line string) bool { return line == "" })
}

// HowItWent returns a line each for the profile, where the time went, and every change of the rate.
func HowItWent(r model.Report) []string {
	lines := append([]string{profileLine(r), spentLine(r.Run)}, r.Run.Steps...)
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}

// totals returns one line about the whole run.
func totals(r model.Report) string {
	s := r.Summary
	line := fmt.Sprintf("%d passed, %d failed, %d inconclusive, %d skipped; %s", s.Pass, s.Fail, s.Inconclusive, s.Skipped,
		phrase.Count(s.Requests, "request"))
	if s.Seconds > 0 {
		line += fmt.Sprintf(" in %.0f s", s.Seconds)
	}
	if len(r.Run.Broken) > 0 {
		line += "; the run broke: " + phrase.Printable(strings.Join(r.Run.Broken, "; "))
	}
	return line
}
