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

// HowItWent returns a line each for the profile, where the time went, every change of the rate, and foreign requests.
func HowItWent(r model.Report) []string {
	lines := append(append([]string{profileLine(r), spentLine(r.Run)}, r.Run.Steps...), foreignLine(r.Scenarios))
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}

// foreignLine says how many foreign requests a run got; empty: none.
func foreignLine(scenarios []model.Scenario) string {
	requests, in := 0, 0
	for _, s := range scenarios {
		if s.Foreign > 0 {
			requests, in = requests+s.Foreign, in+1
		}
	}
	if in == 0 {
		return ""
	}
	return fmt.Sprintf("in %s, %s", phrase.Count(in, "scenario"), ForeignText(requests))
}

// ForeignText says what foreign requests are, and that they harm nothing; empty: there were none.
func ForeignText(requests int) string {
	if requests == 0 {
		return ""
	}
	return phrase.Count(requests, "foreign request") + " reached the app, with headers like those of lanes; nothing is judged by them"
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
