package page

import (
	"fmt"
	"html/template"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/inspect"
	"example.com/rollcall/reports/model"
)

// funcs returns the functions that templates call.
func funcs() template.FuncMap {
	return template.FuncMap{
		"tally":      outcomes,
		"about":      reports.About,
		"drain":      reports.DrainLine,
		"bugs":       reports.Bugs,
		"faults":     phrase.Faults,
		"versions":   versions,
		"numbers":    numbers,
		"count":      phrase.Count,
		"join":       strings.Join,
		"clock":      func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") },
		"length":     length,
		"ms":         ms,
		"counted":    optional[int]("%d"),
		"rate":       optional[float64]("%.4g"),
		"lag":        optional[float64]("%.4g ms"),
		"latency":    latency,
		"rounded":    optional[float64]("%.0f"),
		"podColumns": func() any { return inspect.LifeColumns },
		"anchor":     anchor,
		"outage":     outageText,
		"diffLines":  diffLines,
		"patchFile":  func() string { return reports.PatchFile },
		"add":        func(a, b float64) float64 { return a + b },
	}
}

// A diffLine is a line of a diff.
type diffLine struct{ Of, Text string }

func diffLines(diff string) (all []diffLine) {
	of := map[byte]string{'-': "goes", '+': "comes", ' ': "stays"}
	for text := range strings.Lines(diff) {
		all = append(all, diffLine{of[text[0]], strings.TrimSuffix(text, "\n")})
	}
	return all
}

// An amount is how many scenarios had an outcome.
type amount struct {
	Outcome verdict.Outcome
	Word    string
	Count   int
}

// outcomes returns the amounts of a run, first those that need a look.
func outcomes(s model.Summary) []amount {
	return []amount{
		{verdict.Fail, "failed", s.Fail}, {verdict.Inconclusive, "inconclusive", s.Inconclusive},
		{verdict.Pass, "passed", s.Pass}, {verdict.Skipped, "skipped", s.Skipped},
	}
}

// versions formats replies by version, such as "v1 120, v2 3400".
func versions(replies map[string]int) string {
	var parts []string
	for _, version := range slices.Sorted(maps.Keys(replies)) {
		parts = append(parts, fmt.Sprintf("%s %d", version, replies[version]))
	}
	return strings.Join(parts, ", ")
}

// numbers returns what was measured, without uncertainties: they stand beside their numbers.
func numbers(s model.Scenario) []model.Measurement {
	return slices.DeleteFunc(s.Measurements(), func(m model.Measurement) bool { return m.Title == "" })
}

// optional returns a function that formats a number, or writes a dash if it was not measured.
func optional[N int | float64](format string) func(*N) string {
	return func(n *N) string {
		if n == nil {
			return "–"
		}
		return fmt.Sprintf(format, *n)
	}
}

func latency(l model.Latency) string {
	return strings.Join([]string{ms(l.P50), ms(l.P99), ms(l.P999), ms(l.Max)}, ", ")
}

func ms(millis float64) string {
	if millis > -1000 && millis < 1000 {
		return fmt.Sprintf("%.4g ms", millis)
	}
	return fmt.Sprintf("%.3f s", millis/1000)
}

func millis(d time.Duration) string { return ms(float64(d.Microseconds()) / 1000) }

// length formats how long something took that nobody measures in milliseconds.
func length(seconds float64) string {
	whole := int(math.Round(seconds))
	switch {
	case whole < 60:
		return fmt.Sprintf("%d s", whole)
	case whole < 3600:
		return fmt.Sprintf("%d min %d s", whole/60, whole%60)
	default:
		return fmt.Sprintf("%d h %d min", whole/3600, whole%3600/60)
	}
}
